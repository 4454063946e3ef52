package nightly

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageStyle string
)

const (
	pageNights = 60  // columns: the last
	pageRows   = 400 // findings: those seen last
	pageCurves = 12
)

type historyPage struct {
	Job, Summary string
	StyleHash    template.HTMLAttr
	Style        template.HTML
	Columns      []pageColumn
	Rows         []pageRow
	Curves       []pageCurve
}

type pageColumn struct{ Date, Link string }

type pageRow struct {
	Rule, Where, First, Last string
	Nights                   int
	Cells                    []pageCell
	worst                    detect.Severity
}

type pageCell struct{ Mark, Class, Title, Link string }

type pageCurve struct{ Title, Points string }

// page writes the history of a job: a row a finding, a column a night, and the growth of the largest
// partitions.
func (r *Runner) page(store *Store, j *Job) error {
	nights, err := store.Nights(j.Name)
	if len(nights) == 0 {
		return err
	}
	text, err := history(j.Name, nights)
	if err != nil {
		return err
	}
	return r.Disk.WriteFile(filepath.Join(r.Config.State, j.Name, "index.html"), text)
}

// history gives the page of these nights, which are in order and at least one.
func history(job string, nights []*Night) ([]byte, error) {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	style := "<style>" + pageStyle + "</style>"
	sum := sha256.Sum256([]byte(pageStyle))
	columns := nights[max(0, len(nights)-pageNights):]
	p := historyPage{Job: job, Style: template.HTML(style), StyleHash: template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(sum[:])),
		Rows: rows(columns), Curves: curves(reported(nights)), Summary: fmt.Sprintf("%s, the last %s; %s kept.",
			nightsText(len(columns)), nights[len(nights)-1].Date, nightsText(len(nights)))}
	for _, n := range columns {
		p.Columns = append(p.Columns, pageColumn{n.Date, n.link()})
	}
	var out bytes.Buffer
	err = t.Execute(&out, p)
	return out.Bytes(), err
}

// link gives the report of a night that a browser shows best; empty when there is none.
func (n *Night) link() string {
	for _, name := range []string{"report.html", "report.txt", "report.json"} {
		if slices.Contains(n.Files, name) {
			return n.Folder + "/" + name
		}
	}
	return ""
}

// rows gives the findings of the nights, those seen last and the worst first.
func rows(nights []*Night) []pageRow {
	out := []pageRow{}
	done := map[string]bool{}
	for _, n := range slices.Backward(reported(nights)) {
		for i := range n.Digest.Findings {
			if f := &n.Digest.Findings[i]; !done[f.ID] {
				done[f.ID] = true
				out = append(out, rowOf(f, nights))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b pageRow) int {
		return cmp.Or(strings.Compare(b.Last, a.Last), cmp.Compare(b.worst, a.worst))
	})
	return out[:min(len(out), pageRows)]
}

func rowOf(f *report.Finding, nights []*Night) pageRow {
	row := pageRow{Rule: f.Rule, Where: where(&f.Subject, keyText)}
	for _, n := range nights {
		c := cellOf(f, n)
		if c.Class != "" {
			row.Nights, row.Last = row.Nights+1, n.Date
			row.First = cmp.Or(row.First, n.Date)
			row.worst = max(row.worst, severityOf(c.Class))
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

func cellOf(f *report.Finding, n *Night) pageCell {
	if n.Failed != "" {
		return pageCell{Mark: "×", Title: n.Date + ": no report: " + visible(n.Failed)}
	}
	i := slices.IndexFunc(n.Digest.Findings, func(o report.Finding) bool { return o.ID == f.ID })
	if i >= 0 {
		found := &n.Digest.Findings[i]
		level := found.Severity.String()
		return pageCell{strings.ToUpper(level[:1]), level, n.Date + ": " + level + ": " + visible(found.Message), n.link()}
	}
	if why := n.Digest.BlindTo(f); why != "" {
		return pageCell{Mark: "?", Title: n.Date + ": could not be found: " + why}
	}
	return pageCell{Mark: "·", Title: n.Date + ": not found"}
}

// curves gives the growth of the largest partitions of the last night.
func curves(nights []*Night) []pageCurve {
	if len(nights) == 0 {
		return nil
	}
	sizes := slices.Clone(nights[len(nights)-1].Sizes)
	slices.SortStableFunc(sizes, func(a, b Size) int {
		return cmp.Or(strings.Compare(a.Measure, b.Measure), cmp.Compare(b.Value, a.Value))
	})
	grown, all := growths(nights), seriesOf(nights)
	out := []pageCurve{}
	for i := range sizes {
		if len(out) == pageCurves {
			break
		}
		if c, ok := curveOf(&sizes[i], all[sizes[i].series()], grown); ok {
			out = append(out, c)
		}
	}
	return out
}

func curveOf(of *Size, over series, grown []Growth) (pageCurve, bool) {
	xs, ys := over.xs, over.ys
	if len(xs) < 2 {
		return pageCurve{}, false
	}
	key := "largest partition"
	if of.KeyKnown {
		key = keyText(of.Key)
	}
	title := fmt.Sprintf("%s %s: %s → %s over %s", tableText(of.Target), key, of.amountOf(uint64(ys[0])), of.amountOf(of.Value), nightsText(int(xs[len(xs)-1]-xs[0])+1))
	for i := range grown {
		if g := &grown[i]; g.series() == of.series() && !g.Passes.IsZero() {
			title += fmt.Sprintf("; passes %s on %s", g.amountOf(g.Limit), g.Passes.Format(time.DateOnly))
		}
	}
	points := []string{}
	width, top := xs[len(xs)-1]-xs[0], slices.Max(ys)
	for i := range xs {
		points = append(points, fmt.Sprintf("%.1f,%.1f", 300*(xs[i]-xs[0])/width, 58-56*ys[i]/top))
	}
	return pageCurve{title, strings.Join(points, " ")}, true
}
