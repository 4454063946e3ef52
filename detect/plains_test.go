package detect

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/ingest"
)

// plainTraffic gives a run of plain events of more tables than a Profile holds, in more minutes than have a table of
// their own alone.
func plainTraffic() *ingest.Plains {
	p := &ingest.Plains{Timed: true, Sized: true, Anew: true, At: ingest.Position{Byte: 1000, Line: 7}}
	for i := range MaxTargets + 50 {
		p.Tables = append(p.Tables, fmt.Appendf(nil, "t%d", i))
	}
	for i := range 3 * (MaxTargets + 50) {
		record := len(p.Text)
		p.Text = fmt.Appendf(p.Text, "key %d", i%1000)
		p.Events = append(p.Events, ingest.Plain{
			UnixNano: (testStart + int64(i%100+i/200*60)) * second, Bytes: uint64(i), Record: uint32(record), Key: uint32(record),
			KeySize: uint16(len(p.Text) - record), Table: uint16(i % len(p.Tables)), Op: ingest.Op(i % int(ingest.Ops)),
		})
	}
	return p
}

func TestPlainEventsCountAsEventsDo(t *testing.T) {
	traffic := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	for _, s := range []struct {
		name                       string
		keysOnly, noPanes          bool
		timed, sized, costsInBytes bool
		requestsOnly               bool
	}{
		{name: "all of a Profile", timed: true, sized: true},
		{name: "keys of panes", keysOnly: true, timed: true, sized: true},
		{name: "keys of the run", keysOnly: true, noPanes: true, timed: true, sized: true},
		{name: "keys of the run by requests", keysOnly: true, noPanes: true, requestsOnly: true, timed: true, sized: true},
		{name: "keys of the run by bytes", keysOnly: true, noPanes: true, timed: true, sized: true, costsInBytes: true},
		{name: "keys of the run without times and bytes", keysOnly: true, noPanes: true},
	} {
		t.Run(s.name, func(t *testing.T) {
			settings := smallSettings()
			settings.KeysOnly, settings.NoPanes, settings.Bytes = s.keysOnly, s.noPanes, s.costsInBytes
			settings.RequestsOnly = s.requestsOnly
			made := func(feed func(to *recorder, p *ingest.Plains)) []byte {
				p := plainTraffic()
				p.Timed, p.Sized = s.timed, s.sized
				for i := range p.Events {
					if !s.sized {
						p.Events[i].Bytes = 0
					}
					if !s.timed {
						p.Events[i].UnixNano = 0
					}
				}
				c := NewCollector(settings)
				chunk := ingest.Chunk{Input: traffic}
				to := c.Begin(chunk)
				for range 3 {
					feed(to.(*recorder), p)
				}
				c.End(chunk, to, ingest.ChunkStats{Records: 1})
				c.EndInput(traffic, 1)
				c.EndFile(0, 1)
				form, _ := c.Profile().MarshalBinary()
				return form
			}
			got := made(func(to *recorder, p *ingest.Plains) { to.Plains(p) })
			want := made(func(to *recorder, p *ingest.Plains) { singly(to, p) })
			if !bytes.Equal(got, want) {
				t.Errorf("a Profile of %d bytes, want the one of %d bytes that single events make", len(got), len(want))
			}
		})
	}
}

// singly hands over plain events one by one.
func singly(to interface{ Event(*ingest.Event) }, p *ingest.Plains) {
	var e ingest.Event
	for i := range p.Events {
		p.Fill(i, &e)
		to.Event(&e)
	}
}

func TestPlainEventsAreCountedExactlyAsEventsAre(t *testing.T) {
	traffic := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	chunk := ingest.Chunk{Input: traffic}
	first := NewCollector(smallSettings())
	to := first.Begin(chunk)
	to.(*recorder).Plains(plainTraffic())
	first.End(chunk, to, ingest.ChunkStats{Records: 1})
	first.EndInput(traffic, 1)
	first.EndFile(0, 1)
	p := first.Profile()
	n := Nominate(p)
	counted := func(feed func(to *exactBuilder, p *ingest.Plains)) []*ExactKey {
		c := NewCounter(p, n)
		to := c.Begin(chunk)
		feed(to.(*exactBuilder), plainTraffic())
		c.End(chunk, to, ingest.ChunkStats{Records: 1})
		c.EndInput(traffic, 1)
		c.EndFile(0, 1)
		return c.Exact().Keys
	}
	got := counted(func(to *exactBuilder, p *ingest.Plains) { to.Plains(p) })
	want := counted(func(to *exactBuilder, p *ingest.Plains) { singly(to, p) })
	ignored := cmpopts.IgnoreFields(ExactKey{}, "sortTop", "TopSort", "SortKeys", "Latency")
	if diff := cmp.Diff(got, want, ignored); diff != "" || !slices.ContainsFunc(got, func(k *ExactKey) bool { return k != nil }) {
		t.Errorf("of %d nominees (-plain +single):\n%s", len(n.Keys), diff)
	}
}
