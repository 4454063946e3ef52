package render

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

type docStored struct {
	At          string          `json:"at"`
	Items       uint64          `json:"items"`
	Bytes       uint64          `json:"bytes"`
	Keyless     uint64          `json:"items_without_key"`
	Keys        *docDistinct    `json:"keys"`
	PerKey      []docQuantile   `json:"per_key"`
	Item        docItem         `json:"item_bytes"`
	Collections []docCollection `json:"collections"`
}

type docQuantile struct {
	Share docMilli `json:"share"`
	Items uint64   `json:"items"`
	Bytes uint64   `json:"bytes"`
}

type docItem struct {
	P50 uint64 `json:"p50"`
	P99 uint64 `json:"p99"`
	Max uint64 `json:"max"`
}

type docCollection struct {
	Key      string    `json:"key"`
	Encoding string    `json:"encoding"`
	Length   uint64    `json:"length"`
	Hash     string    `json:"hash"`
	Items    docRange  `json:"items"`
	Bytes    docRange  `json:"bytes"`
	Local    docRange  `json:"local_index_bytes"`
	Storage  docRange  `json:"stored_bytes"`
	OfLimit  docMilli  `json:"limit_share"`
	Share    docMilli  `json:"share"`
	Files    *docRange `json:"files"`
}

func storedDocOf(s *report.Stored) *docStored {
	if s == nil {
		return nil
	}
	d := &docStored{Items: s.Items, Bytes: s.Bytes, Keyless: s.Keyless, Item: docItem{s.Item[0], s.Item[1], s.Item[2]},
		PerKey: each(s.PerKey, func(q *detect.KeyQuantile) docQuantile {
			return docQuantile{docMilli(q.Permille), q.Items, q.Bytes}
		}),
		Collections: each(s.Collections, collectionOf),
	}
	if s.UnixNano != 0 {
		d.At = stamp(s.UnixNano / 1e9)
	}
	if n := s.Keys; n.High > 0 {
		d.Keys = &docDistinct{docRange{n.Value, n.Low, n.High}, n.Exact}
	}
	return d
}

func collectionOf(c *report.Collection) docCollection {
	name := nameKey(c.Key)
	d := docCollection{Key: name.text, Encoding: name.encoding, Length: name.length, Hash: name.hash, Items: *countOf(c.Items),
		Bytes: *countOf(c.Bytes), Local: *countOf(c.Local), Storage: *countOf(c.Storage), OfLimit: docMilli(c.OfLimit), Share: docMilli(c.Share.Value)}
	if c.Files.High > 0 {
		d.Files = countOf(c.Files)
	}
	return d
}
