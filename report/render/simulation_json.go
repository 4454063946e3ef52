package render

import (
	_ "embed" // for the schema
	"io"

	"github.com/keyheat/keyheat/detect"
)

var simulationJSON = &SimulationRenderer{
	Name:   "json",
	Title:  "for programs (keyheat.simulation/1)",
	Doc:    "One object: `candidates`, today's key first, each with its figures as numbers (null: not known), and `bounds` by the name of those that are no exact counts. The schema is `report/render/keyheat.simulation.1.schema.json`. Field names are a contract, fields may be added.",
	Render: renderSimulationJSON,
}

//go:embed keyheat.simulation.1.schema.json
var simulationSchema []byte

// SimulationSchema gives the JSON Schema (2020-12) of the JSON output of simulate. The caller owns the bytes.
func SimulationSchema() []byte { return append([]byte(nil), simulationSchema...) }

type docSimulation struct {
	Schema     string         `json:"schema"`
	Store      string         `json:"store"`
	Table      string         `json:"table"`
	Index      string         `json:"index"`
	Span       *docSpan       `json:"span"`
	Requests   uint64         `json:"requests"`
	Reads      uint64         `json:"reads"`
	Best       *string        `json:"best"`
	Notes      []string       `json:"notes"`
	Candidates []docCandidate `json:"candidates"`
}

type docCandidate struct {
	Key         string               `json:"key"`
	Distinct    *docMilli            `json:"distinct_keys"`
	TopShare    *docMilli            `json:"top_share"`
	Peak        *docMilli            `json:"peak_per_second"`
	Largest     *docMilli            `json:"largest_partition_bytes"`
	Fanout      docFanout            `json:"read_fanout"`
	NotReplayed uint64               `json:"not_replayed"`
	Because     []docNotReplayed     `json:"not_replayed_because"`
	Replayed    uint64               `json:"replayed"`
	TopTen      *docMilli            `json:"top_ten_share"`
	Effective   *docMilli            `json:"effective_partitions"`
	Gini        *docMilli            `json:"gini"`
	PeakWrite   *docMilli            `json:"peak_write_units_per_second"`
	PeakRead    *docMilli            `json:"peak_read_units_per_second"`
	SecondsOver *docMilli            `json:"seconds_over_limit"`
	LargestOf   string               `json:"largest_partition_of"`
	Growth      *docMilli            `json:"growth_bytes_per_day"`
	Projected   *docMilli            `json:"projected_bytes"`
	Single      *docMilli            `json:"single_partition_reads"`
	ReadUnits   *docMilli            `json:"read_units_per_read"`
	Rows        *docMilli            `json:"rows_per_read"`
	Tombstones  *docMilli            `json:"tombstones_per_read"`
	Bounds      map[string]docBounds `json:"bounds"`
	Removes     []string             `json:"removes"`
	Lowers      []string             `json:"lowers"`
	Keeps       []string             `json:"keeps"`
	Adds        []string             `json:"adds"`
	Assumed     []string             `json:"assumed"`
}

type docFanout struct {
	Mean *docMilli `json:"mean"`
	P99  *docMilli `json:"p99"`
}

type docNotReplayed struct {
	Why      string `json:"why"`
	Requests uint64 `json:"requests"`
}

type docBounds struct {
	Low  docMilli  `json:"low"`
	High *docMilli `json:"high"`
}

func renderSimulationJSON(w io.Writer, s *detect.Simulation, _ Options) error {
	d := docSimulation{
		Schema: "keyheat.simulation/1", Store: s.Target.Store.String(), Table: validText(s.Target.Table), Index: validText(s.Target.Index),
		Span: spanOf(s.Span), Requests: s.Requests, Reads: s.Reads, Notes: validTexts(s.Notes), Candidates: each(s.Keys, candidateOf),
	}
	if s.Best > 0 {
		d.Best = &d.Candidates[s.Best].Key
	}
	return writeJSON(w, d)
}

func validTexts(all []string) []string {
	return each(all, func(s *string) string { return validText(*s) })
}

func candidateOf(s *detect.Simulated) docCandidate {
	bounds := map[string]docBounds{}
	of := func(name string, b detect.Bounds) *docMilli {
		if !b.Known {
			return nil
		}
		if b.Open || b.Low != b.High {
			bounds[name] = docBounds{Low: docMilli(b.Low)}
		}
		if !b.Open && b.Low != b.High {
			high := docMilli(b.High)
			bounds[name] = docBounds{docMilli(b.Low), &high}
		}
		value := docMilli(b.Value)
		return &value
	}
	d := docCandidate{
		Key: validText(s.Key), Distinct: of("distinct_keys", s.Distinct), TopShare: of("top_share", s.TopShare),
		Peak: of("peak_per_second", s.Peak), Largest: of("largest_partition_bytes", s.Largest),
		Fanout:      docFanout{of("read_fanout.mean", s.FanoutMean), of("read_fanout.p99", s.FanoutP99)},
		NotReplayed: s.SumNotReplayed(), Replayed: s.Replayed,
		Because:   each(s.NotReplayed, func(n *detect.NotReplayed) docNotReplayed { return docNotReplayed{validText(n.Why), n.Requests} }),
		TopTen:    of("top_ten_share", s.TopTen),
		PeakWrite: of("peak_write_units_per_second", s.PeakWrite), PeakRead: of("peak_read_units_per_second", s.PeakRead),
		SecondsOver: of("seconds_over_limit", s.SecondsOver), LargestOf: "written",
		Growth: of("growth_bytes_per_day", s.Growth), Projected: of("projected_bytes", s.Projected),
		Single: of("single_partition_reads", s.SingleReads), ReadUnits: of("read_units_per_read", s.ReadUnits),
		Rows: of("rows_per_read", s.Rows), Tombstones: of("tombstones_per_read", s.Tombstones), Bounds: bounds,
		Removes: validTexts(s.Removes), Lowers: validTexts(s.Lowers), Keeps: validTexts(s.Keeps), Adds: validTexts(s.Adds),
		Assumed: validTexts(s.Assumed),
	}
	if s.Stored {
		d.LargestOf = "stored"
	}
	if s.Effective > 0 {
		effective, gini := docMilli(s.Effective), docMilli(s.Gini)
		d.Effective, d.Gini = &effective, &gini
	}
	return d
}
