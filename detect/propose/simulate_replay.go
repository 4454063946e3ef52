package propose

import (
	"cmp"
	"sync"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A Replay puts the traffic of one table or index under candidate keys, all at once, and makes of each what
// analyze would make of it: a Profile of the traffic, one of the bytes that are written and one of the rows
// that are deleted. It implements ingest.Handler; its memory is that of the Profiles.
type Replay struct {
	*replayer
	lanes []*lane
}

// A lane is one key's part of a Replay.
type lane struct {
	key      *CandidateKey
	traffic  *detect.Collector
	written  *detect.Collector
	deleted  *detect.Collector
	profiles [3]*detect.Profile // of the three, once all is read
	counts   [3]*detect.ExactCounter
	mu       sync.Mutex
	tallies  *tallies // guarded by mu
}

// NewReplay makes the Replay of a table under today's key and the candidates. The settings are those of
// the run; wants says which events are of the table or index.
func NewReplay(keys []*CandidateKey, s detect.Settings, wants func(*ingest.Event) bool) *Replay {
	all := append([]*CandidateKey{today()}, keys...)
	s.Memory /= uint64(len(all))
	sizes := s
	sizes.KeysOnly, sizes.NoPanes = true, true
	r := &Replay{}
	to := make([]*target, len(all))
	for i, k := range all {
		l := &lane{
			key: k, tallies: newTallies(),
			traffic: detect.NewCollector(s), written: detect.NewCollector(sizes), deleted: detect.NewCollector(sizes),
		}
		r.lanes = append(r.lanes, l)
		to[i] = &target{key: k, handlers: [3]ingest.Handler{l.traffic, l.written, l.deleted}, take: l.take}
	}
	r.replayer = newReplayer(to, wants)
	return r
}

func (l *lane) take(y *tallies) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tallies.merge(y)
}

// Counter gives the handler of a second replay, over the same inputs, which counts the keys that matter
// exactly. It follows the first replay.
func (r *Replay) Counter() ingest.Handler {
	r.end()
	to := make([]*target, len(r.lanes))
	for i, l := range r.lanes {
		to[i] = &target{key: l.key, take: func(*tallies) {}}
		for j, p := range l.profiles {
			l.counts[j] = detect.NewCounter(p, detect.NominateFew(p, max(maxCounted/len(r.lanes), leastCounted), countedMinutes))
			to[i].handlers[j] = l.counts[j]
		}
	}
	return newReplayer(to, r.wants)
}

// maxCounted bounds the keys that a second replay counts, of all candidates together; each has at most
// countedMinutes that are counted by the second, as many as there are panes of a minute.
const (
	maxCounted     = 256
	leastCounted   = 16
	countedMinutes = detect.MaxPanes
)

// Profile gives that of the traffic under today's key.
func (r *Replay) Profile() *detect.Profile {
	r.end()
	return r.lanes[0].profiles[toTraffic]
}

// Uncount drops what a second replay counted, which did not see all of the inputs.
func (r *Replay) Uncount() {
	for _, l := range r.lanes {
		l.counts = [3]*detect.ExactCounter{}
	}
}

// end makes the profiles, once.
func (r *Replay) end() {
	for _, l := range r.lanes {
		if l.profiles[0] == nil {
			l.profiles = [3]*detect.Profile{detect.JoinStores(l.traffic.Profile()), detect.JoinStores(l.written.Profile()), detect.JoinStores(l.deleted.Profile())}
		}
	}
}

// views gives what is known of each of the three; the counts are taken once.
func (l *lane) views(limits *detect.Limits, sampling detect.Rate) (views [3]*detect.View) {
	for i, p := range l.profiles {
		var exact *detect.Exact
		if l.counts[i] != nil {
			exact = l.counts[i].Exact()
		}
		views[i] = detect.NewView(p, exact, limits, sampling)
	}
	return views
}

// A target is who takes the traffic under one key: of all requests, of what is written, of what is deleted.
type target struct {
	key      *CandidateKey
	handlers [3]ingest.Handler
	take     func(*tallies) // called at the end of a chunk, by several goroutines
}

// A replayer hands each event to its targets, under their keys. It implements ingest.Handler.
type replayer struct {
	targets []*target
	wants   func(*ingest.Event) bool
	free    sync.Pool // of *replaySink
}

func newReplayer(to []*target, wants func(*ingest.Event) bool) *replayer {
	r := &replayer{targets: to, wants: wants}
	r.free.New = func() any {
		s := &replaySink{wants: wants, lanes: make([]laneSink, len(to))}
		for i := range s.lanes {
			s.lanes[i] = laneSink{placement: placement{key: to[i].key}, today: to[i].key.isToday(), tallies: newTallies()}
		}
		return s
	}
	return r
}

// Begin gives the sink of a chunk.
func (r *replayer) Begin(c ingest.Chunk) ingest.Sink {
	s := r.free.Get().(*replaySink)
	s.coverage, s.role = c.Input.Format.Coverage, c.Input.Role()
	for i, t := range r.targets {
		for j, h := range t.handlers {
			s.lanes[i].to[j] = h.Begin(c)
		}
	}
	return s
}

// End takes what a chunk's sink was fed.
func (r *replayer) End(c ingest.Chunk, to ingest.Sink, st ingest.ChunkStats) {
	s := to.(*replaySink)
	for i, t := range r.targets {
		for j, h := range t.handlers {
			h.End(c, s.lanes[i].to[j], st)
		}
		t.take(s.lanes[i].tallies)
		s.lanes[i].tallies.reset()
	}
	r.free.Put(s)
}

// EndInput takes the end of an input.
func (r *replayer) EndInput(in *ingest.Input, chunks int) {
	r.each(func(h ingest.Handler) { h.EndInput(in, chunks) })
}

// EndFile takes the end of a file.
func (r *replayer) EndFile(file, members int) {
	r.each(func(h ingest.Handler) { h.EndFile(file, members) })
}

func (r *replayer) each(do func(ingest.Handler)) {
	for _, t := range r.targets {
		for _, h := range t.handlers {
			do(h)
		}
	}
}

// A replaySink hands the events of one chunk to all keys. Facts go with them; states and points have no key
// that could be replaced, problems and skips are counted by whoever reads.
type replaySink struct {
	ingest.EventsOnly
	wants    func(*ingest.Event) bool
	coverage ingest.Coverage // of the input
	role     string          // see ingest.Input.Role
	lanes    []laneSink
}

// Event hands e to each key.
func (s *replaySink) Event(e *ingest.Event) {
	if !s.wants(e) {
		return
	}
	detect.Retell(e, s.role)
	coverage := cmp.Or(e.Coverage, s.coverage)
	for i := range s.lanes {
		s.lanes[i].event(e, coverage)
	}
}

// Fact hands f to each key.
func (s *replaySink) Fact(f *ingest.Fact) {
	for i := range s.lanes {
		s.lanes[i].to[0].Fact(f)
	}
}

// Problem counts a problem with the input in each profile, as reading does.
func (s *replaySink) Problem(p ingest.Problem) {
	for i := range s.lanes {
		s.lanes[i].to[0].Problem(p)
	}
}

// Skip counts a skipped record likewise.
func (s *replaySink) Skip(kind string) {
	for i := range s.lanes {
		s.lanes[i].to[0].Skip(kind)
	}
}
