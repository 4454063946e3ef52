package cql

// A Kind is what a statement does.
type Kind uint8

// Kinds of statements; Other is everything that reads or writes no single rows.
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
	Matches // `:` and ANN OF of indexes, and a function that stands alone
)

// A ValueKind is the form in which a value is printed.
type ValueKind uint8

// Forms of values.
const (
	Plain    ValueKind = iota // without quotes: a number, a uuid, 0x…, null, and any text that servers 3.0–4.0 print
	Quoted                    // a string literal
	Marker                    // ? or :name
	Compound                  // a collection, a tuple, a function call or arithmetic
)

// A Value is one value of a statement as it is printed.
type Value struct {
	// Text is what is printed: of a string literal what stands between the quotes, with doubled quotes
	// undone; of a marker its name, which may be empty.
	Text []byte
	Kind ValueKind
	// Marker is the number of the bind marker in the whole text, from 0; meaningful when Kind is Marker.
	Marker int
	// Last says that nothing follows the value in the text: if the text is cut, so may be the value.
	Last bool
}

// A Restriction is one relation of a WHERE clause, or one column and its value of an INSERT.
type Restriction struct {
	Columns []string // names without quotes; several of `(c1, c2) = …`, `k1, k2 = …` and token(k1, k2)
	Op      Operator
	Values  []Value // of IN lists and tuples one after the other: value i is of column i modulo len(Columns)
	Token   bool    // the restricted thing is token(Columns)
	List    bool    // `k1, k2 = v1, v2`, as servers 3.0–4.0 print the whole partition key
	Element bool    // an element of a collection or a field: m['x'] = 1

	left  []byte // what stands before the operator
	right []byte // what stands after it
	bare  bool   // the value's end is a guess, since it has no quotes
}

// A Statement is one CQL text as a log prints it. It belongs to the Parser that read it and is valid
// until its next Parse; byte slices are parts of the parsed text or memory of the Parser.
type Statement struct {
	Kind     Kind
	Keyspace string   // "" when the text names none
	Table    string   // "" when the text names none, or ends before it
	Columns  []string // selected, inserted or deleted columns and expressions as printed; `*` is one
	Set      []string // columns that an UPDATE assigns
	Assigned []Value  // what it assigns to them, in the order of Set
	Where    []Restriction
	// Limit and PerPartition are meaningful when HasLimit and HasPerPartition say so: a bind marker, or
	// a number at the end of a cut text, is none.
	Limit, PerPartition       uint64
	HasLimit, HasPerPartition bool
	Distinct                  bool
	AllowFiltering            bool
	Reversed                  bool // the first column of ORDER BY is DESC
	JSON                      bool // SELECT JSON or INSERT JSON
	// Cut says that the text ends in the middle: at 512 characters as servers cut it, at an ellipsis, or
	// within a word that needs more. A decoder that knows of another cut sets it before it asks.
	Cut        bool
	Markers    int          // bind markers in the text, those of inner statements included
	Statements []*Statement // of a batch
	// Rest is what stands behind the part that was understood: empty when all was. Of a statement of
	// kind Other it is the whole.
	Rest []byte

	parser  *Parser
	text    []byte
	clauses tail
	using   []byte   // USING of a write, or of a batch what stands before its first statement
	assign  []byte   // what stands between SET and WHERE
	cond    []byte   // from IF on
	where   bool     // a WHERE stands in the text
	keyCols []string // columns that a token proved to be the partition key
	refused bool     // a token or row refuted every reading as a partition key
}

func (s *Statement) reset(p *Parser, text []byte) {
	for i := range s.Where {
		s.Where[i].reset()
	}
	*s = Statement{
		parser: p, text: text, Columns: s.Columns[:0], Set: s.Set[:0], Assigned: s.Assigned[:0], Where: s.Where[:0],
		Statements: s.Statements[:0], keyCols: s.keyCols[:0],
	}
}

func (r *Restriction) reset() { *r = Restriction{Columns: r.Columns[:0], Values: r.Values[:0]} }

// add is a new empty restriction.
func (s *Statement) add() *Restriction {
	if len(s.Where) < cap(s.Where) {
		s.Where = s.Where[:len(s.Where)+1]
		s.Where[len(s.Where)-1].reset()
	} else {
		s.Where = append(s.Where, Restriction{})
	}
	return &s.Where[len(s.Where)-1]
}
