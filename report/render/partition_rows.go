package render

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/report"
)

// partitionsAbout says what the estimate is, wherever it stands.
const partitionsAbout = "an estimate: DynamoDB does not tell how many there are"

// partitionsText gives the range of an estimate.
func partitionsText(p *report.Partitions) string {
	switch {
	case p.High == 0:
		return grouped(p.Low) + " or more"
	case p.High <= p.Low:
		return grouped(p.Low)
	}
	return grouped(p.Low) + " to " + grouped(p.High)
}

// sourceText says what one source tells.
func sourceText(s *report.PartitionSource) string {
	return fmt.Sprintf("%s %s by %s: %s", s.Kind, grouped(s.Number), strings.ReplaceAll(s.Name, "-", " "), visible(s.Because))
}

// estimated gives the tables of which something tells of partitions.
func (p *page) estimated() []*report.Table {
	out := []*report.Table{}
	for i := range p.r.Tables {
		if p.r.Tables[i].Partitions != nil && len(out) < p.o.Limit {
			out = append(out, &p.r.Tables[i])
		}
	}
	return out
}
