package main

import (
	"bufio"
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// proveLiveInputs: the capture of 4,000 inputs (250 at the least), such as the streams of as many tables, each of
// which tells of a thousand requests in ten bursts that take turns with those of the others. A tenth of them are
// to one key, the others to keys of their own; each node tells the sizes of its partitions besides.
func proveLiveInputs(t *testing.T, keyheat string, thousandths int) {
	inputs := max(4*thousandths, 250)
	const bursts, burst = 10, 100
	file := written(t, "many.arrow", func(w *bufio.Writer) {
		to, err := capture.NewWriter(w, "test://many", func() { t.Error("writing failed") })
		if err != nil {
			t.Fatal(err)
		}
		sinks := make([]ingest.Sink, inputs)
		for i := range sinks {
			sinks[i] = to.Open(ingest.LiveInput{Name: fmt.Sprintf("test://many/%d", i), Format: liveTraffic, Node: fmt.Sprintf("node-%d", i)})
		}
		for n := range inputs * bursts {
			playBurst(sinks[n%inputs], n, burst)
		}
		if err := to.Close(nil); err != nil {
			t.Fatal(err)
		}
	})
	for _, args := range [][]string{{"--no-exact", file}, {file}} {
		m := measure(t, nil, keyheat, args...)
		events := uint64(0)
		for _, in := range m.report.Inputs {
			events += in.Events
		}
		if want := uint64(inputs * bursts * burst); len(m.report.Inputs) != inputs || events != want {
			t.Errorf("%d events of %d inputs, want %d of %d", events, len(m.report.Inputs), want, inputs)
		}
		if hot, ok := m.report.keyOf("shop.carts", "hot"); !ok || !hot.hold(uint64(inputs*bursts*burst/10)) {
			t.Errorf("bounds of the hot key %v do not hold %d", hot, inputs*bursts*burst/10)
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
		if i%10 == 0 {
			e.Key = []byte("hot")
		}
		e.SetTime(proofStart*1e9 + int64(n*events+i)*1e6)
		e.SetLatency(uint64(i))
		to.Event(&e)
	}
	to.State(&ingest.State{Store: ingest.Cassandra, Table: fmt.Appendf(nil, "shop.t%d", n%100), Key: fmt.Appendf(nil, "user-%d", n), KeyKnown: true,
		Measure: ingest.PartitionBytes, Value: uint64(n), UnixNano: proofStart * 1e9})
	to.Point(&ingest.Point{Store: ingest.Cassandra, Table: fmt.Appendf(nil, "shop.t%d", n%100), Name: []byte("max_partition_bytes"), Stat: "maximum",
		Milli: uint64(n), UnixNano: proofStart * 1e9})
}
