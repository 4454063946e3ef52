package detect

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/keyheat/keyheat/ingest"
)

// A tree folds values in the order in which they are added, in a tree of fixed width: so many
// neighbours are joined one after the other, and so are the results of so many such groups. Its result
// depends on the values and their order alone. It holds one value a level.
type tree[T any] struct {
	fan    int
	join   func(a, b T) T
	levels []level[T]
}

type level[T any] struct {
	value T
	count int
}

func (t *tree[T]) add(v T) { t.addAt(0, v) }

func (t *tree[T]) addAt(depth int, v T) {
	if depth == len(t.levels) {
		t.levels = append(t.levels, level[T]{})
	}
	l := &t.levels[depth]
	if l.count == 0 {
		l.value = v
	} else {
		l.value = t.join(l.value, v)
	}
	l.count++
	if l.count == t.fan {
		full := l.value
		*l = level[T]{}
		t.addAt(depth+1, full)
	}
}

// result joins what the levels hold; ok is false when nothing was added.
func (t *tree[T]) result() (v T, ok bool) {
	for _, l := range t.levels {
		switch {
		case l.count == 0:
		case !ok:
			v, ok = l.value, true
		default:
			v = t.join(l.value, v)
		}
	}
	return v, ok
}

// copied gives a tree of copies.
func (t *tree[T]) copied(copy func(T) T) tree[T] {
	c := tree[T]{fan: t.fan, join: t.join, levels: make([]level[T], len(t.levels))}
	for i, l := range t.levels {
		if l.count > 0 {
			c.levels[i] = level[T]{copy(l.value), l.count}
		}
	}
	return c
}

// A folder brings the parts of a run into order, whatever the order of their arrival: the chunks of an
// input are folded in a tree, and the inputs in another. The worker that brings the next chunk of an
// input folds it, so several inputs are folded at once. All inputs of a Live have one tree, in which their
// chunks stand in the order of their arrival: each would else hold what it came to until the Live ends.
type folder[T foldable] struct {
	joins[T]
	fan     int
	mu      sync.Mutex // guards what follows
	open    map[ingest.InputID]*inputFold[T]
	done    map[ingest.InputID]T
	members map[int]int // of files that are complete
	next    ingest.InputID
	all     tree[T]
}

// A foldable is of so many inputs.
type foldable interface{ count() int }

// joins are how parts are joined.
type joins[T any] struct {
	chunks   func(a, b T) T           // b continues the input that a ends with
	together func(a, b T) T           // both are of inputs of one Live
	inputs   func(a, b T) T           // b follows a
	empty    func(in *ingest.Input) T // stands for an input without chunks
	whole    func(v T) T              // what together came to, for inputs
}

// An inputFold is the tree of one input, or of a Live.
type inputFold[T any] struct {
	live    bool
	mu      sync.Mutex
	waiting map[int]T
	next    int
	tree    tree[T]
}

func newFolder[T foldable](fan int, j joins[T]) *folder[T] {
	return &folder[T]{
		joins: j, fan: fan,
		open: map[ingest.InputID]*inputFold[T]{}, done: map[ingest.InputID]T{}, members: map[int]int{},
		all: tree[T]{fan: fan, join: j.inputs},
	}
}

// opened gives the tree of an input, or of the Live that has this one. f.mu is held.
func (f *folder[T]) opened(id ingest.InputID, live bool) *inputFold[T] {
	in := f.open[id]
	if in == nil {
		join := f.chunks
		if live {
			join = f.together
		}
		in = &inputFold[T]{live: live, waiting: map[int]T{}, tree: tree[T]{fan: f.fan, join: join}}
		f.open[id] = in
	}
	return in
}

// input gives that tree, locked.
func (f *folder[T]) input(id ingest.InputID, live bool) *inputFold[T] {
	f.mu.Lock()
	in := f.opened(id, live)
	f.mu.Unlock()
	in.mu.Lock()
	return in
}

// came gives what the tree of an input, or a copy of it, came to.
func (f *folder[T]) came(in *inputFold[T], of *tree[T]) (v T, ok bool) {
	if v, ok = of.result(); ok && in.live {
		v = f.whole(v)
	}
	return v, ok
}

// treeOf names the tree in which an input is folded.
func treeOf(in *ingest.Input) ingest.InputID {
	if in.Live != nil {
		return *in.Live
	}
	return in.ID
}

// end takes what a chunk came to.
func (f *folder[T]) end(c ingest.Chunk, v T) {
	if c.Input.Live == nil {
		f.add(c.Input.ID, c.Index, v)
		return
	}
	live := f.input(*c.Input.Live, true)
	defer live.mu.Unlock()
	live.tree.add(v)
}

// add takes chunk number index of an input.
func (f *folder[T]) add(id ingest.InputID, index int, v T) {
	in := f.input(id, false)
	defer in.mu.Unlock()
	in.waiting[index] = v
	for {
		v, ok := in.waiting[in.next]
		if !ok {
			return
		}
		delete(in.waiting, in.next)
		in.next++
		in.tree.add(v)
	}
}

// endInput says that all chunks of an input were added.
func (f *folder[T]) endInput(in *ingest.Input) {
	f.mu.Lock() // also while it is folded: a snapshot is to see it before or after
	defer f.mu.Unlock()
	if v, ok := f.ended(in); ok {
		f.done[in.ID] = v
		f.advance()
	}
}

// endLive is endInput of an input of a Live for whoever folds nothing else: ok says that v is all of it.
func (f *folder[T]) endLive(in *ingest.Input) (v T, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended(in)
}

// ended gives what an input came to, and forgets it. What those of a Live came to is one value, which the last of
// them to end gives, the first of them; ok is false for the others. f.mu is held.
func (f *folder[T]) ended(in *ingest.Input) (v T, ok bool) {
	id := treeOf(in)
	open := f.opened(id, in.Live != nil)
	if in.Live != nil {
		open.tree.add(f.empty(in)) // it may have had no chunk
	}
	if in.ID != id {
		return v, false
	}
	if v, ok = f.came(open, &open.tree); !ok {
		v = f.empty(in)
	}
	delete(f.open, id)
	return v, true
}

// endFile says that all inputs of a file have ended, and how many there were.
func (f *folder[T]) endFile(file, members int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[file] = members
	f.advance()
}

// advance folds the inputs that are next in order. f.mu is held.
func (f *folder[T]) advance() {
	for {
		if v, ok := f.done[f.next]; ok {
			delete(f.done, f.next)
			f.next.Member += v.count()
			f.all.add(v)
			continue
		}
		if n, ok := f.members[f.next.File]; !ok || f.next.Member < n {
			return
		}
		delete(f.members, f.next.File)
		f.next = ingest.InputID{File: f.next.File + 1}
	}
}

// result joins everything in order; what an interrupted run left without an end is joined too.
func (f *folder[T]) result() (T, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range f.left() {
		if v, ok := f.done[id]; ok {
			f.all.add(v)
			continue
		}
		in := f.open[id]
		if v, ok := f.came(in, &in.tree); ok {
			f.all.add(v)
		}
	}
	f.open, f.done = nil, nil
	return f.all.result()
}

// snapshot gives what result would give now. Adding goes on afterwards.
func (f *folder[T]) snapshot(copy func(T) T) (T, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all.copied(copy)
	for _, id := range f.left() {
		if v, ok := f.done[id]; ok {
			all.add(copy(v))
			continue
		}
		in := f.open[id]
		in.mu.Lock()
		open := in.tree.copied(copy)
		in.mu.Unlock()
		if v, ok := f.came(in, &open); ok {
			all.add(v)
		}
	}
	return all.result()
}

// left gives the inputs that are not folded yet, in order.
func (f *folder[T]) left() []ingest.InputID {
	ids := slices.AppendSeq(slices.Collect(maps.Keys(f.open)), maps.Keys(f.done))
	slices.SortFunc(ids, func(a, b ingest.InputID) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Member, b.Member))
	})
	return ids
}
