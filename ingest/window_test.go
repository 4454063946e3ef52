package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// timed is a format whose records are Unix seconds, or words.
func timed() *Format {
	f := shapes[0].format()
	f.New = func([]byte, DecodeOptions) (Decoder, error) { return timedDecoder{}, nil }
	return f
}

type timedDecoder struct{}

func (timedDecoder) Decode(r *Record, to Sink) {
	e := Event{Key: r.Data}
	if s, err := strconv.ParseInt(string(r.Data), 10, 64); err == nil {
		e.SetTime(s * 1e9)
	}
	to.Event(&e)
}

func TestWindowKeepsWhatIsInside(t *testing.T) {
	for name, c := range map[string]struct {
		w    Window
		want []string
	}{
		"no bounds":    {Window{}, []string{"10", "20", "word", "-5"}},
		"since":        {Window{Since: 20e9}, []string{SkipOutside, "20", SkipNoTime, SkipOutside}},
		"until":        {Window{Until: 20e9}, []string{"10", SkipOutside, SkipNoTime, "-5"}},
		"both":         {Window{Since: 10e9, Until: 20e9}, []string{"10", SkipOutside, SkipNoTime, SkipOutside}},
		"before 1970":  {Window{Since: -10e9, Until: -1e9}, []string{SkipOutside, SkipOutside, SkipNoTime, "-5"}},
		"not anything": {Window{Since: 30e9}, []string{SkipOutside, SkipOutside, SkipNoTime, SkipOutside}},
	} {
		var out recorded
		out.c.Input = &Input{}
		to := c.w.Filter(&out)
		for _, s := range []string{"10", "20", "word", "-5"} {
			timedDecoder{}.Decode(&Record{Data: []byte(s)}, to)
		}
		var got []string
		for _, s := range out.seen {
			got = append(got, s.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if s := Sink(&recorded{}); (Window{}).Filter(s) != s {
		t.Error("a window without bounds costs a call")
	}
}

// kept counts the states and points that pass.
type kept struct {
	recorded
	states, points int
}

func (k *kept) State(*State) { k.states++ }
func (k *kept) Point(*Point) { k.points++ }

func TestWindowHoldsForStatesAndPoints(t *testing.T) {
	var k kept
	k.c.Input = &Input{}
	to := Window{Since: 10, Until: 20}.Filter(&k)
	for _, at := range []int64{0, 9, 10, 19, 20} {
		to.State(&State{UnixNano: at})
		to.Point(&Point{UnixNano: at})
	}
	if k.states != 3 || k.points != 3 || len(k.seen) != 4 {
		t.Errorf("%d states, %d points, %d skips; want 3, 3 and 4", k.states, k.points, len(k.seen))
	}
}

func TestLatestIsFoundFromTheEnd(t *testing.T) {
	rising := func(n, last int) (b []byte) {
		for i := range n {
			b = fmt.Appendf(b, "%d\n", last-n+1+i)
		}
		return b
	}
	words := bytes.Repeat([]byte("word\n"), 300_000)
	for name, c := range map[string]struct {
		files map[string][]byte
		want  int64
		ok    bool
	}{
		"a small file":                     {map[string][]byte{"a": rising(10, 1000)}, 1000, true},
		"a large file":                     {map[string][]byte{"a": rising(400_000, 5_000_000)}, 5_000_000, true},
		"the latest of several":            {map[string][]byte{"a": rising(400_000, 5_000_000), "b": rising(9, 5_000_001)}, 5_000_001, true},
		"gzip, not in order":               {map[string][]byte{"a": gzipped(t, append(rising(400_000, 5_000_000), rising(400_000, 900_000)...))}, 5_000_000, true},
		"nothing with a time at the end":   {map[string][]byte{"a": append(rising(10, 1000), words...), "b": rising(10, 500)}, 1000, true},
		"nothing with a time at all":       {map[string][]byte{"a": words}, 0, false},
		"a time before 1970 is a time too": {map[string][]byte{"a": rising(1, -7)}, -7, true},
	} {
		_, src := write(t, c.files)
		got, ok, err := Latest(t.Context(), src, Options{Formats: []*Format{timed()}, Files: disk{}, Chunk: 100_000})
		if err != nil || ok != c.ok || got != c.want*1e9 {
			t.Errorf("%s: got %d, %v, %v; want %d, %v", name, got, ok, err, c.want*1e9, c.ok)
		}
	}
}

func TestLatestOfPlainFileReadsItsEndOnly(t *testing.T) {
	dir, src := write(t, map[string][]byte{"a": []byte("77\n")})
	if err := os.Truncate(filepath.Join(dir, "a"), 1<<40); err != nil { // sparse, zero bytes
		t.Fatal(err)
	}
	f, err := os.OpenFile(src[0].Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\n99\n"), 1<<40-4); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	form := timed()
	form.Sniff = func([]byte, DecodeOptions) Verdict { return Verdict{Fit: Certain} }
	got, ok, err := Latest(t.Context(), src, Options{Formats: []*Format{form}, Files: disk{}})
	if err != nil || !ok || got != 99e9 {
		t.Errorf("got %d, %v, %v", got, ok, err)
	}
}

func TestLatestOfStandardInputIsRefused(t *testing.T) {
	_, _, err := Latest(t.Context(), []Source{{Name: "-", Stdin: true}}, lineOptions())
	if !errors.Is(err, ErrLatestOfStream) {
		t.Errorf("error %v", err)
	}
}
