package render

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/keyheat/keyheat/report"
)

// checkColumn is the width of a mark and a question.
const checkColumn = 21

// answers writes answers of one table, each with its mark.
func (p *page) answers(t *report.Table, shown func(*report.Answer) bool) {
	for i := range t.Checklist {
		a := &t.Checklist[i]
		if !shown(a) {
			continue
		}
		p.hanging(padRight("  "+answerMark(a.Answer)+" "+a.Question, checkColumn), answerColor(a.Answer), visible(a.Because))
		if a.GetIt != "" {
			p.hanging(strings.Repeat(" ", checkColumn)+"→ ", green, visible(a.GetIt))
		}
	}
}

func answerColor(answer string) string {
	switch answer {
	case "yes":
		return green
	case "no":
		return yellow
	}
	return dim
}

// checklists writes the trouble that the checklist of each table tells, and names what is not known.
func (p *page) checklists() {
	tables := []*report.Table{}
	for _, t := range p.busiest() {
		if len(questions(t, "no")) > 0 {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return
	}
	p.section("CHECKLIST", "✗ trouble, ? not known; all answers: keyheat checklist")
	for _, t := range tables {
		p.line(p.paint(bold, fit(orNoTable(tableName(t.Target)), p.width)))
		p.answers(t, func(a *report.Answer) bool { return a.Answer == "no" })
		if open := questions(t, "unknown"); len(open) > 0 {
			p.hanging("  ? ", dim, strings.Join(open, ", "))
		}
	}
}

// questions gives those of a table with an answer.
func questions(t *report.Table, answer string) []string {
	var out []string
	for _, a := range t.Checklist {
		if a.Answer == answer {
			out = append(out, a.Question)
		}
	}
	return out
}

// mdChecklistRows writes the answers of tables.
func (p *page) mdChecklistRows(tables []*report.Table, shown func(*report.Answer) bool) {
	p.mdf("| table | question | answer | because | get it |\n|---|---|---|---|---|")
	for _, t := range tables {
		for i := range t.Checklist {
			if a := &t.Checklist[i]; shown(a) {
				p.mdf("| %s | %s | %s | %s | %s |", mdCode(orNoTable(tableName(t.Target))), a.Question, a.Answer, mdText(fit(visible(a.Because), mdKey)), mdText(a.GetIt))
			}
		}
	}
}

// mdChecklist writes what the checklist says against tables.
func (p *page) mdChecklist() {
	tables := p.busiest()
	bad := func(a *report.Answer) bool { return a.Answer == "no" }
	for _, t := range tables {
		if len(questions(t, "no")) > 0 {
			p.mdf("\n## Checklist\n\nWhat is against a table; all answers: `keyheat checklist`.\n")
			p.mdChecklistRows(tables, bad)
			return
		}
	}
}

// writeChecklistCSV writes one row a table and question.
func writeChecklistCSV(w io.Writer, r *report.Report) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"store", "table", "index", "question", "answer", "because", "get_it"}); err != nil {
		return err
	}
	for i := range r.Tables {
		t := &r.Tables[i].Target
		for _, a := range r.Tables[i].Checklist {
			row := []string{t.Store.String(), csvText(visible(t.Table)), csvText(visible(t.Index)), a.Question, a.Answer, csvText(visible(a.Because)), csvText(visible(a.GetIt))}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

type docAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Because  string `json:"because"`
	GetIt    string `json:"get_it,omitempty"`
}

func answersOf(t *report.Table) []docAnswer {
	return each(t.Checklist, func(a *report.Answer) docAnswer {
		return docAnswer{a.Question, a.Answer, validText(a.Because), validText(a.GetIt)}
	})
}
