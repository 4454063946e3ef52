package propose

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// readOnly reports whether a key is one item that is read nine times in ten. Without sort keys it is taken for one unless
// its reads are of more than 4 KiB or of several rows: else each shard would be asked, and charged for, as often as the key is now.
func (s spread) readOnly(k *detect.KeyView) bool {
	if k.Exact == nil || detect.Ratio(k.Exact.Totals.Reads(), k.Exact.Totals[detect.Requests]) < mostReads {
		return false
	}
	units := k.Exact.Totals[detect.ReadMilli]
	return s.item >= 500 || k.Exact.SortKnown == 0 && s.rows <= 1000 && units <= detect.MulSat(k.Exact.Totals.Reads(), 2*leastRead)
}

// updatesOf gives the share of a key's counted requests that update.
func updatesOf(k *detect.KeyView) detect.Milli {
	return detect.Ratio(k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpUpdate)], k.Exact.Totals[detect.Requests])
}

// counter reports whether a key is one item that is updated nine times in ten. Without sort keys it is taken for one.
func (s spread) counter(k *detect.KeyView) bool {
	return k.Exact != nil && updatesOf(k) >= 900 && (k.Exact.SortKnown == 0 || s.item >= 500)
}
