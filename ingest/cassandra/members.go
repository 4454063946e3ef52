package cassandra

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// membersEvery is how often it is asked who is in the cluster, in looks at a node.
const membersEvery = 2

// watchers are the parts that read one node each: those of the begin of the run, and of nodes that join it later.
type watchers struct {
	server   *server
	cluster  *cluster
	to       ingest.Streams
	name     string // of the cluster, as inputs begin
	formats  *liveFormats
	topology ingest.Sink // takes what nodes tell of each other

	err     error // of the last look
	all     []*watcher
	running sync.WaitGroup
}

type watcher struct {
	member string // id
	part   *part
	leave  context.CancelFunc
}

// start reads a node until the run ends, or the node leaves.
func (w *watchers) start(ctx context.Context, m *member) {
	s := w.server
	sink := w.to.Open(ingest.LiveInput{Name: w.name + "/" + m.name, Format: &w.formats.tables, Node: m.name})
	n := &nodeReader{server: s, cluster: w.cluster, member: m, link: s.link(m.address), note: w.to.Note, counts: map[string]count{}}
	n.to = &scoped{Sink: sink, config: s.config, node: []byte(m.name)}
	n.log = &logReader{
		node: n, format: s.o.Format(logFormat),
		open: func() ingest.Sink {
			return w.to.Open(ingest.LiveInput{Name: w.name + "/" + m.name + "/system_logs", Format: &w.formats.log, Node: m.name})
		},
	}
	p := &part{name: m.name, poll: n.poll, missed: "; what it kept in memory meanwhile, such as its histograms, is missing"}
	here, leave := context.WithCancel(ctx)
	w.all = append(w.all, &watcher{m.id, p, leave})
	w.running.Go(func() { s.run(here, p, w.to) })
}

// poll asks a node who is in the cluster, and another one when that cannot be talked to.
func (w *watchers) poll(ctx context.Context, last bool) error {
	if last { // nobody who joins now would be read
		return w.err
	}
	errs := []error{}
	for _, m := range w.cluster.members() {
		err := w.look(ctx, m)
		if err == nil || ctx.Err() != nil {
			w.err = nil
			return err
		}
		errs = append(errs, err)
	}
	w.err = errors.Join(errs...)
	return w.err
}

// look compares the peers of a node with those who are read.
func (w *watchers) look(ctx context.Context, of *member) error {
	l := w.server.link(of.address)
	before, ids := w.cluster.members(), map[string]bool{of.id: true}
	if err := readPeers(ctx, l, "peer, host_id", func(r *systable.Row) { ids[idOf(r, string(r.Of("peer")))] = true }); err != nil {
		return err
	}
	if len(ids) == len(before) && !slices.ContainsFunc(before, func(m *member) bool { return !ids[m.id] }) {
		return nil
	}
	after, _, err := readMembers(ctx, l)
	if err != nil {
		return err
	}
	joined, left := changes(before, after)
	if len(joined)+len(left) == 0 { // peers that are half gone, or not quite here
		return nil
	}
	w.cluster.telling.Lock()
	tellMembers(after, w.topology) // who holds what has changed
	w.cluster.telling.Unlock()
	w.cluster.become(after)
	for _, m := range left {
		w.left(m)
	}
	for _, m := range joined {
		w.to.Note(m.name + " joined the cluster during the run: it is read from then on")
		w.start(ctx, m)
	}
	return nil
}

// left ends the reading of a node that left the cluster.
func (w *watchers) left(m *member) {
	w.to.Note(m.name + " left the cluster during the run: it is read until then")
	for _, x := range w.all {
		if x.member == m.id {
			x.part.left.Store(true)
			x.leave()
		}
	}
}

// changes gives the members that are in one of the lists alone. Those in both keep the name and the address at which
// they were found: others may know another one.
func changes(before, after []*member) (joined, left []*member) {
	find := func(list []*member, id string) *member {
		if i := slices.IndexFunc(list, func(m *member) bool { return m.id == id }); i >= 0 {
			return list[i]
		}
		return nil
	}
	for _, m := range after {
		if known := find(before, m.id); known != nil {
			m.name, m.address = known.name, known.address
		} else {
			joined = append(joined, m)
		}
	}
	for _, m := range before {
		if find(after, m.id) == nil {
			left = append(left, m)
		}
	}
	return joined, left
}

// end waits for all, and gives those that were in the cluster to the end.
func (w *watchers) end() (parts []*part) {
	w.running.Wait()
	for _, x := range w.all {
		x.leave()
		if !x.part.left.Load() {
			parts = append(parts, x.part)
		}
	}
	return parts
}
