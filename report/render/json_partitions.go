package render

import "github.com/keyheat/keyheat/report"

type docPartitions struct {
	Low     uint64               `json:"low"`
	High    *uint64              `json:"high"`
	Sources []docPartitionSource `json:"sources"`
}

type docPartitionSource struct {
	Source  string `json:"source"`
	Kind    string `json:"kind"`
	Number  uint64 `json:"number"`
	Because string `json:"because"`
}

func partitionsDocOf(p *report.Partitions) *docPartitions {
	if p == nil {
		return nil
	}
	d := &docPartitions{Low: p.Low, Sources: each(p.Sources, func(s *report.PartitionSource) docPartitionSource {
		return docPartitionSource{s.Name, s.Kind, s.Number, validText(s.Because)}
	})}
	if p.High > 0 {
		d.High = &p.High
	}
	return d
}
