package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// An indexLearner takes what descriptions tell of DynamoDB tables' keys and indexes, by table and name of the
// index; the empty name is the table itself.
type indexLearner map[string]map[string]*ingest.SecondaryIndex

// fact takes a fact of a table or an index.
func (l indexLearner) fact(f *ingest.Fact) {
	if f.Store != ingest.DynamoDB || len(f.Table) == 0 {
		return
	}
	list := strings.Split(string(f.Value), ",")
	switch f.Name {
	case ingest.FactPartitionKey:
		l.of(f).Partition = list
	case ingest.FactClustering:
		l.of(f).Sort = list
	case ingest.FactProjection:
		l.of(f).All = string(f.Value) == "ALL"
	case ingest.FactProjected:
		l.of(f).Include = list
	case ingest.FactLocalIndex:
		for _, name := range list {
			l.of(&ingest.Fact{Table: f.Table, Index: []byte(name)}).Local = true
		}
	}
}

func (l indexLearner) of(f *ingest.Fact) *ingest.SecondaryIndex {
	table, name := string(f.Table), string(f.Index)
	if l[table] == nil {
		l[table] = map[string]*ingest.SecondaryIndex{}
	}
	if l[table][name] == nil {
		l[table][name] = &ingest.SecondaryIndex{Name: name}
	}
	return l[table][name]
}

// all gives the indexes whose keys are known, of tables whose keys are.
func (l indexLearner) all() map[string][]ingest.SecondaryIndex {
	out := map[string][]ingest.SecondaryIndex{}
	for table, indexes := range l {
		base := indexes[""]
		if base == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(indexes)) {
			if x := *indexes[name]; name != "" && len(x.Partition) > 0 {
				x.Base = slices.Concat(base.Partition, base.Sort)
				out[table] = append(out[table], x)
			}
		}
	}
	return out
}
