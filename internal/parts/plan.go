package parts

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A Head is what all workers of a plan must know: the first line of the plan.
type Head struct {
	Tool     string          // version of keyheat: another one may read records differently
	Hash     string          // of all summaries
	Settings detect.Settings // of the Profile, chunk size and fan among them
	Sources  int
	Splits   int
	Reading  json.RawMessage // how the command reads; of no concern here
	// Learnt is what the command knows beforehand of all inputs. Parts are without it: it may be large.
	Learnt json.RawMessage `json:",omitempty"`
	// Plan is a digest of all that stands above and of every split.
	Plan string
}

// fault reports a head that no plan has.
func (h *Head) fault() error {
	if faults := h.Settings.Validate(); len(faults) > 0 {
		return faults[0]
	}
	if h.Sources < 0 || h.Splits < h.Sources {
		return fmt.Errorf("it counts %d splits of %d sources", h.Splits, h.Sources)
	}
	return nil
}

// A Split is one line of a plan.
type Split struct {
	Number int // from 0 to Head.Splits-1, in order of source and chunk
	Source int // from 0 to Head.Sources-1
	Name   string
	Named  bool // see ingest.Source
	Format string
	ingest.Split
}

// String names the split for a person.
func (s *Split) String() string {
	switch {
	case s.Entries != 0:
		return fmt.Sprintf("split %d (%s, entry %d)", s.Number, s.Name, s.Entry)
	case s.Chunks == 0:
		return fmt.Sprintf("split %d (%s)", s.Number, s.Name)
	}
	return fmt.Sprintf("split %d (%s, chunk %d)", s.Number, s.Name, s.First)
}

// payload is what a line says of the split.
func (s *Split) payload() string {
	named := "found"
	if s.Named {
		named = "named"
	}
	span := "whole"
	switch {
	case s.Entries == ingest.RestOfEntries:
		span = fmt.Sprintf("%d+rest", s.Entry)
	case s.Entries > 0:
		span = fmt.Sprintf("%d+%d-entries", s.Entry, s.Entries)
	case s.Chunks > 0:
		span = fmt.Sprintf("%d+%d", s.First, s.Chunks)
	}
	format := s.Format
	if format == "" {
		format = "-"
	}
	return fmt.Sprintf("%d %d %s %d %s %s %s", s.Number, s.Source, span, s.Size, named, format, strconv.Quote(s.Name))
}

// WritePlan writes a plan: a line for the head, whose digest it sets, and one for each split.
func WritePlan(w io.Writer, h Head, splits []Split) error {
	h.Plan, h.Splits = "", len(splits)
	sum := sha256.New()
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	sum.Write(head)
	for i := range splits {
		fmt.Fprintln(sum, splits[i].payload())
	}
	h.Plan = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	if head, err = json.Marshal(h); err != nil {
		return err
	}
	if _, err = w.Write(seal(planMagic, "head", string(head))); err != nil {
		return err
	}
	for i := range splits {
		if _, err = w.Write(seal(planMagic, "split", h.Plan, splits[i].payload())); err != nil {
			return err
		}
	}
	return nil
}

// A Plan is a plan, or the head and some splits of one.
type Plan struct {
	Head   Head
	Splits []Split // by number

	plan string // of the first line
}

// ReadPlan reads the head of a plan and any of its splits, in any order. Lines that come twice count once.
func ReadPlan(r io.Reader) (*Plan, error) {
	p := &Plan{}
	var faults []error
	s := newScanner(r)
	for n := 1; s.scan(); n++ {
		if err := p.add(s.line); err != nil {
			faults = append(faults, fmt.Errorf("line %d of the plan: %w", n, err))
		}
	}
	if err := errors.Join(append(faults, s.end())...); err != nil {
		return nil, err
	}
	if p.Head.Plan == "" {
		return nil, errors.New("the plan has no head: its first line must be given to every sketch")
	}
	slices.SortFunc(p.Splits, func(a, b Split) int { return a.Number - b.Number })
	p.Splits = slices.Compact(p.Splits)
	for i := range p.Splits {
		s := &p.Splits[i]
		if s.Number >= p.Head.Splits || s.Source >= p.Head.Sources || i > 0 && s.Number == p.Splits[i-1].Number {
			return nil, fmt.Errorf("%s is not of this plan", s)
		}
	}
	return p, nil
}

func (p *Plan) add(line []byte) error {
	body, err := unseal(line)
	if err != nil {
		return err
	}
	words, rest, err := cut(string(body), 2)
	switch {
	case err != nil:
		return err
	case words[0] != planMagic:
		return fmt.Errorf("it begins with %.20q, not with %q", words[0], planMagic)
	case words[1] == "head":
		return p.addHead(rest)
	}
	plan, rest, _ := strings.Cut(rest, " ")
	return p.addSplit(plan, rest)
}

func (p *Plan) addHead(text string) error {
	var h Head
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return err
	}
	if err := h.fault(); err != nil {
		return err
	}
	return p.sameAs(h.Plan, func() { p.Head = h })
}

func (p *Plan) addSplit(plan, text string) error {
	words, name, err := cut(text, 6)
	if err != nil {
		return err
	}
	s := Split{Named: words[4] == "named"}
	if words[5] != "-" {
		s.Format = words[5]
	}
	size := 0
	err = numbers([]string{words[0], words[1], words[3]}, &s.Number, &s.Source, &size)
	s.Size = int64(size)
	if first, many, ok := strings.Cut(words[2], "+"); ok && err == nil {
		entries, ofEntries := strings.CutSuffix(many, "-entries")
		switch {
		case many == "rest":
			s.Entries = ingest.RestOfEntries
			err = numbers([]string{first}, &s.Entry)
		case ofEntries:
			err = numbers([]string{first, entries}, &s.Entry, &s.Entries)
		default:
			err = numbers([]string{first, many}, &s.First, &s.Chunks)
		}
	}
	if err == nil {
		s.Name, err = strconv.Unquote(name)
	}
	if err != nil {
		return err
	}
	return p.sameAs(plan, func() { p.Splits = append(p.Splits, s) })
}

// sameAs does do when the line is of the same plan as those before it.
func (p *Plan) sameAs(plan string, do func()) error {
	if p.plan != "" && p.plan != plan {
		return fmt.Errorf("it is of plan %s, others are of %s", plan, p.plan)
	}
	p.plan = plan
	do()
	return nil
}
