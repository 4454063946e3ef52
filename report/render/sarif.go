package render

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

var sarifReport = &Renderer{
	Name:  "sarif",
	Title: "findings at positions of logs, for code scanning and editors (SARIF 2.1.0)",
	Doc: "One result a finding, located in the inputs and named by table and key; `partialFingerprints` holds the stable id of the finding. What was not assessed and what could not be read are notifications of the run. " +
		"Critical and high are `error`, medium is `warning`, low is `note`.",
	Render: renderSARIF,
}

// The types below are the part of SARIF 2.1.0 that a report needs, in the order of the specification.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Artifacts   []sarifArtifact   `json:"artifacts"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID   string    `json:"id"`
	Help sarifText `json:"help"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Locations []sarifLocation `json:"locations,omitempty"`
	Message   sarifText       `json:"message"`
	Level     string          `json:"level"`
}

type sarifArtifact struct {
	Location sarifURI `json:"location"`
	Length   int64    `json:"length"` // -1: unknown
}

type sarifURI struct {
	URI   string `json:"uri"`
	Index *int   `json:"index,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   sarifProperties   `json:"properties"`
}

type sarifLocation struct {
	ID       *int           `json:"id,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifURI    `json:"artifactLocation"`
	Region   sarifRegion `json:"region"`
}

type sarifRegion struct {
	StartLine  *uint64 `json:"startLine,omitempty"`
	ByteOffset *uint64 `json:"byteOffset,omitempty"`
	ByteLength *uint64 `json:"byteLength,omitempty"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifProperties struct {
	Severity   string        `json:"severity"`
	Confidence string        `json:"confidence"`
	Subject    docSubject    `json:"subject"`
	Span       *docSpan      `json:"span"`
	Evidence   []docEvidence `json:"evidence"`
	Proposals  []docProposal `json:"proposals"`
}

// sarifRelated is how many positions of a result beside its first are given.
const sarifRelated = 20

func renderSARIF(w io.Writer, r *report.Report, o Options) error {
	p := newPage(r, Options{Width: 400, Mask: o.Mask, MinSeverity: o.MinSeverity})
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "keyheat", Version: visible(orUnknown(p.r.Version)), Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true, Notifications: p.sarifNotifications()}},
		Artifacts:   each(p.r.Inputs, sarifArtifactOf), Results: []sarifResult{},
	}
	kept, _ := shown(p.r, o)
	for _, f := range kept {
		at := slices.IndexFunc(run.Tool.Driver.Rules, func(rule sarifRule) bool { return rule.ID == f.Rule })
		if at < 0 {
			at = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{f.Rule, sarifText{Text: "keyheat explain " + f.Rule}})
		}
		run.Results = append(run.Results, p.sarifResult(f, at))
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifArtifactOf(in *report.Input) sarifArtifact {
	return sarifArtifact{sarifURI{URI: fileURI(in.Name)}, int64(min(in.Bytes, 1<<62))}
}

func (p *page) sarifResult(f *report.Finding, rule int) sarifResult {
	text := subjectText(&f.Subject, mdKey) + ": " + visible(f.Message)
	out := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: sarifLevel(f.Severity),
		Message:      sarifText{Text: text, Markdown: mdText(text) + p.sarifSaid(f)},
		Locations:    []sarifLocation{{Logical: sarifLogicals(&f.Subject)}},
		Fingerprints: map[string]string{"keyheat/v1": f.ID},
		Properties: sarifProperties{f.Severity.String(), f.Confidence.String(), subjectOf(&f.Subject), spanOf(f.Span),
			each(f.Evidence, evidenceOf), each(f.Proposals, proposalOf)},
	}
	for i, at := range positions(f) {
		place := p.sarifPlace(at)
		if i == 0 {
			out.Locations[0].Physical = place
		} else if i <= sarifRelated {
			out.Related = append(out.Related, sarifLocation{ID: &i, Physical: place})
		}
	}
	return out
}

// sarifSaid gives the evidence and the proposals as Markdown.
func (p *page) sarifSaid(f *report.Finding) string {
	var b strings.Builder
	for i := range f.Evidence {
		fmt.Fprintf(&b, "\n- %s", mdText(evidenceText(&f.Evidence[i])))
	}
	for i := range f.Proposals {
		fmt.Fprintf(&b, "\n- **do** %s", mdText(f.Proposals[i].Title))
	}
	return b.String()
}

func sarifLevel(s detect.Severity) string {
	switch s {
	case detect.Critical, detect.High:
		return "error"
	case detect.Medium:
		return "warning"
	}
	return "note"
}

// sarifLogicals names the table, and the key in it.
func sarifLogicals(s *detect.Subject) []sarifLogical {
	table := orNoTable(tableName(s.Target))
	out := []sarifLogical{{table, table, "table"}}
	if s.HasKey {
		key := fit(visibleKey(s.Key), mdKey)
		out = append(out, sarifLogical{key, table + "/" + key, "partition"})
	}
	return out
}

func (p *page) sarifPlace(at ingest.Position) *sarifPhysical {
	out := &sarifPhysical{Artifact: sarifURI{URI: "unknown"}}
	if int(at.Input) < len(p.r.Inputs) {
		index := int(at.Input)
		out.Artifact = sarifURI{fileURI(p.r.Inputs[index].Name), &index}
	}
	if at.Line > 0 {
		out.Region.StartLine = &at.Line
		return out
	}
	out.Region.ByteOffset, out.Region.ByteLength = &at.Byte, new(uint64)
	return out
}

// fileURI gives the name of an input as a URI reference: a path beside the report, or an absolute file.
func fileURI(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
		if i == 0 { // a colon would make the first part a scheme
			parts[i] = strings.ReplaceAll(parts[i], ":", "%3A")
		}
	}
	uri := strings.Join(parts, "/")
	switch {
	case uri == "":
		return "unknown"
	case strings.HasPrefix(uri, "/"):
		return "file://" + uri
	}
	return uri
}

// sarifNotifications tells what was not assessed and what could not be read.
func (p *page) sarifNotifications() []sarifNotification {
	out := []sarifNotification{}
	say := func(level, format string, args ...any) {
		out = append(out, sarifNotification{Level: level, Message: sarifText{Text: fmt.Sprintf(format, args...)}})
	}
	if p.r.Partial != "" {
		say("warning", "partial: %s", visible(p.r.Partial))
	}
	for _, n := range p.r.Notes {
		say("note", "%s", visible(n))
	}
	for _, g := range p.gaps() {
		say("note", "%s was not assessed: %s%s", g.first.Rule, g.why(), arrowTo(visible(g.first.GetIt)))
	}
	for i := range p.r.Problems.Causes {
		c := &p.r.Problems.Causes[i]
		say("warning", "%s could not be read: %s", plural(c.Count, "record"), visible(c.Cause))
		if len(c.Examples) > 0 {
			out[len(out)-1].Locations = []sarifLocation{{Physical: p.sarifPlace(c.Examples[0].At)}}
		}
	}
	for _, u := range p.r.Unread {
		say("warning", "%s was not read: %s", visible(u.Name), visible(u.Why))
	}
	return out
}
