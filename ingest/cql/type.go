package cql

import (
	"math"
	"slices"
	"strings"
)

const maxFloat = math.MaxFloat64

type typeKind uint8

const (
	kindUnknown typeKind = iota
	kindText
	kindBlob
	kindInteger
	kindVarint
	kindDecimal
	kindFloat
	kindBoolean
	kindUUID
	kindTimestamp
	kindDate
	kindTime
	kindInet
	kindCollection // list and set
	kindMap
	kindTuple
)

type cqlType struct {
	kind   typeKind
	size   int  // bytes of integers and floats
	sorted bool // a set
	args   []cqlType
}

// maxTypeDepth bounds nested types.
const maxTypeDepth = 16

// simpleType knows types by CQL name and by marshal class.
func simpleType(name string) cqlType {
	switch name {
	case "text", "varchar", "ascii", "utf8type", "asciitype":
		return cqlType{kind: kindText}
	case "blob", "bytestype":
		return cqlType{kind: kindBlob}
	case "int", "int32type":
		return cqlType{kind: kindInteger, size: 4}
	case "bigint", "counter", "longtype", "countercolumntype":
		return cqlType{kind: kindInteger, size: 8}
	case "smallint", "shorttype":
		return cqlType{kind: kindInteger, size: 2}
	case "tinyint", "bytetype":
		return cqlType{kind: kindInteger, size: 1}
	case "varint", "integertype":
		return cqlType{kind: kindVarint}
	case "decimal", "decimaltype":
		return cqlType{kind: kindDecimal}
	case "float", "floattype":
		return cqlType{kind: kindFloat, size: 4}
	case "double", "doubletype":
		return cqlType{kind: kindFloat, size: 8}
	case "boolean", "booleantype":
		return cqlType{kind: kindBoolean}
	case "uuid", "timeuuid", "uuidtype", "timeuuidtype", "lexicaluuidtype":
		return cqlType{kind: kindUUID}
	case "timestamp", "timestamptype", "datetype": // the class DateType is the old timestamp
		return cqlType{kind: kindTimestamp}
	case "date", "simpledatetype":
		return cqlType{kind: kindDate}
	case "time", "timetype":
		return cqlType{kind: kindTime}
	case "inet", "inetaddresstype":
		return cqlType{kind: kindInet}
	}
	return cqlType{}
}

func parseType(s string) (cqlType, bool) {
	if t := simpleType(s); t.kind != kindUnknown { // the usual case costs nothing
		return t, true
	}
	return parseTypeDepth(strings.ToLower(strings.Join(strings.Fields(s), "")), 0)
}

func parseTypeDepth(s string, depth int) (cqlType, bool) {
	s = strings.TrimPrefix(strings.Trim(s, "'"), "org.apache.cassandra.db.marshal.")
	if t := simpleType(s); t.kind != kindUnknown {
		return t, true
	}
	open := strings.IndexAny(s, "<(")
	if open < 0 || depth > maxTypeDepth || !strings.HasSuffix(s, ">") && !strings.HasSuffix(s, ")") {
		return cqlType{}, false
	}
	var args []cqlType
	for arg := range strings.SplitSeq(splitArgs(s[open+1:len(s)-1]), "\x00") {
		t, ok := parseTypeDepth(arg, depth+1)
		if !ok {
			return cqlType{}, false
		}
		args = append(args, t)
	}
	switch name := s[:open]; {
	case slices.Contains([]string{"frozen", "frozentype", "reversedtype"}, name) && len(args) == 1:
		return args[0], true
	case (name == "list" || name == "listtype") && len(args) == 1:
		return cqlType{kind: kindCollection, args: args}, true
	case (name == "set" || name == "settype") && len(args) == 1:
		return cqlType{kind: kindCollection, sorted: true, args: args}, true
	case (name == "map" || name == "maptype") && len(args) == 2:
		return cqlType{kind: kindMap, args: args}, true
	case name == "tuple" || name == "tupletype":
		return cqlType{kind: kindTuple, args: args}, true
	}
	return cqlType{}, false
}

// splitArgs replaces the commas of the outermost level by zero bytes.
func splitArgs(s string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				return 0
			}
		}
		return r
	}, s)
}
