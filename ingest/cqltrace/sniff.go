package cqltrace

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// maxSniffed bounds the lines that Sniff looks at.
const maxSniffed = 400

// Sniff tells whether an input holds traces, and of which store; why is what was seen or is missing.
func Sniff(head []byte) (store ingest.Store, why string) {
	d := New(ingest.Cassandra, nil, ingest.DecodeOptions{})
	d.to = nothing{}
	n, bare := 0, 0
	told, seen := false, false // told: an activity that only traces have
	for line := range bytes.Lines(head) {
		if n++; n > maxSniffed || seen {
			break
		}
		d.rec = &ingest.Record{Data: line}
		text := bytes.TrimSpace(line)
		if _, ok := warningOf(text, ingest.Position{}); ok || isAbort(text) {
			continue // a client's echo
		}
		if activity := withoutThread(text); isActivity(activity) && bytes.IndexByte(text, '|') < 0 {
			bare++
			if told = told || !bytes.HasPrefix(text, []byte("Read ")) && !bytes.HasPrefix(text, []byte("Scanned over ")); told && bare >= 2 {
				return storeOf(head), "activities of a query trace"
			}
			continue
		}
		if bytes.HasPrefix(text, []byte("{")) && !bytes.Contains(text, []byte(`"session_id"`)) && len(d.carry) == 0 {
			continue
		}
		seen = d.take(bytes.TrimRight(line, " \t\r\n")) == rowTaken && len(d.carry) == 0
	}
	if seen {
		return storeOf(head), "rows of a query trace"
	}
	return ingest.StoreUnknown, "no query trace: neither `Tracing session`, nor rows of system_traces, nor activities"
}

// storeOf tells ScyllaDB from Cassandra.
func storeOf(head []byte) ingest.Store {
	for _, sign := range []string{"scylla_", "| shard ", ",shard ", ";shard ", "[shard ", "Page stats: ", "reader concurrency semaphore", "node_ip", "param[", "read_data: ", "Creating read executor", `"shard `, "request_size"} {
		if bytes.Contains(head, []byte(sign)) {
			return ingest.Scylla
		}
	}
	return ingest.Cassandra
}

// nothing takes what sniffing finds.
type nothing struct{ ingest.EventsOnly }

func (nothing) Event(*ingest.Event)    {}
func (nothing) Problem(ingest.Problem) {}
func (nothing) Skip(string)            {}
