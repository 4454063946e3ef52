package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// A Weight is what keys are ranked by.
type Weight string

// The weights. Cost is throughput units where records carry them, else bytes.
const (
	Requests   Weight = "requests"
	Cost       Weight = "cost"
	Bytes      Weight = "bytes"
	Tombstones Weight = "tombstones"
)

// Weights are all weights, in the order in which help lists them.
var Weights = []Weight{Requests, Cost, Bytes, Tombstones}

// A KeyTable is the heavy hitters alone, in final order.
type KeyTable struct {
	By      Weight
	Milli   bool // amounts are thousandths: of throughput units
	PerPane bool // rows are ranked within each pane
	Rows    []KeyRow
}

// A KeyRow is one key, in one pane or in the whole input.
type KeyRow struct {
	Pane          detect.PaneSpan // zero unless the table is per pane
	Target        detect.Target
	Key           []byte // in the form of ingest.AppendKey
	Amount        detect.Range
	Share         detect.ShareRange // of the amount of its table; zero when that is not known
	PeakPerSecond uint64            // requests; a lower bound; 0: not known, and always in a pane
}

// A PanesOf gives what is known of a key of t in each pane, as View.Panes.
type PanesOf func(t *detect.TargetView, k *detect.KeyView) []detect.KeyPane

// A KeySelect says which keys a KeyTable is to hold.
type KeySelect struct {
	By    Weight  // empty: requests
	Table string  // of this table and its indexes; empty: of all
	Panes PanesOf // set: each pane's own first keys instead of the whole input's
	Limit int     // rows, or rows of each pane; 0: all
}

// BuildKeyTable gives the keys of v in order of the middle of their bounds, largest first, ties by table
// and key. Keys that surely have nothing of the weight are left out.
func BuildKeyTable(v *detect.View, s KeySelect) *KeyTable {
	by := cmp.Or(s.By, Requests)
	out := &KeyTable{By: by, PerPane: s.Panes != nil}
	targets := slices.DeleteFunc(slices.Clone(v.Targets), func(t *detect.TargetView) bool {
		return s.Table != "" && t.Target.Table != s.Table
	})
	for _, t := range targets {
		out.Milli = out.Milli || by == Cost && t.Totals[detect.UnitsKnown] > 0
	}
	if s.Panes == nil {
		out.Rows = firstRows(runRows(targets, by), s.Limit)
		return out
	}
	for _, rows := range paneRows(v, targets, by, s.Panes) {
		out.Rows = append(out.Rows, firstRows(rows, s.Limit)...)
	}
	return out
}

func runRows(targets []*detect.TargetView, by Weight) []KeyRow {
	var rows []KeyRow
	for _, t := range targets {
		whole := weightTotal(&t.Totals, by)
		for _, k := range t.Keys {
			amount := pick(by, k.Requests, k.Cost, k.Tombstones)
			rows = append(rows, KeyRow{Target: t.Target, Key: k.Key, Amount: amount, Share: shareOf(amount, whole), PeakPerSecond: k.PeakSecond.N})
		}
	}
	return rows
}

// paneRows gives the rows of each pane, as View.Panes.
func paneRows(v *detect.View, targets []*detect.TargetView, by Weight, panes PanesOf) [][]KeyRow {
	rows := make([][]KeyRow, len(v.Panes))
	for _, t := range targets {
		for _, k := range t.Keys {
			for i, p := range panes(t, k) {
				amount := pick(by, p.Requests, p.Cost, p.Tombstones)
				if amount.High > 0 {
					share := shareOf(amount, paneTotal(t, i, by))
					rows[i] = append(rows[i], KeyRow{Pane: v.Panes[i], Target: t.Target, Key: k.Key, Amount: amount, Share: share})
				}
			}
		}
	}
	return rows
}

// paneTotal gives what a share of a key in pane i is of. Requests of unknown key are in it: a pane does
// not tell them apart, so shares of panes are lower bounds where there are such.
func paneTotal(t *detect.TargetView, i int, by Weight) uint64 {
	p := &t.Panes[i].Totals
	switch {
	case by == Requests:
		return p[detect.PaneRequests]
	case by == Tombstones:
		return p[detect.PaneTombstones]
	case by == Cost && t.Totals[detect.UnitsKnown] > 0:
		return 3*p[detect.PaneWriteMilli] + p[detect.PaneReadMilli]
	}
	return p[detect.PaneBytes]
}

func firstRows(rows []KeyRow, limit int) []KeyRow {
	rows = slices.DeleteFunc(rows, func(r KeyRow) bool { return r.Amount.High == 0 })
	slices.SortFunc(rows, func(a, b KeyRow) int {
		return cmp.Or(cmp.Compare(b.Amount.Middle(), a.Amount.Middle()), compareTargets(a.Target, b.Target), strings.Compare(string(a.Key), string(b.Key)))
	})
	return rows[:limited(len(rows), limit)]
}

func pick(by Weight, requests, cost, tombstones detect.Range) detect.Range {
	switch by {
	case Cost, Bytes:
		return cost
	case Tombstones:
		return tombstones
	}
	return requests
}

// weightTotal gives what a share of a key is of; 0 when it is not known.
func weightTotal(t *detect.Totals, by Weight) uint64 {
	switch {
	case by == Requests:
		return t[detect.Requests] - min(t[detect.Requests], t[detect.KeyUnknown])
	case by == Tombstones:
		return t[detect.Tombstones]
	case by == Cost && t[detect.UnitsKnown] > 0:
		return 3*t[detect.WriteMilli] + t[detect.ReadMilli]
	}
	return t[detect.Bytes]
}
