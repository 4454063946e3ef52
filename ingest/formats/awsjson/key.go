package awsjson

import "bytes"

// Roles finds the partition key and the sort key among the attributes of a key, of which there are one
// or two; -1 is none. partition is the name of the partition key where it is known, else empty: then the
// names decide if they are ones that only one of the two roles has. hash is -1 when nothing decides,
// since a guess would blame the wrong keys.
func Roles(key []Attribute, partition string) (hash, sort int) {
	switch {
	case len(key) == 1:
		return 0, -1
	case len(key) != 2:
		return -1, -1
	case partition != "":
		return given(key, partition)
	}
	a, b := roleOf(key[0].Name), roleOf(key[1].Name)
	switch {
	case a > b:
		return 0, 1
	case b > a:
		return 1, 0
	}
	return -1, -1
}

func given(key []Attribute, partition string) (hash, sort int) {
	for i := range key {
		if string(key[i].Name) == partition {
			return i, 1 - i
		}
	}
	return -1, -1
}

// PartitionName reports whether an attribute of this name is a partition key wherever it occurs.
func PartitionName(name []byte) bool { return roleOf(name) > 0 }

// roleOf gives 1 for names of partition keys, -1 for those of sort keys and 0 for all that may be either:
// "date" or "id" have been both.
func roleOf(name []byte) int {
	var buf [32]byte
	switch string(Fold(&buf, name)) {
	case "pk", "partitionkey", "hashkey", "hash", "partition", "hk", "primarykey":
		return 1
	case "sk", "sortkey", "rangekey", "range", "sort", "rk", "secondarykey",
		"timestamp", "ts", "createdat", "updatedat", "eventtime", "version", "seq", "sequence", "sequencenumber":
		return -1
	}
	switch {
	case ends(name, "pk", "PK", "Pk", "PartitionKey", "HashKey", "partition_key", "hash_key"):
		return 1
	case ends(name, "sk", "SK", "Sk", "SortKey", "RangeKey", "sort_key", "range_key", "Timestamp", "_timestamp"):
		return -1
	}
	return 0
}

// ends reports whether name ends in one of these words, the lower case ones after a "_" or "-".
func ends(name []byte, words ...string) bool {
	for _, w := range words {
		before, ok := bytes.CutSuffix(name, []byte(w))
		if !ok || len(before) == 0 {
			continue
		}
		if last := before[len(before)-1]; w[0] < 'a' || w[0] == '_' || last == '_' || last == '-' {
			return true
		}
	}
	return false
}

// KeyNames gives the names of the partition key and the sort key of the items at the beginning of an
// input, as far as attributes have names that only these have. Indexes have theirs in the same items, so
// a name is taken whole: GSI1PK is none.
func KeyNames(head []byte) (partition, sort []byte) {
	r := Read(head, 0)
	for n := 0; n < namedItems && r.Next(); n++ {
		r.names(&partition, &sort, 0)
	}
	return partition, sort
}

// namedItems is how many values are looked at for names of keys.
const namedItems = 4

// names looks for names of keys in the next value.
func (r *Reader) names(partition, sort *[]byte, depth int) {
	switch c := r.Peek(); {
	case c == '[' && depth < 4:
		r.Open('[')
		for r.Element() {
			r.names(partition, sort, depth+1)
		}
	case c == '{' && depth < 4:
		r.Open('{')
		for {
			name, ok := r.Member()
			if !ok {
				return
			}
			if r.Peek() == '{' {
				whole(name, partition, sort)
			}
			r.names(partition, sort, depth+1)
		}
	default:
		r.Skip()
	}
}

func whole(name []byte, partition, sort *[]byte) {
	var buf [32]byte
	switch string(Fold(&buf, name)) {
	case "pk", "partitionkey", "hashkey", "hk":
		if *partition == nil {
			*partition = bytes.Clone(name)
		}
	case "sk", "sortkey", "rangekey", "rk":
		if *sort == nil {
			*sort = bytes.Clone(name)
		}
	}
}
