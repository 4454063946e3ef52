package formats

import (
	"bytes"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// awsIndexes tells, item by item, what the secondary indexes of described tables hold of it.
type awsIndexes struct {
	given  map[string][]ingest.SecondaryIndex
	tables map[string]*awsLayout
	parts  [][]byte // of a key
	bytes  []byte   // of parts
}

// An awsLayout says which attributes of a table's items make the keys and entries of its indexes.
type awsLayout struct {
	indexes []awsIndex
	names   [][]byte // of the attributes that are wanted
}

// An awsIndex is an index whose attributes are numbers of names.
type awsIndex struct {
	*ingest.SecondaryIndex
	name             []byte
	hash, sort, held []int
}

// An awsImage is one item, as far as indexes are about it.
type awsImage struct {
	want []awsjson.Attribute // as awsLayout.names; Kind 0: the item has none, or none that can be a key
	size uint64              // of the item; 0: there is none
}

// of gives the layout of a table; nil when no index of it is known. Where the table is not told, that of
// the only table described is meant.
func (x *awsIndexes) of(table []byte) *awsLayout {
	list := x.given[string(table)]
	if len(table) == 0 && len(x.given) == 1 {
		for _, list = range x.given {
		}
	}
	if len(list) == 0 {
		return nil
	}
	if l := x.tables[string(table)]; l != nil {
		return l
	}
	l := &awsLayout{}
	for i := range list {
		l.add(&list[i])
	}
	if x.tables == nil {
		x.tables = map[string]*awsLayout{}
	}
	x.tables[string(table)] = l
	return l
}

func (l *awsLayout) add(s *ingest.SecondaryIndex) {
	i := awsIndex{SecondaryIndex: s, name: []byte(s.Name), hash: l.places(s.Partition), sort: l.places(s.Sort)}
	i.held = slices.Concat(i.hash, i.sort, l.places(s.Base), l.places(s.Include))
	slices.Sort(i.held)
	i.held = slices.Compact(i.held) // an attribute counts once
	l.indexes = append(l.indexes, i)
}

// places gives the numbers of attributes.
func (l *awsLayout) places(names []string) []int {
	out := []int{}
	for _, name := range names {
		i := slices.IndexFunc(l.names, func(n []byte) bool { return string(n) == name })
		if i < 0 {
			i, l.names = len(l.names), append(l.names, []byte(name))
		}
		out = append(out, i)
	}
	return out
}

// read reads an item again, for its indexes.
func (l *awsLayout) read(r awsjson.Reader, m *awsImage) {
	m.want = m.want[:0]
	for _, name := range l.names {
		m.want = append(m.want, awsjson.Attribute{Name: name})
	}
	m.size = r.Item(m.want)
}

// entry gives the bytes of an item's entry in an index, without what storing costs on top; ok is false
// when it has none, because it lacks an attribute of the index's key.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.StorageConsiderations
func (i *awsIndex) entry(m *awsImage) (size uint64, ok bool) {
	if m.size == 0 {
		return 0, false
	}
	for _, at := range slices.Concat(i.hash, i.sort) {
		if m.want[at].Kind == 0 {
			return 0, false
		}
	}
	if i.All {
		return m.size, true
	}
	for _, at := range i.held {
		size += m.want[at].Size
	}
	return size, true
}

// key sets the key of an event to that of an item's entry: of several attributes the tuple.
func (x *awsIndexes) key(e *ingest.Event, i *awsIndex, m *awsImage, keys *awsKeyBuffers) {
	keys.key = ingest.AppendKey(keys.key[:0], x.values(i.hash, m)...)
	e.Key, e.KeyKnown, e.SortKey, e.Entity = keys.key, true, nil, nil
	if len(i.sort) > 0 {
		keys.sort = ingest.AppendKey(keys.sort[:0], x.values(i.sort, m)...)
		e.SortKey = keys.sort
	}
	e.Index, e.Derived, e.ID = i.name, true, 0
}

func (x *awsIndexes) values(places []int, m *awsImage) [][]byte {
	x.parts, x.bytes = x.parts[:0], x.bytes[:0]
	ends := [8]int{} // a key has at most four attributes of each role
	for n, at := range places[:min(len(places), len(ends))] {
		x.bytes = m.want[at].Append(x.bytes)
		ends[n] = len(x.bytes)
	}
	begin := 0
	for n := range places[:min(len(places), len(ends))] {
		x.parts = append(x.parts, x.bytes[begin:ends[n]:ends[n]])
		begin = ends[n]
	}
	return x.parts
}

// same reports whether two images have the same attributes in these places.
func same(places []int, a, b *awsImage) bool {
	for _, at := range places {
		if !bytes.Equal(a.want[at].Raw, b.want[at].Raw) {
			return false
		}
	}
	return true
}

// stored hands over the entries of a stored item in its indexes, which are events like that of the item.
func (x *awsIndexes) stored(e *ingest.Event, r awsjson.Reader, m *awsImage, keys *awsKeyBuffers, to ingest.Sink) {
	l := x.of(e.Table)
	if l == nil {
		return
	}
	l.read(r, m)
	for n := range l.indexes {
		if size, ok := l.indexes[n].entry(m); ok {
			x.key(e, &l.indexes[n], m, keys)
			e.SetBytes(size)
			to.Event(e)
		}
	}
}

// units gives the write units of one write of so many bytes.
func units(size uint64) uint64 { return max((size+1023)/1024, 1) * 1000 }

// An indexWrite is what a change of an item costs in one index: an entry is taken away, put, or both.
type indexWrite struct {
	gone, put  bool
	oldSize    uint64
	newSize    uint64
	units      uint64 // of both together, thousandths
	growth     int64
	sameValues bool // one write of an entry whose key stays
}

// write gives what changing an item from one image to another costs in an index: one write for an entry
// that appears, goes or changes, two where its key changes, none where nothing of it changes.
func (i *awsIndex) write(old, new *awsImage) (w indexWrite) {
	w.oldSize, w.gone = i.entry(old)
	w.newSize, w.put = i.entry(new)
	w.growth = int64(w.newSize) - int64(w.oldSize)
	switch {
	case w.gone && w.put && same(i.hash, old, new) && same(i.sort, old, new):
		w.gone, w.sameValues = false, true
		if !i.All && same(i.held, old, new) {
			return indexWrite{}
		}
		w.units = units(max(w.oldSize, w.newSize))
		return w
	case w.gone && w.put:
		w.units = units(w.oldSize) + units(w.newSize)
	case w.gone:
		w.units = units(w.oldSize)
	case w.put:
		w.units = units(w.newSize)
	}
	return w
}

// local gives what changing an item costs in the local indexes of its table, which lie in its partition
// and are paid with it: thousandths of write units, and bytes by which they grow.
func (l *awsLayout) local(old, new *awsImage) (milli uint64, growth int64) {
	for n := range l.indexes {
		if i := &l.indexes[n]; i.Local {
			w := i.write(old, new)
			milli, growth = milli+w.units, growth+w.growth
		}
	}
	return milli, growth
}

// written hands over the writes of a change in the global indexes of a table, as events like e.
func (x *awsIndexes) written(e *ingest.Event, l *awsLayout, old, new *awsImage, keys *awsKeyBuffers, to ingest.Sink) {
	op := e.Op
	for n := range l.indexes {
		i := &l.indexes[n]
		if i.Local {
			continue
		}
		w := i.write(old, new)
		if w.gone {
			x.key(e, i, old, keys)
			e.Op = ingest.OpDelete
			e.SetBytes(w.oldSize)
			e.SetWriteUnits(units(w.oldSize))
			e.SetGrowth(-int64(w.oldSize))
			to.Event(e)
		}
		if w.put {
			x.key(e, i, new, keys)
			e.Op = op
			e.SetBytes(w.newSize)
			e.SetWriteUnits(units(w.newSize))
			e.SetGrowth(int64(w.newSize))
			if w.sameValues {
				e.SetWriteUnits(w.units)
				e.SetGrowth(w.growth)
			}
			to.Event(e)
		}
	}
}
