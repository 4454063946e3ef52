package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// CassandraClient is what clients echo of a server's warnings.
var CassandraClient = ingest.Format{
	Name:     "cassandra-client",
	Title:    "Cassandra's warnings and errors as a client saw them",
	Doc:      cassandraClientDoc,
	Coverage: ingest.Selected,
	Carries:  []string{"time", "table", "key", "statement", "tombstones", "rows", "collection size"},
	Sniff:    sniffCassandraClient,
	Begins:   cassandraClientBegins,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return newCassandraClient(head, o), nil
	},
}

const cassandraClientDoc = `
Any text that holds messages of the server: cqlsh sessions with their "Warnings :", logs of drivers and applications
("Server warning: ...", "... generated server side warning(s): ..."), exceptions (READ_TOO_MANY_TOMBSTONES), test runs, and
lines pasted without the head that the server's log gives them, rows of system_views.system_logs, and JSON that holds such
texts. A message may stand
anywhere in a line and be wrapped.
An exception names no table: it counts only in an input that holds no line on a read that was ended.
`

const clClientRole = "client"

// A cassandraClient reads text around messages of the server.
type cassandraClient struct{ cassandra }

func newCassandraClient(head []byte, o ingest.DecodeOptions) *cassandraClient {
	d := &cassandraClient{*newCassandra(head, o, clClientRole)}
	d.json = len(head) > 0 && (head[0] == '{' || head[0] == '[')
	return d
}

const clSkipClient = "text without a message of the server"

// Decode implements ingest.Decoder.
func (d *cassandraClient) Decode(rec *ingest.Record, to ingest.Sink) {
	d.rec, d.to, d.said = rec, to, false
	data := d.unquoted(rec.Data)
	d.anywhere(data)
	if !d.said && !d.rewrapped(data) {
		to.Skip(clSkipClient)
	}
}

// cassandraClientBegins reports whether a line holds a message, or begins as lines of logs do.
func cassandraClientBegins(line []byte) bool {
	if cassandraLogBegins(line) || findCassandraMessage(line, 0) >= 0 {
		return true
	}
	return bytes.HasPrefix(line, []byte("$ ")) || bytes.HasPrefix(line, []byte("cqlsh"))
}

// sniffCassandraClient looks for a message that can be read, or for the exception of an aborted read.
func sniffCassandraClient(head []byte, o ingest.DecodeOptions) ingest.Verdict {
	none := ingest.Verdict{Why: "no warning or error of a Cassandra server in it"}
	if len(head) == 0 || sniffCassandraLog(head, o).Fit == ingest.Certain {
		return none
	}
	for _, word := range clForeign {
		if bytes.Contains(head, word) {
			return none
		}
	}
	d := newCassandraClient(head, o)
	var found clFound
	for text := head; len(text) > 0 && !bool(found); {
		n := clRecordEnd(text, cassandraClientBegins)
		d.Decode(&ingest.Record{Data: text[:n]}, &found)
		text = text[n:]
	}
	if !found {
		return none
	}
	return ingest.Verdict{Fit: ingest.Certain, Why: "a warning or error of a Cassandra server stands in it"}
}

// clForeign are words of print-outs that quote messages and have formats of their own.
var clForeign = [][]byte{
	[]byte("Tracing session: "), []byte("[shard "), []byte("large_data - "), []byte("Execute CQL3 "), []byte("LogMessage: "),
}
