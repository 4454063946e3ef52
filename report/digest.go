package report

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A Digest is what comparing needs of a report: its findings without positions, proposals and series,
// and what it could have found.
type Digest struct {
	Span        detect.Span
	Partial     string
	LeftOut     int             // findings below --min-severity, which the report does not name
	Targets     []detect.Target // that the report tells of
	Findings    []Finding       // in order of the report
	NotAssessed []detect.NotAssessed
}

// Digest gives what comparing needs of r. It shares the memory of keys and evidence.
func (r *Report) Digest() *Digest {
	d := &Digest{Span: r.Span, Partial: r.Partial, NotAssessed: r.NotAssessed}
	for i := range r.Tables {
		d.Targets = append(d.Targets, r.Tables[i].Target)
	}
	for _, f := range r.Findings {
		f.Evidence = slices.Clone(f.Evidence)
		for i := range f.Evidence {
			f.Evidence[i].Positions, f.Evidence[i].LimitSource = nil, ""
		}
		f.Proposals, f.Series, f.SeriesOf, f.Cost = nil, nil, "", 0
		d.Findings = append(d.Findings, f)
	}
	return d
}

// jsonSchema is the contract that ReadDigest reads: render.SchemaName.
const jsonSchema = "keyheat.report/1"

type jsonReport struct {
	Schema   string        `json:"schema"`
	Span     *jsonSpan     `json:"span"`
	Partial  string        `json:"partial"`
	Tables   []jsonTarget  `json:"tables"`
	Findings []jsonFinding `json:"findings"`
	LeftOut  int           `json:"findings_left_out"`
	Silent   []jsonSilent  `json:"not_assessed"`
}

type jsonSpan struct{ Start, End time.Time }

type jsonTarget struct{ Store, Table, Index string }

type jsonSilent struct {
	jsonTarget
	Rule    string   `json:"rule"`
	Missing []string `json:"missing"`
	GetIt   string   `json:"get_it"`
}

type jsonFinding struct {
	ID         string         `json:"id"`
	Rule       string         `json:"rule"`
	Severity   string         `json:"severity"`
	Confidence string         `json:"confidence"`
	Subject    jsonSubject    `json:"subject"`
	Mechanism  string         `json:"mechanism"`
	Span       *jsonSpan      `json:"span"`
	Message    string         `json:"message"`
	Evidence   []jsonEvidence `json:"evidence"`
}

type jsonSubject struct {
	jsonTarget
	Components []struct{ Value, Encoding string } `json:"components"`
	Encoding   string                             `json:"encoding"`
	Length     uint64                             `json:"length"`
	Hash       string                             `json:"hash"`
	Shape      string                             `json:"shape"`
	Node       string                             `json:"node"`
}

type jsonEvidence struct {
	Measure string       `json:"measure"`
	Unit    string       `json:"unit"`
	Value   json.Number  `json:"value"`
	Low     json.Number  `json:"low"`
	High    *json.Number `json:"high"`
	Limit   *json.Number `json:"limit"`
	How     string       `json:"how"`
}

// ReadDigest reads a JSON report, keyheat.report/1; fields that it does not know are passed over.
func ReadDigest(text []byte) (*Digest, error) {
	doc := jsonReport{}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("no JSON report: %w", err)
	}
	if doc.Schema != jsonSchema {
		return nil, fmt.Errorf("schema %q: must be %s", doc.Schema, jsonSchema)
	}
	d := &Digest{Span: doc.Span.span(), Partial: doc.Partial, LeftOut: doc.LeftOut}
	for _, t := range doc.Tables {
		d.Targets = append(d.Targets, t.target())
	}
	for _, s := range doc.Silent {
		d.NotAssessed = append(d.NotAssessed, detect.NotAssessed{Rule: s.Rule, Target: s.target(), Missing: s.Missing, GetIt: s.GetIt})
	}
	for i := range doc.Findings {
		f, err := doc.Findings[i].finding()
		if err != nil {
			return nil, fmt.Errorf("finding %d: %w", i+1, err)
		}
		d.Findings = append(d.Findings, f)
	}
	return d, nil
}

func (s *jsonSpan) span() detect.Span {
	if s == nil {
		return detect.Span{}
	}
	return detect.Span{Start: s.Start.Unix(), End: s.End.Unix()}
}

func (t jsonTarget) target() detect.Target {
	for s := ingest.StoreUnknown; s.String() != "" || s == ingest.StoreUnknown; s++ {
		if s.String() == t.Store {
			return detect.Target{Store: s, Table: t.Table, Index: t.Index}
		}
	}
	return detect.Target{Table: t.Table, Index: t.Index}
}

func (f *jsonFinding) finding() (Finding, error) {
	severity, ok := severityNamed(f.Severity)
	if !ok || f.ID == "" || f.Rule == "" {
		return Finding{}, errors.New("must have id, rule and a severity of low to critical")
	}
	out := Finding{ID: f.ID, Finding: detect.Finding{Rule: f.Rule, Severity: severity, Mechanism: f.Mechanism,
		Span: f.Span.span(), Message: f.Message, Subject: f.Subject.subject()}}
	if f.Confidence == detect.Sure.String() {
		out.Confidence = detect.Sure
	}
	for i := range f.Evidence {
		e, err := f.Evidence[i].evidence()
		if err != nil {
			return out, err
		}
		out.Evidence = append(out.Evidence, e)
	}
	return out, nil
}

func severityNamed(name string) (detect.Severity, bool) {
	for s := detect.Low; s <= detect.Critical; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// subject rebuilds the key in the form of ingest.AppendKey. Of a key over ingest.MaxKey the report
// shows the beginning, so its form begins alike and has the same length and hash.
func (s *jsonSubject) subject() detect.Subject {
	out := detect.Subject{Target: s.target(), HasKey: s.Encoding != "", Shape: s.Shape, Node: s.Node}
	if !out.HasKey {
		return out
	}
	parts := [][]byte{}
	for _, c := range s.Components {
		part := []byte(c.Value)
		if raw, err := hex.DecodeString(c.Value); err == nil && c.Encoding == "hex" {
			part = raw
		}
		parts = append(parts, part)
	}
	out.Key = ingest.AppendKey(nil, parts...)
	hash, err := hex.DecodeString(s.Hash)
	if s.Length > ingest.MaxKey && ingest.ParseKey(out.Key).Length < s.Length && err == nil && len(hash) == 8 {
		cut := binary.AppendUvarint([]byte{0xFF, 0}, s.Length) // see ingest.AppendKey
		out.Key = append(append(cut, hash...), out.Key...)
	}
	return out
}

func (e *jsonEvidence) evidence() (detect.Evidence, error) {
	out := detect.Evidence{Measure: e.Measure, Unit: e.Unit, Open: e.High == nil, How: howNamed(e.How)}
	errs := []error{readMilli(e.Value, &out.Value), readMilli(e.Low, &out.Low)}
	if e.High != nil {
		errs = append(errs, readMilli(*e.High, &out.High))
	}
	if e.Limit != nil {
		errs = append(errs, readMilli(*e.Limit, &out.Limit))
	}
	return out, errors.Join(errs...)
}

func howNamed(name string) detect.How {
	for h := detect.Stored; h < detect.Inferred; h++ {
		if h.String() == name {
			return h
		}
	}
	return detect.Inferred
}

// readMilli reads a decimal number; decimals beyond the third are dropped, what is too large saturates.
func readMilli(n json.Number, to *detect.Milli) error {
	whole, decimals, _ := strings.Cut(n.String(), ".")
	decimals = (decimals + "000")[:3]
	v, err := strconv.ParseUint(whole+decimals, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		v, err = math.MaxUint64, nil
	}
	if err != nil {
		return fmt.Errorf("%q: must be a number of 0 or more, without exponent", n)
	}
	*to = detect.Milli(v)
	return nil
}
