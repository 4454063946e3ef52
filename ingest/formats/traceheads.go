package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// TraceHeads gives a format, none of the catalogue, of inputs that hold rows of system_traces.sessions.
// Its decoder tells nothing and puts the requests into heads, for ingest.DecodeOptions.Traces; heads is
// used by one worker at a time.
func TraceHeads(heads map[string]ingest.TraceHead) *ingest.Format {
	return &ingest.Format{
		Name:       "trace-heads",
		Sequential: true,
		Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
			if cqltrace.HoldsHeads(head) {
				return ingest.Verdict{Fit: ingest.Certain, Why: "rows of system_traces.sessions"}
			}
			return ingest.Verdict{Fit: ingest.No, Why: "no rows of system_traces.sessions"}
		},
		New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
			return cqltrace.Learn(head, o, heads), nil
		},
	}
}
