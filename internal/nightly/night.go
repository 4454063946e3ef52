package nightly

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// nightSchema names the form of night.json.
const nightSchema = "keyheat.night/1"

// A Night is what is remembered of a night beside its report and Profile: enough to compare it.
type Night struct {
	Schema string
	Job    string
	Date   string // 2006-01-02
	Ran    time.Time
	Failed string `json:",omitempty"` // why there is no report
	Again  bool   `json:",omitempty"` // an earlier run of the same night failed too
	Digest *report.Digest
	Nodes  []string // that logged, sorted
	Sizes  []Size
	Notes  []string // on suppressions, on recordings, and on what was not kept
	Files  []string // in its folder

	Folder   string `json:"-"` // DATE.N
	notified bool
}

// A Size is the largest value that a night tells of one measure of one partition.
type Size struct {
	Target   detect.Target
	Key      []byte // in the form of ingest.AppendKey
	KeyKnown bool
	Measure  string // partition_bytes, partition_rows
	Source   string // which statement of the store told it: unlike ones do not compare
	Value    uint64
	AtLeast  bool
	Limit    uint64 // the next one that it would pass; 0: none
}

const (
	maxSizes    = 20  // of each table and measure: the largest
	maxFindings = 500 // of a night: the worst
)

// newNight makes the night of an outcome.
func newNight(t *Task, now time.Time, o *Outcome) *Night {
	n := &Night{Schema: nightSchema, Job: t.Job.Name, Date: t.Night.Format(time.DateOnly), Ran: now.UTC(), Notes: t.stale()}
	if o == nil {
		return n
	}
	n.Digest = o.Report.Digest()
	if more := len(n.Digest.Findings) - maxFindings; more > 0 {
		n.Digest.Findings = n.Digest.Findings[:maxFindings]
		n.Digest.LeftOut += more
	}
	n.Nodes, n.Sizes = nodesOf(o.Profile), sizesOf(o.Profile, o.Limits)
	n.Notes = append(n.Notes, o.Notes...)
	for _, i := range o.Unused {
		s := t.Suppress[i]
		n.Notes = append(n.Notes, "no finding fits the suppression of "+s.name()+": "+s.Reason)
	}
	return n
}

// nodesOf gives the nodes that logged.
func nodesOf(p *detect.Profile) []string {
	out := slices.Clone(p.Nodes)
	for _, in := range p.Inputs {
		if in.Node != "" {
			out = append(out, in.Node)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sizesOf gives the largest partitions of each table, of all nodes together.
func sizesOf(p *detect.Profile, limits *detect.Limits) []Size {
	out := []Size{}
	for i := range p.Targets {
		t := &p.Targets[i]
		at, sizes := map[string]int{}, []Size{}
		for j := range t.States {
			if m := t.States[j].Measure; m != ingest.PartitionBytes && m != ingest.PartitionRows {
				continue
			}
			size := sizeOf(t.Target.Bare(), &t.States[j], limits)
			i, known := at[size.series()]
			switch {
			case !known:
				at[size.series()] = len(sizes)
				sizes = append(sizes, size)
			case size.Value > sizes[i].Value: // another node's
				sizes[i] = size
			}
		}
		out = append(out, largest(sizes)...)
	}
	return out
}

func sizeOf(t detect.Target, s *detect.StateStats, limits *detect.Limits) Size {
	return Size{Target: t, Key: []byte(s.Key), KeyKnown: s.KeyKnown, Measure: s.Measure.String(), Source: s.Source,
		Value: s.Max, AtLeast: s.AtLeast, Limit: nextLimit(limits, t.Store, s.Measure, s.Max)}
}

// largest gives the first maxSizes of each measure.
func largest(list []Size) []Size {
	slices.SortFunc(list, func(a, b Size) int {
		return cmp.Or(strings.Compare(a.Measure, b.Measure), cmp.Compare(b.Value, a.Value), strings.Compare(a.series(), b.series()))
	})
	out, of, n := []Size{}, "", 0
	for _, s := range list {
		if s.Measure != of {
			of, n = s.Measure, 0
		}
		if n++; n <= maxSizes {
			out = append(out, s)
		}
	}
	return out
}

// series names what sizes of several nights are compared by.
func (s *Size) series() string {
	key := "-"
	if s.KeyKnown {
		key = "k" + string(s.Key)
	}
	return strings.Join([]string{s.Target.Store.String(), s.Target.Table, s.Target.Index, s.Measure, s.Source, key}, "\x00")
}

// nextLimit gives the smallest limit that a size is below; 0 when it is over all of them.
func nextLimit(l *detect.Limits, store ingest.Store, m ingest.Measure, value uint64) uint64 {
	ids := []detect.LimitID{detect.CassandraPartitionBytes, detect.PartitionMediumBytes, detect.PartitionHighBytes}
	switch {
	case m == ingest.PartitionRows && store == ingest.Scylla:
		ids = []detect.LimitID{detect.ScyllaPartitionRows}
	case m == ingest.PartitionRows:
		ids = []detect.LimitID{detect.CassandraPartitionRows}
	case store == ingest.DynamoDB:
		ids = []detect.LimitID{detect.DynamoPartitionBytes}
	case store == ingest.Scylla:
		ids = []detect.LimitID{detect.ScyllaPartitionBytes, detect.PartitionHighBytes}
	}
	for _, id := range ids {
		if limit := l.Count(id); value < limit {
			return limit
		}
	}
	return 0
}
