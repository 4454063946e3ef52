package parts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// somePlan has a file of two chunks that are read by themselves, and an archive of two inputs.
func somePlan(t *testing.T, change func(h *Head)) (text string, plan *Plan) {
	t.Helper()
	h := Head{Tool: "test", Hash: "h", Settings: detect.DefaultSettings(), Sources: 2, Reading: []byte(`{"Zone":"UTC"}`), Learnt: []byte(`{}`)}
	if change != nil {
		change(&h)
	}
	splits := []Split{
		{Number: 0, Name: "a b\n\xff", Named: true, Format: "lines", Split: ingest.Split{Size: 100, First: 0, Chunks: 1}},
		{Number: 1, Name: "a b\n\xff", Named: true, Format: "lines", Split: ingest.Split{Size: 100, First: 1, Chunks: 1}},
		{Number: 2, Source: 1, Name: "b.tar", Split: ingest.Split{Size: 70}},
	}
	b := &bytes.Buffer{}
	if err := WritePlan(b, h, splits); err != nil {
		t.Fatal(err)
	}
	plan, err := ReadPlan(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plan.Splits, splits); d != "" {
		t.Fatalf("splits read (-), written (+):\n%s", d)
	}
	return b.String(), plan
}

// partsOf gives the lines that the workers of a plan write.
func partsOf(t *testing.T, plan *Plan, keys string, salt byte) []string {
	t.Helper()
	b := &bytes.Buffer{}
	w, err := NewWriter(b, PartHead{plan.Head, keys})
	if err != nil {
		t.Fatal(err)
	}
	form := func(n byte) []byte { return bytes.Repeat([]byte{n, salt}, 50) }
	w.Part(&plan.Splits[0], 0, 0, 10, form(0))
	w.Part(&plan.Splits[1], 0, 1, 11, form(1))
	w.Part(&plan.Splits[2], 0, 0, 12, form(2))
	w.Part(&plan.Splits[2], 1, 0, 13, form(3))
	w.Part(&plan.Splits[2], 1, 1, 14, form(4))
	w.End(&plan.Splits[0], Outcome{Members: []int{1}})
	w.End(&plan.Splits[1], Outcome{Members: []int{1}})
	w.End(&plan.Splits[2], Outcome{Members: []int{1, 2}})
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(b.String()))
}

// told is a Fold that writes down what it is told.
type told []string

func (f *told) AddPart(id ingest.InputID, chunk int, form []byte) error {
	*f = append(*f, fmt.Sprintf("part %d %d %d %d*%d", id.File, id.Member, chunk, form[0], len(form)))
	return nil
}

func (f *told) EndInput(in *ingest.Input, chunks int) {
	*f = append(*f, fmt.Sprintf("input %d %d %d", in.ID.File, in.ID.Member, chunks))
}

func (f *told) EndFile(file, members int) {
	*f = append(*f, fmt.Sprintf("file %d %d", file, members))
}

func checked(lines []string, plan *Plan) (first, second *Pass, err error) {
	x := NewIndex()
	if err := x.Add("parts.txt", bytes.NewReader([]byte(strings.Join(lines, "")))); err != nil {
		return nil, nil, err
	}
	return x.Check(plan)
}

func TestPartsAreFoldedInTheirOrderWhateverThatOfArrival(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	_, plan := somePlan(t, nil)
	all := partsOf(t, plan, "", 0)
	want := told{
		"part 0 0 0 0*100", "part 0 0 1 1*100", "input 0 0 2", "file 0 1",
		"part 1 0 0 2*100", "input 1 0 1", "part 1 1 0 3*100", "part 1 1 1 4*100", "input 1 1 2", "file 1 2",
	}
	for range 50 {
		lines := append(slices.Clone(all), all[:rng.IntN(len(all))]...)
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		first, second, err := checked(lines, nil)
		if err != nil || second != nil {
			t.Fatalf("second pass %v, error %v", second, err)
		}
		got := told{}
		if err := first.Fold(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Fatalf("folded (-), want (+):\n%s", d)
		}
	}
}

func TestInputsOfAnArchiveAreNumberedThroughItsSplits(t *testing.T) {
	h := Head{Tool: "test", Hash: "h", Settings: detect.DefaultSettings(), Sources: 1, Reading: []byte(`{}`), Learnt: []byte(`{}`)}
	splits := []Split{
		{Number: 0, Name: "b.zip", Named: true, Split: ingest.Split{Size: 70, Entries: 3}},
		{Number: 1, Name: "b.zip", Named: true, Split: ingest.Split{Size: 70, Entry: 3, Entries: 2}},
		{Number: 2, Name: "b.zip", Named: true, Split: ingest.Split{Size: 70, Entry: 5, Entries: ingest.RestOfEntries}},
	}
	b := &bytes.Buffer{}
	if err := WritePlan(b, h, splits); err != nil {
		t.Fatal(err)
	}
	plan, err := ReadPlan(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plan.Splits, splits); d != "" {
		t.Fatalf("splits read (-), written (+):\n%s", d)
	}
	b.Reset()
	w, err := NewWriter(b, PartHead{plan.Head, ""})
	if err != nil {
		t.Fatal(err)
	}
	w.Part(&plan.Splits[2], 0, 0, 10, []byte{3})
	w.End(&plan.Splits[2], Outcome{Members: []int{1}})
	w.End(&plan.Splits[1], Outcome{}) // what it held was no log
	w.Part(&plan.Splits[0], 1, 0, 11, []byte{1})
	w.Part(&plan.Splits[0], 1, 1, 12, []byte{2})
	w.Part(&plan.Splits[0], 0, 0, 13, []byte{0})
	w.End(&plan.Splits[0], Outcome{Members: []int{1, 2}})
	lines := slices.Collect(strings.Lines(b.String()))
	first, _, err := checked(lines, plan)
	if err != nil {
		t.Fatal(err)
	}
	got, want := told{}, told{"part 0 0 0 0*1", "input 0 0 1", "part 0 1 0 1*1", "part 0 1 1 2*1", "input 0 1 2", "part 0 2 0 3*1", "input 0 2 1", "file 0 3"}
	if err := first.Fold(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("folded (-), want (+):\n%s", d)
	}
	_, _, err = checked(slices.Delete(slices.Clone(lines), 1, 2), plan)
	if want := "split 2 (b.zip): the part of input 0, chunk 0 is missing"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestWhatIsWrongWithPartsIsNamed(t *testing.T) {
	_, plan := somePlan(t, nil)
	all := partsOf(t, plan, "", 0)
	without := func(i ...int) []string {
		kept := []string{}
		for at, l := range all {
			if !slices.Contains(i, at) {
				kept = append(kept, l)
			}
		}
		return kept
	}
	other := func(change func(h *Head)) []string {
		_, p := somePlan(t, change)
		return append(slices.Clone(all), partsOf(t, p, "", 0)...)
	}
	for name, c := range map[string]struct {
		lines []string
		plan  *Plan
		want  string
	}{
		"nothing came":                      {nil, nil, "there are no parts of the first pass"},
		"a part of an archive is missing":   {without(5), nil, "split 2 (b.tar): the part of input 1, chunk 1 is missing"},
		"a split is missing":                {without(3, 4, 5, 8), nil, "split 2 of 3 has not come"},
		"a split is missing, with its plan": {without(3, 4, 5, 8), plan, "split 2 (b.tar) has not come"},
		"an end mark is missing":            {without(8), plan, "split 2 (b.tar) has not come, or not to its end"},
		"the head is missing":               {without(0), nil, "have no head"},
		"a part came twice, unlike":         {append(slices.Clone(all), partsOf(t, plan, "", 1)...), nil, "split 2 (b.tar) came twice with unlike parts: input 1, chunk 0"},
		"parts of another plan":             {other(func(h *Head) { h.Reading = []byte(`{}`) }), nil, "parts of unlike plans do not merge"},
		"parts of another version":          {other(func(h *Head) { h.Tool = "next" }), nil, "parts of unlike versions do not merge: keyheat test and next"},
		"parts of another chunk size":       {other(func(h *Head) { h.Settings.Chunk++ }), nil, "parts made with unlike settings do not merge"},
		"parts of another hash":             {other(func(h *Head) { h.Hash = "g" }), nil, "parts of unlike hashes do not merge"},
		"only parts of a second pass":       {partsOf(t, plan, "k", 0), nil, "there are no parts of the first pass"},
		"second passes of unlike keys":      {slices.Concat(all, partsOf(t, plan, "k", 0), partsOf(t, plan, "l", 0)), nil, "parts that count unlike keys do not merge"},
		"a part of the second pass missing": {slices.Concat(all, partsOf(t, plan, "k", 0)[:8]), nil, "split 2 of 3 has not come"},
		"a line of something else":          {append(slices.Clone(all), "hello\n"), nil, "parts.txt, line 10 is damaged: the line is cut"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := checked(c.lines, c.plan)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestNoByteOfPartsCanChangeOrBeCutUnseen(t *testing.T) {
	_, plan := somePlan(t, nil)
	text := strings.Join(partsOf(t, plan, "", 0), "")
	for at := range text {
		for _, b := range []byte{text[at] ^ 1, '0', '\n', ' '} {
			if b == text[at] || b == '\n' && strings.ContainsRune("\n", rune(text[at])) {
				continue
			}
			if _, _, err := checked([]string{text[:at], string(b), text[at+1:]}, nil); err == nil {
				t.Fatalf("byte %d is %q in place of %q, and nothing is said", at, b, text[at])
			}
		}
		if _, _, err := checked([]string{text[:at]}, nil); err == nil && at < len(text)-1 {
			t.Fatalf("cut at byte %d of %d, and nothing is said", at, len(text))
		}
	}
}

func TestATextThatChangesBeforeItIsFoldedIsNamed(t *testing.T) {
	_, plan := somePlan(t, nil)
	text := []byte(strings.Join(partsOf(t, plan, "", 0), ""))
	x := NewIndex()
	if err := x.Add("parts.txt", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	first, _, err := x.Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	text[first.parts[3].at+60] ^= 1
	if err := first.Fold(t.Context(), &told{}); err == nil || !strings.Contains(err.Error(), "split 2 (b.tar), input 1, chunk 0: parts.txt changed") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Fold(ctx, &told{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled fold", err)
	}
}

func TestPassesThatReadOtherBytesAreTold(t *testing.T) {
	_, plan := somePlan(t, nil)
	second := partsOf(t, plan, "k", 0)
	for i, l := range second {
		if strings.Contains(l, " 2 1 1 0 0000000d ") { // the first chunk of the archive's second input
			body, err := unseal([]byte(strings.TrimSpace(strings.Replace(l, "0000000d", "000000ff", 1))))
			if err == nil {
				t.Fatal("a changed line passes")
			}
			_ = body
			l = strings.Replace(l, "0000000d", "000000ff", 1)
			second[i] = string(seal(strings.Fields(l)[:len(strings.Fields(l))-1]...))
		}
	}
	a, b, err := checked(append(partsOf(t, plan, "", 0), second...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Changed(a, b), []int{1}); d != "" {
		t.Errorf("changed sources (-), want (+):\n%s", d)
	}
	if got := Changed(a, a); got != nil {
		t.Errorf("changed sources of a pass and itself: %v", got)
	}
}

func TestFaultsOfAPlanAreNamed(t *testing.T) {
	text, plan := somePlan(t, nil)
	another, _ := somePlan(t, func(h *Head) { h.Reading = []byte(`{}`) })
	lines, others := slices.Collect(strings.Lines(text)), slices.Collect(strings.Lines(another))
	if got, err := ReadPlan(strings.NewReader(lines[3] + lines[3] + lines[0] + "\n")); err != nil || len(got.Splits) != 1 || got.Splits[0] != plan.Splits[2] {
		t.Errorf("some lines in another order give %+v, error %v", got, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                {"", "the plan has no head"},
		"no head":                {lines[1] + lines[2], "the plan has no head"},
		"a split of another":     {lines[0] + others[1], "line 2 of the plan: it is of plan"},
		"a split before":         {others[1] + lines[0], "line 2 of the plan: it is of plan"},
		"a cut line":             {lines[0] + lines[1][:30], "line 2 of the plan: "},
		"a changed line":         {lines[0] + strings.Replace(lines[1], " 0 0 ", " 0 1 ", 1), "line 2 of the plan: its checksum is wrong"},
		"a part":                 {lines[0] + string(seal(partMagic, "end", "x", "0", "{}")), "line 2 of the plan: it begins with"},
		"a split beyond the end": {lines[0] + string(seal(planMagic, "split", plan.Head.Plan, `3 0 whole 9 named - "x"`)), "split 3 (x) is not of this plan"},
		"a name without quotes":  {lines[0] + string(seal(planMagic, "split", plan.Head.Plan, `2 0 whole 9 named - x`)), "line 2 of the plan: invalid syntax"},
		"a number below zero":    {lines[0] + string(seal(planMagic, "split", plan.Head.Plan, `-2 0 whole 9 named - "x"`)), `"-2" is no number`},
	} {
		if _, err := ReadPlan(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestKeysComeBackAsTheyWere(t *testing.T) {
	form := []byte{0, 1, 2, 255, '\n'}
	line, digest := Keys(form)
	got, same, err := ReadKeys(bytes.NewReader(line))
	if err != nil || !bytes.Equal(got, form) || same != digest {
		t.Errorf("got %v with digest %s, want %s; error %v", got, same, digest, err)
	}
	for at := range line[:len(line)-1] {
		bad := bytes.Clone(line)
		bad[at] ^= 1
		if _, _, err := ReadKeys(bytes.NewReader(bad)); err == nil {
			t.Errorf("a change of byte %d is not seen", at)
		}
	}
}

func FuzzIndex(f *testing.F) {
	h := detect.DefaultSettings()
	b := &bytes.Buffer{}
	w, err := NewWriter(b, PartHead{Head{Settings: h, Sources: 1, Splits: 1, Reading: []byte("{}"), Plan: "p"}, ""})
	if err != nil {
		f.Fatal(err)
	}
	w.Part(&Split{}, 0, 0, 1, []byte("form"))
	w.End(&Split{}, Outcome{Members: []int{1}})
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		sealed := [][]byte{}
		for _, l := range bytes.Split(text, []byte("\n")) { // without sums nothing would get through
			if at := bytes.LastIndexByte(l, ' '); at > 0 {
				sealed = append(sealed, seal(string(l[:at])))
			}
		}
		x := NewIndex()
		if err := x.Add("fuzz", bytes.NewReader(bytes.Join(sealed, nil))); err != nil {
			return
		}
		if first, _, err := x.Check(nil); err == nil {
			if err := first.Fold(t.Context(), &quiet{}); err != nil {
				return
			}
		}
	})
}

// quiet is a Fold that drops everything.
type quiet struct{}

func (quiet) AddPart(ingest.InputID, int, []byte) error { return nil }
func (quiet) EndInput(*ingest.Input, int)               {}
func (quiet) EndFile(int, int)                          {}
