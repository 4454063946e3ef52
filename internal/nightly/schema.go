package nightly

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A schema is what JSON Schema 2020-12 says of a value, in the words that the schema of the configuration uses:
// a library that knows all words takes 3 ms of each start of the program, whatever it then does.
// https://json-schema.org/draft/2020-12/json-schema-validation
type schema struct {
	Ref      string             `json:"$ref"`
	Defs     map[string]*schema `json:"$defs"`
	Type     typeNames          `json:"type"`
	Const    *float64           `json:"const"`
	Enum     []string           `json:"enum"`
	AnyOf    []*schema          `json:"anyOf"`
	Required []string           `json:"required"`

	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties *otherProperties   `json:"additionalProperties"`
	MinProperties        int                `json:"minProperties"`

	Items       *schema `json:"items"`
	MinItems    int     `json:"minItems"`
	UniqueItems bool    `json:"uniqueItems"`

	MinLength int      `json:"minLength"`
	Pattern   string   `json:"pattern"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`

	// What checks nothing, and the form of names, which reader.name holds.
	PropertyNames *schema `json:"propertyNames"`
	Dialect       string  `json:"$schema"`
	ID            string  `json:"$id"`
	Title         string  `json:"title"`
	Description   string  `json:"description"`
	Default       any     `json:"default"`
}

// typeNames are the types that a value may have; none is any.
type typeNames []string

// UnmarshalJSON reads one name or a list.
func (n *typeNames) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(n))
	}
	*n = make(typeNames, 1)
	return json.Unmarshal(b, &(*n)[0])
}

// otherProperties are those without a schema of their own: none may be there when it is nil.
type otherProperties struct{ *schema }

// UnmarshalJSON reads false or a schema.
func (p *otherProperties) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	p.schema = &schema{}
	return strictly(b, p.schema)
}

// strictly refuses words that are not known: each would be a rule that nobody holds.
func strictly(b []byte, s *schema) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(s)
}

func readSchema() (*schema, error) {
	s := &schema{}
	if err := strictly(Schema, s); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return s, nil
}

// checkSchema notes each place where the document breaks the schema.
func (d *document) checkSchema() {
	s, err := readSchema()
	if err != nil {
		d.say(nil, "%v", err)
		return
	}
	c := checker{document: d, defs: s.Defs}
	c.check(s, d.root, nil)
}

// A checker holds a document against a schema.
type checker struct {
	*document
	defs map[string]*schema
}

func (c checker) check(s *schema, v any, at []string) {
	switch got := typeOf(v); {
	case len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(want string) bool { return isOf(v, got, want) }):
		c.say(at, "got %s, want %s", got, strings.Join(s.Type, " or "))
		return
	case s.Const != nil && !equals(v, *s.Const):
		c.say(at, "value must be %v", *s.Const)
		return
	case s.Enum != nil && (got != "string" || !slices.Contains(s.Enum, v.(string))):
		c.say(at, "value must be one of '%s'", strings.Join(s.Enum, "', '"))
		return
	}
	if s.Ref != "" {
		c.check(c.defs[strings.TrimPrefix(s.Ref, "#/$defs/")], v, at)
	}
	if s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(any *schema) bool { return c.holds(any, v) }) {
		c.say(at, "must be a text, a number or a list of texts")
	}
	switch v := v.(type) {
	case map[string]any:
		c.mapping(s, v, at)
	case []any:
		c.list(s, v, at)
	case string:
		c.text(s, v, at)
	default:
		c.amount(s, v, at)
	}
}

// holds reports whether a value breaks nothing, and notes nothing.
func (c checker) holds(s *schema, v any) bool {
	trial := checker{&document{}, c.defs}
	trial.check(s, v, nil)
	return len(trial.faults) == 0
}

func (c checker) mapping(s *schema, v map[string]any, at []string) {
	var missing []string
	for _, name := range s.Required {
		if _, there := v[name]; !there {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.say(at, "lacks %s", strings.Join(missing, ", "))
	}
	if len(v) < s.MinProperties {
		c.say(at, "must not be empty")
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := append(slices.Clone(at), name)
		of := s.Properties[name]
		if of == nil && s.AdditionalProperties != nil {
			of = s.AdditionalProperties.schema
			if of == nil {
				c.sayAt(c.keys[pathOf(inner)], inner, "is not known here")
			}
		}
		if of != nil {
			c.check(of, v[name], inner)
		}
	}
}

func (c checker) list(s *schema, v []any, at []string) {
	if len(v) < s.MinItems {
		c.say(at, "must not be empty")
	}
	for i, item := range v {
		if s.Items != nil {
			c.check(s.Items, item, append(slices.Clone(at), strconv.Itoa(i)))
		}
		if text, ok := item.(string); ok && s.UniqueItems {
			if first := slices.Index(v, any(text)); first < i {
				c.say(at, "items at %d and %d are equal", first, i)
			}
		}
	}
}

func (c checker) text(s *schema, v string, at []string) {
	if utf8.RuneCountInString(v) < s.MinLength {
		c.say(at, "must not be empty")
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
		c.say(at, "%q does not match the pattern %s", v, s.Pattern)
	}
}

func (c checker) amount(s *schema, v any, at []string) {
	n, ok := number(v)
	switch {
	case !ok:
	case s.Minimum != nil && n < *s.Minimum:
		c.say(at, "minimum: got %v, want %v", n, *s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		c.say(at, "maximum: got %v, want %v", n, *s.Maximum)
	}
}

// typeOf gives the name of a value's type.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// isOf reports whether a value of a type is one of another: whole numbers are integers, however written.
func isOf(v any, got, want string) bool {
	n, _ := number(v)
	return got == want || want == "integer" && got == "number" && n == math.Trunc(n)
}

func equals(v any, want float64) bool {
	n, ok := number(v)
	return ok && n == want
}

// number gives a number however it is kept.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
