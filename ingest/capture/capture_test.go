package capture

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// A tape is Streams that remember what they are handed.
type tape struct {
	inputs  []ingest.LiveInput
	records []any // of recorded
	notes   []string
}

type recorded struct {
	Input  int
	Record any
}

func (t *tape) Open(in ingest.LiveInput) ingest.Sink {
	t.inputs = append(t.inputs, in)
	return &taped{t, len(t.inputs) - 1}
}

func (t *tape) Note(text string) { t.notes = append(t.notes, text) }

type taped struct {
	tape  *tape
	input int
}

func (t *taped) add(v any) { t.tape.records = append(t.tape.records, recorded{t.input, v}) }

func (t *taped) Event(e *ingest.Event)    { t.add(cloned(*e)) }
func (t *taped) State(s *ingest.State)    { t.add(cloned(*s)) }
func (t *taped) Fact(f *ingest.Fact)      { t.add(cloned(*f)) }
func (t *taped) Point(p *ingest.Point)    { t.add(cloned(*p)) }
func (t *taped) Problem(p ingest.Problem) { t.add(p) }
func (t *taped) Skip(kind string)         { t.add(kind) }

// cloned gives v with copies of its bytes, which are valid during the call only; empty ones are as good as
// none, and positions no part of a capture.
func cloned[T any](v T) T {
	s := reflect.ValueOf(&v).Elem()
	for i := range s.NumField() {
		switch f := s.Field(i); {
		case f.CanSet() && f.Type() == reflect.TypeFor[[]byte]():
			f.SetBytes(append([]byte(nil), f.Bytes()...))
		case f.CanSet() && f.Type() == reflect.TypeFor[[]ingest.Change]():
			changes := []ingest.Change(nil)
			for _, c := range f.Interface().([]ingest.Change) {
				changes = append(changes, cloned(c))
			}
			f.Set(reflect.ValueOf(changes))
		case f.Type() == reflect.TypeFor[ingest.Position]():
			f.SetZero()
		}
	}
	return v
}

// most are the largest values of types that have few.
var most = map[reflect.Type]uint64{
	reflect.TypeFor[ingest.Store]():       uint64(ingest.Scylla),
	reflect.TypeFor[ingest.Op]():          uint64(ingest.Ops) - 1,
	reflect.TypeFor[ingest.Throttle]():    uint64(ingest.Throttles) - 1,
	reflect.TypeFor[ingest.Coverage]():    uint64(ingest.StateOnly),
	reflect.TypeFor[ingest.Consistency](): uint64(ingest.Strong),
	reflect.TypeFor[ingest.Witness]():     uint64(ingest.Witnesses) - 1,
	reflect.TypeFor[ingest.Measure]():     uint64(ingest.Measures) - 1,
}

// scramble sets each exported field of a struct, also those that are added one day, to a random value.
func scramble(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scramble(r, v.Field(i))
			}
		}
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Uint8:
		v.SetUint(r.Uint64N(most[v.Type()] + 1))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, math.MaxUint64 >> (64 - v.Type().Bits()), r.Uint64N(1000)}[r.IntN(4)])
	case reflect.Int64:
		v.SetInt([]int64{0, 1, math.MinInt64, math.MaxInt64, 1780567200e9 + r.Int64N(1e12)}[r.IntN(5)])
	case reflect.String:
		v.SetString(string(randomBytes(r, 30)))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]byte]() {
			v.SetBytes(randomBytes(r, 1000))
			return
		}
		list := reflect.MakeSlice(v.Type(), r.IntN(4), 4)
		for i := range list.Len() {
			scramble(r, list.Index(i))
		}
		v.Set(list)
	default:
		panic(v.Kind())
	}
}

func randomBytes(r *rand.Rand, most int) []byte {
	b := make([]byte, []int{0, r.IntN(most), r.IntN(8)}[r.IntN(3)])
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

// measure calls each method of an event that sets a measure, or does not.
func measure(r *rand.Rand, e *ingest.Event) {
	v := reflect.ValueOf(e)
	for i := range v.NumMethod() {
		if !strings.HasPrefix(v.Type().Method(i).Name, "Set") || r.IntN(3) == 0 {
			continue
		}
		arg := reflect.New(v.Method(i).Type().In(0)).Elem()
		scramble(r, arg)
		v.Method(i).Call([]reflect.Value{arg})
	}
}

func scrambled[T any](r *rand.Rand) *T {
	v := new(T)
	scramble(r, reflect.ValueOf(v).Elem())
	return v
}

// play hands over random records, the same to each of the Streams.
func play(seed uint64, n int, all ...ingest.Streams) {
	r := rand.New(rand.NewPCG(seed, 0))
	sinks := [][]ingest.Sink{}
	each := func(do func(to ingest.Sink)) {
		i := r.IntN(len(sinks))
		for _, to := range sinks[i] {
			do(to)
		}
	}
	for i := range n {
		switch k := r.IntN(8); {
		case k == 0 && len(sinks) < 20 || len(sinks) == 0:
			in := ingest.LiveInput{
				Name: fmt.Sprint("input ", i), Node: string(randomBytes(r, 20)),
				Format: &ingest.Format{Name: "format", Coverage: ingest.Coverage(r.IntN(4))},
			}
			opened := []ingest.Sink{}
			for _, to := range all {
				opened = append(opened, to.Open(in))
			}
			sinks = append(sinks, opened)
		case k == 1:
			s := scrambled[ingest.State](r)
			each(func(to ingest.Sink) { to.State(s) })
		case k == 2:
			f := scrambled[ingest.Fact](r)
			each(func(to ingest.Sink) { to.Fact(f) })
		case k == 3:
			p := scrambled[ingest.Point](r)
			each(func(to ingest.Sink) { to.Point(p) })
		case k == 4:
			p := ingest.Problem{Cause: fmt.Sprint("cause ", r.IntN(10)), Text: string(randomBytes(r, ingest.MaxProblemText))}
			each(func(to ingest.Sink) { to.Problem(p) })
		case k == 5:
			each(func(to ingest.Sink) { to.Skip("kind " + fmt.Sprint(i%3)) })
		case k == 6 && r.IntN(10) == 0:
			for _, to := range all {
				to.Note(fmt.Sprint("note ", i))
			}
		default:
			e := scrambled[ingest.Event](r)
			e.Columns = nil // no source gives any
			measure(r, e)
			each(func(to ingest.Sink) { to.Event(e) })
		}
	}
}

func unexpected(t *testing.T) func() { return func() { t.Error("writing failed") } }

func TestACaptureGivesBackEveryFieldOfEachRecord(t *testing.T) {
	for range 20 {
		seed := rand.Uint64()
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		want, got := &tape{}, &tape{}
		var file bytes.Buffer
		w, err := newWriter(&file, "test://me@host", unexpected(t), mem)
		if err != nil {
			t.Fatal(err)
		}
		play(seed, 2000, want, w)
		if err := w.Close(nil); err != nil {
			t.Fatal(err)
		}
		r, err := newReader(&file, mem)
		if err == nil {
			err = r.Collect(t.Context(), got)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got.records) > len(want.records) {
			t.Fatalf("seed %d: %d records, want %d", seed, len(got.records), len(want.records))
		}
		for i := range want.records { // cmp.Diff is slow, so only of what differs
			if i >= len(got.records) || !reflect.DeepEqual(got.records[i], want.records[i]) {
				t.Fatalf("seed %d: record %d of %d: got (-), want (+):\n%s", seed, i, len(got.records),
					cmp.Diff(got.records[i:min(i+1, len(got.records))], want.records[i:i+1], cmp.AllowUnexported(ingest.Event{})))
			}
		}
		if d := cmp.Diff(got.inputs, want.inputs, cmpopts.IgnoreFields(ingest.Format{}, "Sniff", "Begins", "New", "Open")); d != "" {
			t.Errorf("seed %d: inputs: got (-), want (+):\n%s", seed, d)
		}
		if d := cmp.Diff(got.notes, want.notes); d != "" {
			t.Errorf("seed %d: notes: got (-), want (+):\n%s", seed, d)
		}
		mem.AssertSize(t, 0)
	}
}

func TestACaptureTellsWhatItsSourceCouldNotRead(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, "test://me@host", unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(errors.Join(errors.New("10.0.0.1: refused"), errors.New("10.0.0.2: no rights"))); err != nil {
		t.Fatal(err)
	}
	r, err := newReader(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := ingest.Parts(r.Collect(t.Context(), &tape{}))
	want := []error{
		&ingest.PartError{Source: "test://me@host", Err: errors.New("10.0.0.1: refused")},
		&ingest.PartError{Source: "test://me@host", Err: errors.New("10.0.0.2: no rights")},
	}
	texts := cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })
	if d := cmp.Diff(got, want, cmp.FilterPath(func(p cmp.Path) bool { return len(p) > 2 }, texts)); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// A full is a disk that is full after so many bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestAWriteThatFailsIsToldOnce(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	told := 0
	w, err := newWriter(&full{60_000}, "test://host", func() { told++ }, mem)
	if err != nil {
		t.Fatal(err)
	}
	play(1, 50_000, w)
	if err := w.Close(nil); err == nil || !strings.Contains(err.Error(), "no space left") || told != 1 {
		t.Errorf("error %v, told %d times", err, told)
	}
	mem.AssertSize(t, 0)
}

func TestOnlyCapturesAreRecognised(t *testing.T) {
	var file, other bytes.Buffer
	w, err := NewWriter(&file, "test://host", unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := columnar.NewStreamWriter(&other, fields[:], nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		head []byte
		want ingest.Fit
	}{
		{"a capture", file.Bytes(), ingest.Certain},
		{"another stream", other.Bytes(), ingest.No},
		{"text", []byte(`{"pk":"a"}`), ingest.No},
		{"nothing", nil, ingest.No},
	} {
		if got := Format.Sniff(tt.head, ingest.DecodeOptions{}); got.Fit != tt.want || got.Why == "" {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	if file.Len() > 48<<10 {
		t.Errorf("the schema takes %d bytes, of %d that formats are shown", file.Len(), ingest.SniffBytes)
	}
}

// typeNames are what docs/capture.md calls the kinds of columns.
var typeNames = map[columnar.Kind]string{
	columnar.Word: "word", columnar.Name: "name", columnar.Count: "uint64", columnar.Signed: "int64",
	columnar.Moment: "timestamp[ns, UTC]", columnar.Flag: "bool",
}

func TestEachColumnIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/capture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "| column | type | is |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	got, want := []string{}, []string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		got = append(got, strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2]))
	}
	for _, f := range fields {
		want = append(want, f.Name+" "+typeNames[f.Kind])
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("documented (-), written (+):\n%s", d)
	}
}

func TestInputsAreWrittenAtTheSameTime(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, "test://host", unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() { play(seed, 300, w); w.Flush(); w.Note("done") })
	}
	all.Wait()
	records, inputs := w.Records()
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	got := &tape{}
	r, err := newReader(&file, nil)
	if err == nil {
		err = r.Collect(t.Context(), got)
	}
	if err != nil || uint64(len(got.records)) != records || uint64(len(got.inputs)) != inputs {
		t.Errorf("%d records of %d inputs, want %d of %d; error %v", len(got.records), len(got.inputs), records, inputs, err)
	}
}

func TestChangesThatAreCutAreABrokenRow(t *testing.T) {
	whole := appendChanges(nil, []ingest.Change{{Name: []byte("name"), Value: 1, Bytes: 300}, {Value: 1 << 63}})
	if got, err := readChanges(nil, whole); err != nil || len(got) != 2 || got[0].Bytes != 300 || got[1].Value != 1<<63 {
		t.Errorf("%+v, %v", got, err)
	}
	first := len(appendChanges(nil, []ingest.Change{{Name: []byte("name"), Value: 1, Bytes: 300}}))
	for n := range whole {
		if _, err := readChanges(nil, whole[:n]); (err == nil) != (n == 0 || n == first) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := readChanges(nil, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01name")); err == nil {
		t.Error("a name of nearly 2^64 bytes was read")
	}
}
