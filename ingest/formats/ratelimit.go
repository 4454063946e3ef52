package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// rateLimit begins what ScyllaDB says when the limit that a table has for each of its partitions refuses a request.
var rateLimit = []byte("Per-partition rate limit reached for ")

// rateLimited reads `Per-partition rate limit reached for reads in table ks.t, rejected by replicas`, which the server
// logs, and clients as the error of a request ("read"; exceptions/exceptions.cc). It names no key.
func rateLimited(text []byte) (op ingest.Op, table []byte, ok bool) {
	_, rest, ok := bytes.Cut(text, rateLimit)
	if !ok {
		return 0, nil, false
	}
	op = ingest.OpWrite
	if bytes.HasPrefix(rest, []byte("read")) {
		op = ingest.OpRead
	}
	rest = rest[:min(len(rest), longestLimit)]
	if _, rest, ok = bytes.Cut(rest, []byte(" in table ")); !ok {
		return 0, nil, false
	}
	table, _, ok = bytes.Cut(rest, []byte(", rejected by "))
	return op, table, ok && len(table) > 0 && bytes.IndexByte(table, ' ') < 0
}

// longestLimit is how far behind its beginning such a text is looked at, in bytes.
const longestLimit = 512
