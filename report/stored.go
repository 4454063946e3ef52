package report

import (
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Stored is what is stored of a table or index, from inputs that hold items: of several exports the last.
type Stored struct {
	UnixNano    int64 // 0: not known
	Items       uint64
	Bytes       uint64 // names and values
	Keyless     uint64 // items of unknown key
	Keys        detect.Distinct
	PerKey      []detect.KeyQuantile
	Item        [3]uint64 // bytes of an item: upper bounds of half and of 99 in 100, and the largest
	Local       bool      // a local index: its entries are part of the collections of its table
	Collections []Collection
}

// A Collection is all items of one partition key, largest first in a Stored.
type Collection struct {
	Key     []byte // in the form of ingest.AppendKey
	Items   detect.Range
	Bytes   detect.Range
	Local   detect.Range // bytes of its entries in local indexes
	Storage detect.Range // with those, and with what storing costs on top
	Share   detect.ShareRange
	OfLimit detect.Milli // share of what an item collection may take under a local index, by the upper bound
	Files   detect.Range // inputs that hold items of it; High 0: not counted
}

func storedOf(v *detect.View, t *detect.TargetView, limit int) *Stored {
	s := &t.Stored
	if s.Items == 0 {
		return nil
	}
	out := &Stored{UnixNano: s.UnixNano, Items: s.Items, Bytes: s.Bytes, Keyless: s.Keyless, Keys: s.Distinct, PerKey: s.PerKey, Local: localIndex(v, t.Target)}
	most := v.Limits.Count(detect.DynamoPartitionBytes)
	if s.ItemBytes.Count() > 0 {
		_, out.Item[0] = s.ItemBytes.Quantile(1, 2)
		_, out.Item[1] = s.ItemBytes.Quantile(99, 100)
		out.Item[2] = s.ItemBytes.Max()
	}
	for i := range s.Collections[:limited(len(s.Collections), limit)] {
		c := &s.Collections[i]
		out.Collections = append(out.Collections, Collection{
			Key: c.Key, Items: c.Items, Bytes: c.Bytes, Local: c.Local, Storage: c.Storage, Share: shareOf(c.Bytes, s.Bytes), Files: c.Files,
			OfLimit: detect.Ratio(c.Storage.High, most),
		})
	}
	return out
}

// localIndex reports whether a target is a local index of its table.
func localIndex(v *detect.View, t detect.Target) bool {
	names, _ := v.Fact(detect.Target{Store: t.Store, Table: t.Table}, ingest.FactLocalIndex)
	return t.Index != "" && slices.Contains(strings.Split(names, ","), t.Index)
}

func (s *Stored) masked(mask Masker) *Stored {
	if s == nil {
		return nil
	}
	out := *s
	out.Collections = slices.Clone(s.Collections)
	for i := range out.Collections {
		out.Collections[i].Key = mask(out.Collections[i].Key)
	}
	return &out
}
