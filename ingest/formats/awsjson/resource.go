package awsjson

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// Resource gives the table and the index that a resource name (ARN) names, or one that text holds:
// arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/byStatus. Parts that are not there are empty.
func Resource(text []byte) (table, index []byte) {
	i := bytes.Index(text, []byte("arn:"))
	if i < 0 {
		return nil, nil
	}
	j := bytes.Index(text[i:], []byte(":table/"))
	if j < 0 {
		return nil, nil
	}
	table, rest := name(text[i+j+len(":table/"):])
	if after, ok := bytes.CutPrefix(rest, []byte("/index/")); ok {
		index, _ = name(after)
	}
	return table, index
}

// TableName gives the table of a request, which may be given by its resource name.
func TableName(text []byte) []byte {
	if table, _ := Resource(text); table != nil {
		return table
	}
	return text
}

// name cuts text behind the characters that names of tables and indexes may have.
func name(text []byte) (name, rest []byte) {
	n := 0
	for n < len(text) && nameByte(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

func nameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}

// operations are the requests that touch items, by the beginning of their names.
var operations = []struct {
	name string
	op   ingest.Op
}{
	{"PutItem", ingest.OpWrite},
	{"UpdateItem", ingest.OpUpdate},
	{"DeleteItem", ingest.OpDelete},
	{"GetItem", ingest.OpRead},
	{"BatchGetItem", ingest.OpRead},
	{"TransactGetItems", ingest.OpRead},
	{"BatchWriteItem", ingest.OpWrite},
	{"TransactWriteItems", ingest.OpWrite},
	{"Query", ingest.OpRead},
	{"Scan", ingest.OpScan},
}

// Op gives the operation of a request with this name, which must be whole.
func Op(name []byte) ingest.Op {
	for _, o := range operations {
		if string(name) == o.name {
			return o.op
		}
	}
	return ingest.OpUnknown
}

// OpIn gives the operation that a text names as a word of its own; of several the first of the list.
func OpIn(text []byte) ingest.Op {
	for _, o := range operations {
		for rest := text; ; {
			i := bytes.Index(rest, []byte(o.name))
			if i < 0 {
				break
			}
			end := i + len(o.name)
			if (i == 0 || !nameByte(rest[i-1]) || rest[i-1] == '.') && (end == len(rest) || !letter(rest[end])) {
				return o.op
			}
			rest = rest[end:]
		}
	}
	return ingest.OpUnknown
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
