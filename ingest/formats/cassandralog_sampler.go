package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

var clSamplerFile = []byte("SamplingManager.java")

// isSampler reports whether a record is what the background sampler prints (profileload -i, 5.0 on): nodetool's
// lists, below a line without text or with the title of the first of them.
func isSampler(data []byte, head *cassandraHead, at int) bool {
	if !bytes.HasPrefix(head.file, clSamplerFile) || at >= len(data) {
		return false
	}
	first := bytes.TrimSpace(clFirstLine(data[at:]))
	return len(first) == 0 || samplerKindOf(first) != noList
}

func clFirstLine(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i]
	}
	return text
}

// sampled reads the lists of the background sampler. It runs again and again, for seconds each time, so
// that the windows of one minute of the hour count as one.
func (d *cassandra) sampled(lists []byte) {
	const minute = 60e9
	d.samples = profileLoad{run: samplerRun{number: int(d.nano / minute % 60)}}
	rec := ingest.Record{At: d.rec.At}
	for line := range bytes.Lines(lists) {
		if rec.Data = bytes.TrimRight(line, "\r\n"); len(rec.Data) > 0 {
			d.samples.Decode(&rec, (*clSamples)(d))
		}
	}
	d.samples.Close((*clSamples)(d))
	d.skip(skipSampler)
}

// clSamples passes on what a sampler's lists tell, with the time of their record. Lists of tombstones are
// left out: the log warns of such reads itself.
type clSamples cassandra

func (s *clSamples) Event(e *ingest.Event) {
	if _, known := e.Tombstones(); known {
		return
	}
	e.Node = s.rec.Node
	if s.nano != 0 {
		e.SetTime(s.nano)
	}
	s.to.Event(e)
}

func (s *clSamples) Problem(p ingest.Problem) { s.to.Problem(p) }
func (s *clSamples) Skip(string)              {}

// State implements ingest.Sink.
func (s *clSamples) State(st *ingest.State) {
	st.Node, st.UnixNano = s.rec.Node, s.nano
	s.to.State(st)
}

func (s *clSamples) Fact(*ingest.Fact)   {}
func (s *clSamples) Point(*ingest.Point) {}
