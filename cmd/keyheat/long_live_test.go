package main

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// proveLiveInputs: the capture of 4,000 inputs (250 at the least), such as the streams of as many tables, each of
// which tells of a thousand requests that take turns with those of the others, a hundred at a time or one by one. A
// tenth of them are to one key, the others to keys of their own; each node tells the sizes of its partitions besides.
func proveLiveInputs(t *testing.T, keyheat string, thousandths int) {
	inputs := max(4*thousandths, 250)
	for _, burst := range []int{100, 1} {
		file := written(t, fmt.Sprintf("many-%d.arrow", burst), func(w *bufio.Writer) { recordTurns(t, w, inputs, burst) })
		proveTurns(t, keyheat, file, inputs)
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
}

const ofEach = 1000 // requests of an input

// recordTurns writes the capture.
func recordTurns(t *testing.T, w *bufio.Writer, inputs, burst int) {
	to, err := capture.NewWriter(w, "test://many", func() { t.Error("writing failed") })
	if err != nil {
		t.Fatal(err)
	}
	sinks := make([]ingest.Sink, inputs)
	for i := range sinks {
		sinks[i] = to.Open(ingest.LiveInput{Name: fmt.Sprintf("test://many/%d", i), Format: liveTraffic, Node: fmt.Sprintf("node-%d", i)})
	}
	for n := range inputs * ofEach / burst {
		playBurst(sinks[n%inputs], n, burst)
	}
	if err := to.Close(nil); err != nil {
		t.Fatal(err)
	}
}

func proveTurns(t *testing.T, keyheat, file string, inputs int) {
	for _, args := range [][]string{{"--no-exact", file}, {file}} {
		m := measure(t, nil, keyheat, args...)
		events := uint64(0)
		for _, in := range m.report.Inputs {
			events += in.Events
		}
		if want := uint64(inputs * ofEach); len(m.report.Inputs) != inputs || events != want {
			t.Errorf("%d events of %d inputs, want %d of %d", events, len(m.report.Inputs), want, inputs)
		}
		if hot, ok := m.report.keyOf("shop.carts", "hot"); !ok || !hot.hold(uint64(inputs*ofEach/10)) {
			t.Errorf("bounds of the hot key %v do not hold %d", hot, inputs*ofEach/10)
		}
	}
}

// playBurst gives the n-th burst of a node.
func playBurst(to ingest.Sink, n, events int) {
	var e ingest.Event
	for i := range events {
		e.Reset()
		e.Store, e.Op, e.KeyKnown = ingest.Cassandra, ingest.OpRead, true
		e.Table, e.Key = []byte("shop.carts"), fmt.Appendf(nil, "user-%d", n*events+i)
		if (n*events+i)%10 == 0 {
			e.Key = []byte("hot")
		}
		e.SetTime(proofStart*1e9 + int64(n*events+i)*1e6)
		e.SetLatency(uint64(i))
		to.Event(&e)
	}
	if n*events%100 != 0 {
		return
	}
	to.State(&ingest.State{Store: ingest.Cassandra, Table: fmt.Appendf(nil, "shop.t%d", n%100), Key: fmt.Appendf(nil, "user-%d", n), KeyKnown: true,
		Measure: ingest.PartitionBytes, Value: uint64(n), UnixNano: proofStart * 1e9})
	to.Point(&ingest.Point{Store: ingest.Cassandra, Table: fmt.Appendf(nil, "shop.t%d", n%100), Name: []byte("max_partition_bytes"), Stat: "maximum",
		Milli: uint64(n), UnixNano: proofStart * 1e9})
}
