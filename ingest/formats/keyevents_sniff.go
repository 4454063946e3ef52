package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// survey is what the names and the records of an input's beginning say.
type survey struct {
	ingest.EventsOnly

	plan    *plan
	clash   [fields][]string // by slot: names of one record that stand for the same thing
	likely  []string         // names that may be a partition key
	names   []string         // of the record looked at last
	known   bool             // one of them is a field's
	records int              // looked at
	events  int
	keyed   int // events with a key
	placed  int // events with a key, and a time, table or operation
	foreign int // problems and skips
}

// Event, Problem and Skip count what a decoder made of the beginning.
func (s *survey) Event(e *ingest.Event) {
	s.events++
	_, timed := e.UnixNano()
	if e.KeyKnown {
		s.keyed++
		if timed || len(e.Table) > 0 || e.Op != ingest.OpUnknown {
			s.placed++
		}
	}
}

func (s *survey) Problem(ingest.Problem) { s.foreign++ }
func (s *survey) Skip(string)            { s.foreign++ }

// surveyedRecords is how many records of a beginning are looked at.
const surveyedRecords = 8

// observe notes the names of one record, and reports whether one of them is a field's.
func (s *survey) observe(record []string) (known bool) {
	var seen [fields][]string
	for _, name := range record {
		e := s.plan.names.find([]byte(name))
		if e == nil && plausibleKey(name) && len(s.likely) < 3 && !slices.Contains(s.likely, name) {
			s.likely = append(s.likely, name)
		}
		known = known || e != nil
		if e != nil && e.target.field != fieldNone && !s.plan.mapped[e.target.field.slot()] {
			if slot := e.target.field.slot(); !slices.Contains(seen[slot], name) {
				seen[slot] = append(seen[slot], name)
			}
		}
	}
	for slot, found := range seen {
		if len(found) > 1 && s.clash[slot] == nil {
			s.clash[slot] = found
		}
	}
	return known
}

// plausibleKey reports whether name looks like the identity of something that rows are filed under.
func plausibleKey(name string) bool {
	lower := strings.ToLower(name)
	for _, not := range []string{"request", "trace", "span", "event", "message", "correlation", "parent"} {
		if strings.Contains(lower, not) {
			return false
		}
	}
	for _, end := range []string{"_id", "Id", "ID", "_key", "Key", "uuid"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return slices.Contains([]string{"id", "user", "customer", "tenant", "account", "device", "partition"}, lower)
}

// clashes reports whether names stand for the same thing.
func (s *survey) clashes() bool {
	return slices.ContainsFunc(s.clash[:], func(names []string) bool { return names != nil })
}

// verdict weighs the survey. of names what the records are, for a person.
func (s *survey) verdict(of string) ingest.Verdict {
	for slot, found := range s.clash {
		if found != nil {
			return ingest.Verdict{Fit: ingest.Ambiguous, Why: clashWhy(field(slot), found)}
		}
	}
	switch {
	case s.placed > 0:
		return ingest.Verdict{Fit: ingest.Certain, Why: of + " with a partition key, and a time, table or operation"}
	case s.keyed > 0:
		return ingest.Verdict{Fit: ingest.Possible, Why: of + " with a partition key alone"}
	case s.plan.mapped[fieldKey]:
		return ingest.Verdict{Fit: ingest.Ambiguous, Why: of + " without the field that --map names as the partition key"}
	case len(s.likely) > 0:
		return ingest.Verdict{Fit: ingest.Ambiguous, Why: "no field is named pk, key or partition_key; if it is one of these, say " + mapFlags("pk", s.likely)}
	case s.events > 0:
		return ingest.Verdict{Fit: ingest.Possible, Why: of + " with a table or operation, without a partition key"}
	}
	return ingest.Verdict{Fit: ingest.No, Why: of + " without a partition key, table or operation"}
}

func clashWhy(slot field, found []string) string {
	generic := fieldNames[slot][0]
	if slot == fieldLatency {
		return "latency_us and latency_ms are both there: say --map latency_us=latency_us or --map latency_ms=latency_ms"
	}
	return fmt.Sprintf("%s may all be the field %s: say %s", strings.Join(found, " and "), generic, mapFlags(generic, found))
}

// mapFlags spells the flags to choose from.
func mapFlags(generic string, choices []string) string {
	flags := make([]string, len(choices))
	for i, name := range choices {
		if strings.ContainsAny(name, " '\"$`\\;&|<>()*?[]#~=%!{}\t") {
			name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		}
		flags[i] = "--map " + generic + "=" + name
	}
	return strings.Join(flags, " or ")
}
