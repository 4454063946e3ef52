package parts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/keyheat/keyheat/ingest"
)

// Text is where the lines of parts stand.
type Text interface {
	io.Reader
	io.ReaderAt
}

// IsParts reports whether a text that begins so holds parts.
func IsParts(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(partMagic)) }

// An Index knows where each part stands, and which are missing. It holds no part: its memory is some half
// KiB a part and split.
type Index struct {
	texts  []Text
	names  []string
	heads  map[string]*PartHead
	ids    []string // of heads that lines name, in order of their first
	parts  []entry
	ends   []endMark
	faults []error
}

// An entry is the place of a part.
type entry struct {
	pass  int // index in Index.ids
	split int
	id    ingest.InputID
	chunk int
	sum   uint32 // of the chunk's bytes
	check uint32 // of the line
	text  int
	at    int64
	size  int
}

type endMark struct {
	pass, split int
	check       uint32
	outcome     *Outcome
}

// NewIndex gives an index of nothing.
func NewIndex() *Index { return &Index{heads: map[string]*PartHead{}} }

// Add takes the lines of a text, which must stay readable. The error is one of reading; damaged lines are
// faults that Check tells.
func (x *Index) Add(name string, t Text) error {
	x.texts, x.names = append(x.texts, t), append(x.names, name)
	s := newScanner(t)
	for n := 1; s.scan(); n++ {
		if err := x.line(s); err != nil {
			x.faults = append(x.faults, fmt.Errorf("%s, line %d is damaged: %w", name, n, err))
		}
	}
	return s.end()
}

func (x *Index) line(s *scanner) error {
	body, err := unseal(s.line)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(body, []byte(partMagic+" ")) {
		return fmt.Errorf("it begins with %.20q, not with %q", body, partMagic)
	}
	check, _ := strconv.ParseUint(string(s.line[len(body)+1:]), 16, 32)
	// The last word of a part is its data, which is not looked at here.
	words, rest, err := cut(string(body[:min(len(body), len(partMagic)+8+16+5*20)]), 3)
	switch {
	case err != nil:
		return err
	case words[1] == "part":
		return x.part(words[2], rest, entry{check: uint32(check), text: len(x.texts) - 1, at: s.at, size: len(s.line)})
	}
	_, rest, _ = cut(string(body), 3)
	switch words[1] {
	case "head":
		h := &PartHead{}
		x.heads[words[2]] = h
		if err := json.Unmarshal([]byte(rest), h); err != nil {
			return err
		}
		return h.fault()
	case "end":
		return x.end(words[2], rest, uint32(check))
	}
	return fmt.Errorf("%.20q is no kind of line", words[1])
}

// pass gives the number of a head.
func (x *Index) pass(id string) int {
	at := slices.Index(x.ids, id)
	if at < 0 {
		at, x.ids = len(x.ids), append(x.ids, id)
	}
	return at
}

func (x *Index) part(id, rest string, e entry) error {
	words, _, err := cut(rest, 5)
	if err != nil {
		return err
	}
	e.pass = x.pass(id)
	sum, errSum := strconv.ParseUint(words[4], 16, 32)
	e.sum = uint32(sum)
	err = errors.Join(errSum, numbers(words, &e.split, &e.id.File, &e.id.Member, &e.chunk))
	x.parts = append(x.parts, e)
	return err
}

func (x *Index) end(id, rest string, check uint32) error {
	words, text, err := cut(rest, 1)
	if err != nil {
		return err
	}
	m := endMark{pass: x.pass(id), check: check, outcome: &Outcome{}}
	if err := numbers(words, &m.split); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), m.outcome); err != nil {
		return err
	}
	if n := len(x.ends); n > 0 && bytes.Equal(x.ends[n-1].outcome.Name, m.outcome.Name) {
		m.outcome.Name = x.ends[n-1].outcome.Name // a file has many splits
	}
	x.ends = append(x.ends, m)
	return nil
}

// A Pass is all parts of one pass, each once and none missing.
type Pass struct {
	PartHead
	Outcomes []*Outcome // by split

	index *Index
	parts []entry // in order of source, member and chunk
}

// Check gives the parts of the first pass, and those of the second, nil when there are none. The error
// names what is missing, doubled with other contents, damaged, or of another plan; plan, which may be nil,
// tells the names of splits of which nothing came.
func (x *Index) Check(plan *Plan) (first, second *Pass, err error) {
	if err := listed(x.faults); err != nil {
		return nil, nil, err
	}
	for number, id := range x.ids {
		h := x.heads[id]
		if h == nil {
			return nil, nil, fmt.Errorf("parts %s have no head: a line is missing", id)
		}
		p := &Pass{PartHead: *h, index: x}
		to := &first
		if h.Keys != "" {
			to = &second
		}
		if *to != nil {
			return nil, nil, unlike(&(*to).PartHead, h)
		}
		if plan != nil && plan.Head.Plan != h.Plan {
			return nil, nil, unlike(&PartHead{Head: plan.Head}, h)
		}
		*to = p
		if err := p.collect(x, number, plan); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case first == nil:
		return nil, nil, errors.New("there are no parts of the first pass")
	case second != nil && second.Plan != first.Plan:
		return nil, nil, unlike(&first.PartHead, &second.PartHead)
	}
	return first, second, nil
}

// unlike says how two heads differ.
func unlike(a, b *PartHead) error {
	switch {
	case a.Tool != b.Tool:
		return fmt.Errorf("parts of unlike versions do not merge: keyheat %s and %s", a.Tool, b.Tool)
	case a.Hash != b.Hash:
		return fmt.Errorf("parts of unlike hashes do not merge: %s and %s", a.Hash, b.Hash)
	case a.Settings != b.Settings:
		return fmt.Errorf("parts made with unlike settings do not merge: %+v and %+v", a.Settings, b.Settings)
	case a.Plan != b.Plan:
		return fmt.Errorf("parts of unlike plans do not merge: %s and %s", a.Plan, b.Plan)
	}
	return errors.New("parts that count unlike keys do not merge")
}

// maxFaults bounds the faults that an error lists.
const maxFaults = 10

func listed(faults []error) error {
	if len(faults) > maxFaults {
		faults = append(slices.Clip(faults[:maxFaults]), errors.New("and more"))
	}
	return errors.Join(faults...)
}

// collect takes the lines of a pass out of x.
func (p *Pass) collect(x *Index, number int, plan *Plan) error {
	var faults []error
	marks := map[int]*endMark{}
	for i := range x.ends {
		m := &x.ends[i]
		switch {
		case m.pass != number:
		case m.split >= p.Splits || m.outcome.Source >= p.Sources:
			faults = append(faults, fmt.Errorf("split %d is not of this plan", m.split))
		case marks[m.split] == nil:
			marks[m.split] = m
		case marks[m.split].check != m.check:
			faults = append(faults, fmt.Errorf("%s came twice with unlike ends", m))
		}
	}
	bases := p.bases(marks)
	for _, e := range x.parts {
		if e.pass == number {
			e.id.Member += bases[e.split]
			p.parts = append(p.parts, e)
		}
	}
	faults = append(faults, p.unify(marks)...)
	for i := 0; i < p.Splits && len(faults) <= maxFaults; i++ { // a head may tell of any number
		if m := marks[i]; m != nil {
			faults = append(faults, p.lacking(m, bases[i])...)
			p.Outcomes = append(p.Outcomes, m.outcome)
		} else {
			faults = append(faults, missing(i, p.Splits, plan))
		}
	}
	return listed(faults)
}

// bases gives the number of the first input of each split that is of entries of an archive: how many the
// splits before it hold.
func (p *Pass) bases(marks map[int]*endMark) map[int]int {
	bases, held := map[int]int{}, map[int]int{}
	for _, number := range slices.Sorted(maps.Keys(marks)) {
		if o := marks[number].outcome; o.Entries {
			bases[number] = held[o.Source]
			held[o.Source] += len(o.Members)
		}
	}
	return bases
}

// missing says that nothing, or not all, of a split has come.
func missing(number, of int, plan *Plan) error {
	if plan != nil {
		for i := range plan.Splits {
			if plan.Splits[i].Number == number {
				return fmt.Errorf("%s has not come, or not to its end", &plan.Splits[i])
			}
		}
	}
	return fmt.Errorf("split %d of %d has not come, or not to its end", number, of)
}

// String names the split of an end mark for a person.
func (m *endMark) String() string { return fmt.Sprintf("split %d (%s)", m.split, m.outcome.Name) }

// unify brings the parts into order and leaves each once.
func (p *Pass) unify(marks map[int]*endMark) (faults []error) {
	slices.SortFunc(p.parts, func(a, b entry) int {
		return cmp.Or(a.id.File-b.id.File, a.id.Member-b.id.Member, a.chunk-b.chunk, cmp.Compare(a.check, b.check))
	})
	kept := p.parts[:0]
	for _, e := range p.parts {
		switch n := len(kept); {
		case e.split >= p.Splits:
			faults = append(faults, fmt.Errorf("a part is of split %d, which is not of this plan", e.split))
		case n == 0 || kept[n-1].id != e.id || kept[n-1].chunk != e.chunk:
			kept = append(kept, e)
		case kept[n-1].check != e.check || kept[n-1].split != e.split:
			name := fmt.Sprintf("split %d", e.split)
			if m := marks[e.split]; m != nil {
				name = m.String()
			}
			faults = append(faults, fmt.Errorf("%s came twice with unlike parts: input %d, chunk %d", name, e.id.Member, e.chunk))
		}
	}
	p.parts = kept
	return faults
}

// lacking names the parts of a split that its end mark counts and that did not come; base is the number of
// its first input.
func (p *Pass) lacking(m *endMark, base int) (faults []error) {
	for member, chunks := range m.outcome.Members {
		for chunk := m.outcome.First; chunk < m.outcome.First+chunks; chunk++ {
			if e := p.find(ingest.InputID{File: m.outcome.Source, Member: base + member}, chunk); e == nil || e.split != m.split {
				faults = append(faults, fmt.Errorf("%s: the part of input %d, chunk %d is missing", m, member, chunk))
				if len(faults) > maxFaults {
					return faults
				}
			}
		}
	}
	return faults
}

func (p *Pass) find(id ingest.InputID, chunk int) *entry {
	at, ok := slices.BinarySearchFunc(p.parts, entry{id: id, chunk: chunk}, func(a, b entry) int {
		return cmp.Or(a.id.File-b.id.File, a.id.Member-b.id.Member, a.chunk-b.chunk)
	})
	if !ok {
		return nil
	}
	return &p.parts[at]
}

// A Fold takes the parts of a pass.
type Fold interface {
	AddPart(id ingest.InputID, chunk int, form []byte) error
	EndInput(in *ingest.Input, chunks int)
	EndFile(file, members int)
}

// Fold hands the parts to f, in order of source, input and chunk, one at a time. The error names the part
// that cannot be read, or is that of ctx.
func (p *Pass) Fold(ctx context.Context, f Fold) error {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLine))
	if err != nil {
		return err
	}
	defer unzip.Close()
	left := p.parts
	var line, form []byte
	for source := range p.Sources {
		members := 0
		for len(left) > 0 && left[0].id.File == source {
			chunks, id := 0, left[0].id
			for ; len(left) > 0 && left[0].id == id; left, chunks = left[1:], chunks+1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				line, form, err = p.read(&left[0], unzip, line)
				if err == nil {
					err = f.AddPart(id, left[0].chunk, form)
				}
				if err != nil {
					return fmt.Errorf("split %d (%s), input %d, chunk %d: %w", left[0].split, p.Outcomes[left[0].split].Name, id.Member, left[0].chunk, err)
				}
			}
			f.EndInput(&ingest.Input{ID: id}, chunks)
			members++
		}
		f.EndFile(source, members)
	}
	return nil
}

// read gives what a part holds, in memory of its own; line is used again.
func (p *Pass) read(e *entry, unzip *zstd.Decoder, line []byte) (again, form []byte, err error) {
	line = slices.Grow(line[:0], e.size)[:e.size]
	if _, err := p.index.texts[e.text].ReadAt(line, e.at); err != nil && err != io.EOF {
		return line, nil, err
	}
	body, err := unseal(line)
	if err != nil {
		return line, nil, fmt.Errorf("%s changed: %w", p.index.names[e.text], err)
	}
	data := body[bytes.LastIndexByte(body, ' ')+1:]
	n, err := base64.RawStdEncoding.Decode(data, data)
	if err != nil {
		return line, nil, err
	}
	form, err = unzip.DecodeAll(data[:n], nil)
	return line, form, err
}

// Changed gives the sources of which the passes read unlike bytes.
func Changed(first, second *Pass) (changed []int) {
	differs := map[int]bool{}
	for _, pair := range [][2]*Pass{{first, second}, {second, first}} {
		for i := range pair[0].parts {
			e := &pair[0].parts[i]
			if o := pair[1].find(e.id, e.chunk); o == nil || o.sum != e.sum {
				differs[e.id.File] = true
			}
		}
	}
	for source := range first.Sources {
		if differs[source] {
			changed = append(changed, source)
		}
	}
	return changed
}
