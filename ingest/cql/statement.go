package cql

// A Kind is what a statement does.
type Kind uint8

// Kinds of statements; Other is everything that reads or writes no rows.
const (
	Other Kind = iota
	Select
	Insert
	Update
	Delete
	Batch
)

// An Operator joins the columns of a restriction to its values.
type Operator uint8

// Operators of a WHERE clause.
const (
	Equal Operator = iota + 1
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	In
	NotIn
	Between
	Contains
	ContainsKey
	NotContains
	NotContainsKey
	Like
	IsNull
	IsNotNull
	Matches // the `:` and ANN operators of indexes
)

// A ValueKind is the form in which a value is printed.
type ValueKind uint8

// Forms of values.
const (
	Plain    ValueKind = iota // without quotes: a number, a uuid, 0x…, null, and any text that servers 3.0–4.0 print
	Quoted                    // a string literal
	Marker                    // ? or :name
	Compound                  // a collection, a tuple, a function call, a type hint or arithmetic
)

// A Value is one value of a statement as it is printed.
type Value struct {
	// Text is a part of the parsed text, or, of a string literal with doubled quotes, memory of the
	// parser: what stands between the quotes, with doubled quotes undone; of a marker its name, which
	// may be empty.
	Text []byte
	Kind ValueKind
	// Marker is the number of the bind marker in the whole text, from 0; meaningful when Kind is Marker.
	Marker int
	// Cut says that the text ends in the middle of the value, or may do so.
	Cut bool
}

// A Restriction is one relation of a WHERE clause, or one column and its value of an INSERT.
type Restriction struct {
	Columns []string // names without quotes; several of `(c1, c2) = …`, `k1, k2 = …` and token(k1, k2)
	Op      Operator
	Values  []Value // of IN lists and tuples one after the other: value i is of column i modulo len(Columns)
	Token   bool    // the restricted thing is token(Columns)
	List    bool    // `k1, k2 = v1, v2` as servers 3.0–4.0 print the whole partition key
	Element bool    // an element of a collection, `m['x'] = 1`
	left    []byte  // what stands before the operator
	right   []byte  // what stands after it
	bare    bool    // the value ended at a guessed place, since it has no quotes
}

// A Statement is one CQL text as a log prints it. It belongs to the Parser that read it and is valid
// until the next Parse; its byte slices mostly are parts of the parsed text.
type Statement struct {
	Kind     Kind
	Keyspace string   // "" when the text names none
	Table    string   // "" when the text names none, or ends before it
	Columns  []string // selected, inserted or deleted columns and expressions as printed; `*` is one
	Set      []string // columns that an UPDATE assigns
	Where    []Restriction
	// Limit and PerPartition are meaningful when HasLimit and HasPerPartition say so; a bind marker
	// as limit has neither.
	Limit, PerPartition       uint64
	HasLimit, HasPerPartition bool
	Distinct                  bool
	AllowFiltering            bool
	Reversed                  bool         // an ORDER BY names a DESC
	JSON                      bool         // SELECT JSON or INSERT JSON
	Cut                       bool         // the text ends in the middle, as servers do at 512 characters
	Markers                   int          // bind markers in the text, those of inner statements included
	Statements                []*Statement // of a batch

	text                                 []byte
	client                               bool
	order, tail, using, set, cond, group []byte
	batch                                []byte
	parts                                [][]byte
	buf                                  []byte
}

// AppendShape appends the statement with its literals and bind markers replaced by ?, IN lists by (?),
// blanks folded, keywords in upper case and names as they are printed. The number of a LIMIT and the
// selected columns stay.
func (s *Statement) AppendShape(dst []byte) []byte { return append(dst, s.text...) }

// Key tells the components of the partition key that the statement binds, in key order; known is false
// when it binds none, or several, or the text does not tell. t is the table's schema and may be nil;
// token is the token that the log printed beside the statement and may be nil: with it a guess becomes
// certain or is refused. The parts are valid until the next Parse.
func (s *Statement) Key(t *Table, token *int64) (parts [][]byte, known bool) { return nil, false }

// Scan reports whether the statement is a read without a bound partition key: none restricted, a token
// range, an index or a filter. known is false when the text does not tell.
func (s *Statement) Scan(t *Table) (scan, known bool) { return false, false }

// Partitions is the number of partitions that the statement names: the product of its IN lists on the
// partition key, 1 when all is bound by equality, 0 when it does not tell. Of a batch it is the number
// of its statements, an upper bound.
func (s *Statement) Partitions(t *Table) uint64 { return 0 }

// LowerClusteringBound reports whether the statement restricts a clustering column from below (in the
// order in which it reads) or by equality, so that the read does not begin at the partition's head.
func (s *Statement) LowerClusteringBound(t *Table) bool { return false }
