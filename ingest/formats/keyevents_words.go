package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// opWord is a name of an operation, of at most 8 bytes as wordOf gives it.
type opWord struct {
	word uint64
	op   ingest.Op
}

// shortOps are looked through in this order.
var shortOps = []opWord{
	{wordOf([]byte("read")), ingest.OpRead},
	{wordOf([]byte("write")), ingest.OpWrite},
	{wordOf([]byte("update")), ingest.OpUpdate},
	{wordOf([]byte("delete")), ingest.OpDelete},
	{wordOf([]byte("get")), ingest.OpRead},
	{wordOf([]byte("put")), ingest.OpWrite},
	{wordOf([]byte("query")), ingest.OpRead},
	{wordOf([]byte("scan")), ingest.OpScan},
	{wordOf([]byte("getitem")), ingest.OpRead},
	{wordOf([]byte("putitem")), ingest.OpWrite},
	{wordOf([]byte("select")), ingest.OpRead},
	{wordOf([]byte("insert")), ingest.OpWrite},
	{wordOf([]byte("upsert")), ingest.OpWrite},
	{wordOf([]byte("modify")), ingest.OpUpdate},
	{wordOf([]byte("remove")), ingest.OpDelete},
	{wordOf([]byte("r")), ingest.OpRead},
	{wordOf([]byte("w")), ingest.OpWrite},
}

// longOps are the names of DynamoDB's API that are longer.
var longOps = []struct {
	name string // in lower case
	op   ingest.Op
}{
	{"updateitem", ingest.OpUpdate},
	{"deleteitem", ingest.OpDelete},
	{"batchgetitem", ingest.OpRead},
	{"transactgetitems", ingest.OpRead},
	{"batchwriteitem", ingest.OpWrite},
	{"transactwriteitems", ingest.OpWrite},
}

// opOf reads the name of an operation, whatever its case.
func opOf(text []byte) ingest.Op {
	if len(text) <= 8 {
		w := wordOf(text)
		for i := range shortOps {
			if shortOps[i].word == w {
				return shortOps[i].op
			}
		}
		return ingest.OpUnknown
	}
	for i := range longOps {
		if len(text) == len(longOps[i].name) && sameName(text, longOps[i].name) {
			return longOps[i].op
		}
	}
	return ingest.OpUnknown
}

// isNo reports whether a value denies: false, no, n, f, none, 0 or nothing.
func isNo(text []byte) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text[0] == '0' || text[0]|0x20 == 'n' || text[0]|0x20 == 'f'
	}
	return bytes.EqualFold(text, []byte("false")) || bytes.EqualFold(text, []byte("no")) || bytes.EqualFold(text, []byte("none"))
}

// throttleOf reads yes, or a reason: our own words, those of DynamoDB's ThrottlingReasons, which are
// {Table|Index}{Read|Write}{ProvisionedThroughput|KeyRangeThroughput|AccountLimit|MaxOnDemandThroughput}Exceeded
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/throttling-diagnosing.html), and
// the names of its exceptions.
func throttleOf(text []byte) (ingest.Throttle, bool) {
	if len(text) > ingest.MaxProblemText {
		return 0, false
	}
	var buf [ingest.MaxProblemText]byte
	lower := buf[:copy(buf[:], text)]
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	has := func(part string) bool { return bytes.Contains(lower, []byte(part)) }
	begins := func(part string) bool { return bytes.HasPrefix(lower, []byte(part)) }
	exceeded := has("exceeded")
	switch s := string(lower); {
	case s == "true", s == "yes", s == "y", s == "t", s == "unknown":
		return ingest.ThrottledUnknown, true
	case s == "key-range", s == "key_range", s == "keyrange", exceeded && has("keyrange"):
		return ingest.ThrottledKeyRange, true
	case s == "account", exceeded && has("accountlimit"), has("requestlimitexceeded"):
		return ingest.ThrottledAccount, true
	case s == "index", exceeded && begins("index"):
		return ingest.ThrottledIndex, true
	case s == "table", exceeded && begins("table"):
		return ingest.ThrottledTable, true
	}
	return ingest.ThrottledUnknown, has("throttl") || has("throughputexceeded")
}
