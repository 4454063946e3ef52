package render

import (
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// textCollections is how many item collections of a table a text report shows unless told otherwise.
const textCollections = 10

// storedTitles are the columns of the table of item collections.
var storedTitles = []string{"table", "key", "items", "bytes", "local indexes", "stored", "of 10 GiB", "share", "files"}

// storedCells gives the columns of storedTitles.
func storedCells(t *report.Table, c *report.Collection) []string {
	local, files := "", "?"
	if c.Local.High > 0 {
		local = sizeBounds(c.Local)
	}
	if c.Files.High > 0 {
		files = countBounds(c.Files).String()
	}
	return []string{orNoTable(tableName(t.Target)), visibleKey(c.Key), countBounds(c.Items).String(), sizeBounds(c.Bytes), local, sizeBounds(c.Storage), percent(c.OfLimit),
		shareBounds(c.Share).String(), files}
}

// sizeBounds gives bytes, or both their bounds where these are told apart.
func sizeBounds(r detect.Range) string {
	if low, high := size(r.Low), size(r.High); low != high {
		return low + "–" + high
	}
	return size(r.Low)
}

// spreadTitles are the columns of how what is stored spreads: quantiles stand for half, 90 % and 99 % of the
// keys, and for half and 99 % of the items, with the largest.
var spreadTitles = []string{"table", "items", "bytes", "keys", "items/key", "bytes/key", "an item", "as of"}

// spreadCells gives the columns of spreadTitles.
func spreadCells(t *report.Table) []string {
	s := t.Stored
	items, bytes, item, at := []string{}, []string{}, "?", "?"
	for _, q := range s.PerKey {
		items, bytes = append(items, count(q.Items)), append(bytes, size(q.Bytes))
	}
	if s.Item[2] > 0 {
		item = strings.Join([]string{size(s.Item[0]), size(s.Item[1]), size(s.Item[2])}, " · ")
	}
	if s.UnixNano != 0 {
		at = time.Unix(0, s.UnixNano).UTC().Format(time.RFC3339)
	}
	return []string{orNoTable(tableName(t.Target)), count(s.Items), size(s.Bytes), distinctText(s.Keys),
		strings.Join(items, " · "), strings.Join(bytes, " · "), item, at}
}

// collectionsOf gives the largest collections of a table or a global index. Those of a local index stand
// with its table's.
func collectionsOf(t *report.Table, most int) []report.Collection {
	if t.Stored.Local {
		return nil
	}
	return t.Stored.Collections[:min(len(t.Stored.Collections), most)]
}

// storedTables gives the tables of which anything is stored.
func (p *page) storedTables() []*report.Table {
	out := []*report.Table{}
	for i := range p.r.Tables {
		if p.r.Tables[i].Stored != nil && len(out) < p.o.Limit {
			out = append(out, &p.r.Tables[i])
		}
	}
	return out
}
