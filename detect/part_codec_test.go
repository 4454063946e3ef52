package detect

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// feed hands the events of a load to a handler, in chunks of so many, of inputs of so many chunks.
func (l load) feed(seed uint64, chunk, chunks int, h ingest.Handler) {
	format := &ingest.Format{Name: "test", Coverage: ingest.Traffic}
	in := &ingest.Input{Name: "test", Format: format}
	n, index := 0, 0
	var sink ingest.Sink
	end := func() {
		h.End(ingest.Chunk{Input: in, Index: index}, sink, ingest.ChunkStats{Records: uint64(n), Lines: uint64(n)})
		sink, n, index = nil, 0, index+1
	}
	endInput := func() {
		h.EndInput(in, index)
		h.EndFile(in.ID.File, 1)
		in, index = &ingest.Input{ID: ingest.InputID{File: in.ID.File + 1}, Name: "next", Format: format}, 0
	}
	l.each(seed, func(e *ingest.Event) {
		if index == chunks {
			endInput()
		}
		if sink == nil {
			sink = h.Begin(ingest.Chunk{Input: in, Index: index})
		}
		e.At.Line = uint64(n + 1)
		sink.Event(e)
		if n == 7 {
			sink.Problem(ingest.Problem{Cause: "cause", Text: "text", At: e.At})
			sink.Skip("kind")
		}
		if n++; n == chunk {
			end()
		}
	})
	if sink != nil {
		end()
	}
	endInput()
}

// A carrier takes parts and hands them on in another order.
type carrier struct {
	places []ingest.InputID
	chunks []int
	forms  [][]byte
}

func (c *carrier) give(chunk ingest.Chunk, _ ingest.ChunkStats, form []byte) {
	c.places, c.chunks, c.forms = append(c.places, chunk.Input.ID), append(c.chunks, chunk.Index), append(c.forms, form)
}

// partTaker is a Collector or an ExactCounter.
type partTaker interface {
	AddPart(id ingest.InputID, chunk int, form []byte) error
	EndInput(in *ingest.Input, chunks int)
	EndFile(file, members int)
}

func (c *carrier) deliver(t *testing.T, seed uint64, to partTaker) {
	t.Helper()
	files := 0
	for _, i := range rand.New(rand.NewPCG(seed, 2)).Perm(len(c.forms)) {
		if err := to.AddPart(c.places[i], c.chunks[i], bytes.Clone(c.forms[i])); err != nil {
			t.Fatal(err)
		}
		files = max(files, c.places[i].File+1)
	}
	for f := range files {
		to.EndInput(&ingest.Input{ID: ingest.InputID{File: f}}, 0)
		to.EndFile(f, 1)
	}
}

func TestPartsThatWereCarriedGiveTheProfileOfOneProcess(t *testing.T) {
	for _, l := range loads {
		for _, chunk := range []int{100, 900, 20_000} { // held as events, both, Profiles
			t.Run(fmt.Sprintf("%s, chunks of %d", l.name, chunk), func(t *testing.T) {
				l.events, l.sortKey, l.columns = min(l.events, 20_000), true, true
				seed, s := uint64(chunk), smallSettings()
				whole := NewCollector(s)
				l.feed(seed, chunk, 5, whole)
				want := whole.Profile()
				wantForm, _ := want.MarshalBinary()
				c := &carrier{}
				l.feed(seed, chunk, 5, NewPartMaker(s, c.give))
				parts := NewCollector(s)
				c.deliver(t, seed, parts)
				if got, _ := parts.Profile().MarshalBinary(); !bytes.Equal(got, wantForm) {
					t.Fatalf("the Profile of %d parts differs from the one of one process", len(c.forms))
				}

				nominees := Nominate(want)
				nominees.ByColumns(want, []string{"v", "w"})
				form, _ := nominees.MarshalBinary()
				read, err := ReadNominees(form)
				if err != nil {
					t.Fatal(err)
				}
				counter := NewCounter(want, nominees)
				l.feed(seed, chunk, 5, counter)
				c = &carrier{}
				l.feed(seed, chunk, 5, NewCountMaker(s, read, c.give))
				merged := NewCounter(want, nominees)
				c.deliver(t, seed, merged)
				a, b := counter.Exact(), merged.Exact()
				for i := range a.Keys {
					if d := diffExact(b.Keys[i], a.Keys[i]); d != "" {
						t.Fatalf("key %q, carried (-), of one process (+):\n%s", nominees.Keys[i].Key, d)
					}
				}
				if d := cmp.Diff(b.Sizes, a.Sizes); d != "" {
					t.Fatalf("sizes carried (-), of one process (+):\n%s", d)
				}
			})
		}
	}
}

// diffExact compares counts by their serialised form, and says how they differ.
func diffExact(a, b *ExactKey) string {
	switch {
	case a == nil && b == nil:
		return ""
	case a == nil || b == nil:
		return fmt.Sprintf("%v and %v", a, b)
	}
	x, y := encoder{}, encoder{}
	x.exactKey(a)
	y.exactKey(b)
	if bytes.Equal(x.b, y.b) {
		return cmp.Diff(a.TopSort, b.TopSort)
	}
	return cmp.Diff(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
}

// somePartForms gives the serialised forms of some parts of each kind.
func somePartForms() (forms [][]byte, s Settings, n *Nominees) {
	s = smallSettings()
	l := loads[0]
	l.events, l.sortKey, l.columns, l.nodes = 300, true, true, 2
	c := &carrier{}
	l.feed(1, 100, 9, NewPartMaker(s, c.give))
	l.events = 1500
	l.feed(1, 1500, 9, NewPartMaker(s, c.give))
	whole := NewCollector(s)
	l.feed(1, 1500, 9, whole)
	n = Nominate(whole.Profile())
	n.ByColumns(whole.Profile(), []string{"v", "w"})
	l.feed(1, 1500, 9, NewCountMaker(s, n, c.give))
	l.events = 300
	l.feed(1, 100, 9, NewCountMaker(s, n, c.give))
	return c.forms, s, n
}

func TestAPartThatIsCutOrOfOtherSettingsIsRefused(t *testing.T) {
	forms, s, n := somePartForms()
	kinds := map[byte]bool{}
	for _, form := range forms {
		kinds[form[0]] = true
		for cut := 0; cut < len(form); cut += 1 + len(form)/4096 { // each place of small ones
			if _, err := readPart(form[:cut], s); err == nil && form[0] == partProfile {
				t.Fatalf("a Profile cut to %d of %d bytes is read", cut, len(form))
			} else if err != nil && !errors.Is(err, ErrPart) {
				t.Fatalf("error %v is no ErrPart", err)
			}
			if _, err := readExactPart(form[:cut], n); err == nil && form[0] != partExact && form[0] != partHeld {
				t.Fatalf("a part of kind %c is read as counts", form[0])
			}
		}
		other := s
		other.Fan++
		if _, err := readPart(form, other); form[0] == partProfile && !errors.Is(err, ErrUnlike) {
			t.Errorf("a part of another fan: error %v", err)
		}
	}
	if !kinds[partProfile] || !kinds[partEvents] || !kinds[partExact] || !kinds[partHeld] {
		t.Errorf("only kinds %v were tried", kinds)
	}
}

func FuzzReadPart(f *testing.F) {
	forms, s, n := somePartForms()
	for _, form := range forms {
		f.Add(form)
	}
	keys, _ := n.MarshalBinary()
	f.Add(append([]byte{'N'}, keys...))
	f.Fuzz(func(t *testing.T, form []byte) {
		c := NewCollector(s)
		if c.AddPart(ingest.InputID{}, 0, form) == nil && c.AddPart(ingest.InputID{}, 1, form) == nil {
			c.EndInput(&ingest.Input{}, 2)
			c.EndFile(0, 1)
			Nominate(c.Profile())
		}
		x := NewCounter(&Profile{Settings: s}, n)
		if x.AddPart(ingest.InputID{}, 0, form) == nil && x.AddPart(ingest.InputID{}, 1, form) == nil {
			x.EndInput(&ingest.Input{}, 2)
			x.EndFile(0, 1)
			x.Exact()
		}
		if len(form) > 0 {
			if read, err := ReadNominees(form[1:]); err == nil {
				NewCounter(&Profile{Settings: s}, read)
			}
		}
	})
}
