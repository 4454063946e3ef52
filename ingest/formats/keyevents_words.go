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

// shortOps are placed by the hash of their word; a slot has room for one.
var shortOps = placed(opWords)

const (
	opSlots  = 64
	opShift  = 64 - 6
	opFactor = 0x7ce42c8218072e8d // found by trial: no two words share a slot
)

func placed(words []opWord) (slots [opSlots]opWord) {
	for _, w := range words {
		slots[w.word*opFactor>>opShift] = w
	}
	return slots
}

var opWords = []opWord{
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
		if s := &shortOps[w*opFactor>>opShift]; s.word == w {
			return s.op
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
	is := func(word string) bool { return string(lower) == word }
	has := func(part string) bool { return bytes.Contains(lower, []byte(part)) }
	begins := func(part string) bool { return bytes.HasPrefix(lower, []byte(part)) }
	exceeded := has("exceeded")
	switch {
	case is("true"), is("yes"), is("y"), is("t"), is("unknown"):
		return ingest.ThrottledUnknown, true
	case is("key-range"), is("key_range"), is("keyrange"), exceeded && has("keyrange"):
		return ingest.ThrottledKeyRange, true
	case is("on-demand-maximum"), exceeded && has("maxondemand"):
		return ingest.ThrottledMaximum, true
	case is("account"), exceeded && has("accountlimit"), has("requestlimitexceeded"):
		return ingest.ThrottledAccount, true
	case is("index"), exceeded && begins("index"):
		return ingest.ThrottledIndex, true
	case is("table"), exceeded && begins("table"):
		return ingest.ThrottledTable, true
	}
	return ingest.ThrottledUnknown, has("throttl") || has("throughputexceeded")
}

// storeNames are the names of databases.
var storeNames = []struct {
	name  string
	store ingest.Store
}{
	{"dynamodb", ingest.DynamoDB},
	{"cassandra", ingest.Cassandra},
	{"scylla", ingest.Scylla},
	{"scylladb", ingest.Scylla},
}

// storeOf reads the name of a database, whatever its case.
func storeOf(text []byte) (ingest.Store, bool) {
	for _, s := range storeNames {
		if len(text) == len(s.name) && sameName(text, s.name) {
			return s.store, true
		}
	}
	return ingest.StoreUnknown, false
}
