package generate

import (
	"cmp"
	"slices"
)

// A Truth says of generated traffic what a correct and honest report of it must, may and must not
// find, and what was counted while it was written. Its JSON form is an entry of a truth.json.
type Truth struct {
	Case    string       `json:"case"`
	Format  string       `json:"format"`
	Must    []Expected   `json:"must"`
	MustNot []string     `json:"must_not"` // rules; "*" is every one that May does not list
	Facts   Facts        `json:"facts"`
	May     []Expected   `json:"may"`
	Note    string       `json:"note"`
	Tables  []TableTruth `json:"tables"`
}

// An Expected describes a finding; an empty member fits anything.
type Expected struct {
	Rule            string     `json:"rule"`
	Table           string     `json:"table,omitempty"`
	Key             string     `json:"key,omitempty"`
	SeverityAtLeast string     `json:"severity_at_least,omitempty"`
	SeverityAtMost  string     `json:"severity_at_most,omitempty"`
	Evidence        []Evidence `json:"evidence,omitempty"`
}

// An Evidence asks for a number among those of a finding: one of several, within their bounds.
type Evidence struct {
	MeasureContains string   `json:"measure_contains"`
	ValueAny        []uint64 `json:"value_any"`
}

// Facts are the figures of a whole report.
type Facts struct {
	Events         uint64 `json:"events"`
	ProblemsAtMost uint64 `json:"problems_at_most"`
}

// A TableTruth is what was written of one table.
type TableTruth struct {
	Table    string     `json:"table"`
	Requests uint64     `json:"requests"`
	Reads    uint64     `json:"reads"`
	Top      []KeyCount `json:"top"` // the largest ten of the planted keys and the first 2^20/Tables background keys
}

// A KeyCount is the exact number of requests of a key.
type KeyCount struct {
	Key      string `json:"key"`
	Requests uint64 `json:"requests"`
}

const topKeys = 10

func (s *source) truth() *Truth {
	t := &Truth{
		Case: s.kind.Name, Format: "key-events-" + s.o.Format, Note: s.kind.About,
		Must: []Expected{}, MustNot: []string{}, May: []Expected{}, Facts: Facts{Events: s.events},
	}
	for i := range s.tables {
		c := &s.tables[i]
		t.Tables = append(t.Tables, TableTruth{Table: s.tableName(i), Requests: c.requests, Reads: c.reads, Top: s.top(i)})
	}
	s.kind.expect(s, t)
	return t
}

// top gives the largest keys of a table, ties in order of their names.
func (s *source) top(table int) []KeyCount {
	all := []KeyCount{}
	if table == 0 {
		for _, p := range s.planted {
			all = append(all, KeyCount{p.name, p.requests})
		}
	}
	floor := uint64(0) // what a key needs to be among the largest so far
	for number, n := range s.counts[table] {
		if n == 0 || n < floor {
			continue
		}
		if all = append(all, KeyCount{keyName(uint64(number)), n}); len(all) >= 64*topKeys {
			all = largest(all)
			floor = all[len(all)-1].Requests
		}
	}
	return largest(all)
}

func largest(all []KeyCount) []KeyCount {
	slices.SortFunc(all, func(a, b KeyCount) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(len(all), topKeys)]
}

// The floors below which a report may stay silent, from docs/rules.md: what is expected is what passes
// them clearly; what lies near them is allowed.
const (
	hotRequests  = 30
	hotTable     = 100
	hotShare     = 200 // thousandths of the table's requests
	skewRequests = 10_000
	fewRequests  = 1_000
	movingEach   = 100
	nodeRequests = 1_000
)

// mustIf asks for a finding when its floors are clearly passed, and else allows it.
func (t *Truth) mustIf(clear bool, e Expected) {
	if clear {
		t.Must = append(t.Must, e)
	} else {
		t.May = append(t.May, e)
	}
}

// forbid says that the other rules of traffic find nothing.
func (t *Truth) forbid(rules ...string) { t.MustNot = append(t.MustNot, rules...) }

func expectNothing(_ *source, t *Truth) { t.forbid("*") }

// hotFinding expects the finding of a key that takes share thousandths of the first table's traffic,
// for a time in which the table had so many requests.
func (t *Truth) hotFinding(key string, of, table, share uint64) {
	e := Expected{Rule: "hot-partition", Table: t.Tables[0].Table, Key: key, SeverityAtLeast: "low"}
	t.mustIf(of >= 2*hotRequests && table >= 2*hotTable && share >= hotShare+50, e)
}

func (t *Truth) requestsOf(key string) uint64 {
	top := t.Tables[0].Top
	if i := slices.IndexFunc(top, func(k KeyCount) bool { return k.Key == key }); i >= 0 {
		return top[i].Requests
	}
	return 0
}

func expectHot(s *source, t *Truth) {
	key, table := keyName(min(hotKey, s.o.Keys-1)), t.Tables[0].Requests
	of := t.requestsOf(key)
	t.hotFinding(key, of, table, mulDiv(of, 1000, max(table, 1)))
	t.forbid("moving-hot-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
}

func expectMoving(s *source, t *Truth) {
	table := t.Tables[0].Table
	least := s.planted[0].requests
	for _, p := range s.planted {
		least = min(least, p.requests)
	}
	t.mustIf(least >= 2*movingEach && s.o.Share >= hotShare+50, Expected{Rule: "moving-hot-key", Table: table})
	for _, p := range s.planted {
		t.May = append(t.May, Expected{Rule: "hot-partition", Table: table, Key: p.name})
	}
	t.forbid("skewed-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
}

// expectBurst expects a key that is hot for a while when five minutes of it are clearly enough.
func expectBurst(s *source, t *Truth) {
	inFive := mulDiv(s.events, 5, s.o.Minutes) / min(s.o.Tables, 2)
	t.hotFinding(burstKey, inFive*burstShare/1000, inFive, burstShare)
	t.forbid("moving-hot-key", "skewed-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
}

func expectQueue(s *source, t *Truth) {
	e := Expected{Rule: "tombstone-dense-read", Table: t.Tables[0].Table, SeverityAtLeast: "low"}
	e.Evidence = []Evidence{{MeasureContains: "tombstone", ValueAny: []uint64{s.reads.largest, s.reads.total}}}
	t.mustIf(s.reads.reads >= 3, e)
	t.forbid("hot-partition", "moving-hot-key", "skewed-key", "low-cardinality-key", "hot-node")
}

func expectGrowing(_ *source, t *Truth) {
	t.May = append(t.May, Expected{Rule: "growing-partition", Table: t.Tables[0].Table, Key: growingKey, SeverityAtMost: "low"})
	t.forbid("hot-partition", "moving-hot-key", "skewed-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
}

func expectSkewed(_ *source, t *Truth) {
	t.mustIf(t.Tables[0].Requests >= skewRequests, Expected{Rule: "skewed-key", Table: t.Tables[0].Table})
	t.forbid("hot-partition", "moving-hot-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
}

func expectFew(_ *source, t *Truth) {
	t.mustIf(t.Tables[0].Requests >= fewRequests, Expected{Rule: "low-cardinality-key", Table: t.Tables[0].Table})
	t.forbid("hot-partition", "moving-hot-key", "skewed-key", "hot-node", "tombstone-dense-read")
}

// expectNode expects a hot node when it has clearly enough requests in any ten minutes.
func expectNode(s *source, t *Truth) {
	inTen := mulDiv(3*s.events/(s.o.Nodes+2), min(s.o.Minutes, 10), s.o.Minutes)
	t.mustIf(inTen >= 3*nodeRequests/2, Expected{Rule: "hot-node"})
	t.forbid("hot-partition", "moving-hot-key", "skewed-key", "low-cardinality-key", "tombstone-dense-read")
}

// expectZipf expects what the skew makes of it: a first key over its share is hot, ten keys with half
// of the traffic are skewed, and usual skew is neither.
func expectZipf(_ *source, t *Truth) {
	t.forbid("moving-hot-key", "low-cardinality-key", "hot-node", "tombstone-dense-read")
	for i := range t.Tables {
		table := &t.Tables[i]
		if len(table.Top) == 0 {
			continue
		}
		ten := uint64(0)
		for _, k := range table.Top {
			ten += k.Requests
		}
		first, all := table.Top[0], table.Requests
		hot := Expected{Rule: "hot-partition", Table: table.Table, Key: first.Key}
		switch share := mulDiv(first.Requests, 1000, all); {
		case share >= hotShare+20:
			t.mustIf(all >= 2*hotTable && first.Requests >= 2*hotRequests, hot)
		case share >= hotShare-50:
			t.May = append(t.May, hot)
		}
		if mulDiv(ten, 1000, all) >= 450 {
			t.May = append(t.May, Expected{Rule: "skewed-key", Table: table.Table})
		}
	}
}
