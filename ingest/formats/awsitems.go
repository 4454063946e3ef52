package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// largeDynamoItem is from where on items are told of one by one: four fifths of the largest.
const largeDynamoItem = awsjson.MaxItem / 5 * 4

// awsItems hands over what an item at rest says: an event of coverage StateOnly with its size, so that
// the sizes of a key's items add up, and a state when it is large.
type awsItems struct {
	options ingest.DecodeOptions
	times   ingest.TimeParser
	event   ingest.Event
	state   ingest.State
	keys    awsKeyBuffers
	want    [2]awsjson.Attribute // partition key and sort key of items that do not say which these are
	given   string               // name of the partition key, where it is known beforehand
	name    string               // of want[0]
	export  ingest.ExportFile    // that the items are of; the zero value: not known
	indexes awsIndexes
	image   awsImage
	entity  awsEntity
	only    []byte         // the table of items that name none; nil: not known
	again   awsjson.Reader // where the item that was read last begins
}

func newAWSItems(head []byte, o ingest.DecodeOptions) awsItems {
	i := awsItems{options: o, times: ingest.TimeParser{Location: o.Location}}
	i.indexes.given, i.only = o.Indexes, awsOnlyTable(&o)
	i.export, _ = o.Exports.Of(o.Input)
	i.given = awsPartition(&o, []byte(i.export.Table))
	i.want[0].Name, i.want[1].Name = awsjson.KeyNames(head)
	if i.given != "" {
		i.want[0].Name = []byte(i.given)
	}
	i.name = string(i.want[0].Name)
	if sort := o.Map["sk"]; sort != "" {
		i.want[1].Name = []byte(sort)
	}
	return i
}

// item reads the item that comes next and gives its size; its key is then in want.
func (i *awsItems) item(r *awsjson.Reader) (size uint64) {
	for k := range i.want {
		i.want[k].Kind = 0
	}
	i.again = *r
	return r.Item(i.want[:])
}

// wanted gives the attributes of the key that item has found.
func (i *awsItems) wanted() []awsjson.Attribute {
	switch {
	case i.want[0].Kind == 0:
		return nil
	case i.want[1].Kind == 0:
		return i.want[:1]
	}
	return i.want[:]
}

// emit hands over an item of this key and size; the zero time is none. source tells where it is from.
func (i *awsItems) emit(to ingest.Sink, place *awsPlace, begin int, key []awsjson.Attribute, size uint64, source string) {
	e := &i.event
	e.Store, e.Coverage = ingest.DynamoDB, ingest.StateOnly
	if len(e.Table) == 0 {
		e.Table = i.only
	}
	e.At = place.of(begin)
	if hash := i.keys.set(e, key, i.partition(key)); hash >= 0 {
		e.At = place.of(key[hash].At)
	}
	e.SetBytes(size)
	if e.Entity = nil; !e.Changed && bytes.IndexByte(e.Key, '#') < 0 && bytes.IndexByte(e.SortKey, '#') < 0 {
		e.Entity = i.entity.of(i.again)
	}
	to.Event(e)
	i.large(e, size, source, to)
	if !e.Changed {
		i.indexes.stored(e, i.again, &i.image, &i.keys, to)
	}
}

// large hands over the state of an item near the largest size.
func (i *awsItems) large(e *ingest.Event, size uint64, source string, to ingest.Sink) {
	if size < largeDynamoItem {
		return
	}
	i.state = ingest.State{
		Store: ingest.DynamoDB, Table: e.Table, Key: e.Key, KeyKnown: e.KeyKnown, Part: e.SortKey, Source: source,
		Measure: ingest.ItemBytes, Value: size, Limit: awsjson.MaxItem, At: e.At,
	}
	if at, ok := e.UnixNano(); ok {
		i.state.UnixNano = at
	}
	to.State(&i.state)
}

// partition gives the name of the partition key of an item with this key.
func (i *awsItems) partition(key []awsjson.Attribute) string {
	if len(key) > 0 && &key[0] == &i.want[0] {
		return i.name
	}
	return i.given
}
