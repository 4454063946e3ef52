package nightly

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A Fault is one thing that is wrong in a configuration, and where.
type Fault struct {
	Line   int // from 1; 0: the file as a whole
	Column int // from 1, in bytes
	Path   string
	Text   string
}

// Faults are all that is wrong in a configuration, in order of place.
type Faults []Fault

// Error gives one line a fault: line:column: path: text.
func (f Faults) Error() string {
	lines := []string{}
	for _, x := range f {
		line := fmt.Sprintf("%d:%d: ", x.Line, x.Column)
		if x.Path != "" {
			line += x.Path + ": "
		}
		lines = append(lines, line+x.Text)
	}
	return strings.Join(lines, "\n")
}

// A place is where a value or a key stands.
type place struct{ line, column int }

// A document is a YAML text as plain values, with the place of each by its path.
type document struct {
	root   any // map[string]any, []any, string, int64, float64, bool, nil
	at     map[string]place
	keys   map[string]place // of mapping entries
	order  map[string][]string
	faults Faults
}

// pathOf joins the steps from the root as people write them: jobs.prod.inputs[0].
func pathOf(steps []string) string {
	b := strings.Builder{}
	for _, s := range steps {
		switch _, err := strconv.Atoi(s); {
		case err == nil:
			b.WriteString("[" + s + "]")
		case b.Len() > 0:
			b.WriteString("." + s)
		default:
			b.WriteString(s)
		}
	}
	return b.String()
}

// say notes a fault of the value at a path; of one that is not there, of what should hold it.
func (d *document) say(steps []string, format string, args ...any) {
	d.sayAt(d.place(steps), steps, format, args...)
}

func (d *document) sayAt(at place, steps []string, format string, args ...any) {
	d.faults = append(d.faults, Fault{at.line, at.column, pathOf(steps), fmt.Sprintf(format, args...)})
}

func (d *document) place(steps []string) place {
	for n := len(steps); n >= 0; n-- {
		if at, ok := d.at[pathOf(steps[:n])]; ok {
			return at
		}
	}
	return place{1, 1}
}

// readYAML reads one YAML document. Anchors, tags and merges are refused: a job must be readable alone.
func readYAML(text []byte) *document {
	d := &document{at: map[string]place{}, keys: map[string]place{}, order: map[string][]string{}}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		d.faults = append(d.faults, syntaxFault(err))
		return d
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		d.say(nil, "must be one YAML document, not %d", len(file.Docs))
		return d
	}
	d.root = d.value(file.Docs[0].Body, nil)
	return d
}

func syntaxFault(err error) Fault {
	var syntax *yaml.SyntaxError
	var twice *yaml.DuplicateKeyError
	switch {
	case errors.As(err, &syntax) && syntax.Token != nil:
		return Fault{Line: syntax.Token.Position.Line, Column: syntax.Token.Position.Column, Text: syntax.Message}
	case errors.As(err, &twice) && twice.Token != nil:
		return Fault{Line: twice.Token.Position.Line, Column: twice.Token.Position.Column, Text: twice.Message}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return Fault{Line: 1, Column: 1, Text: text}
}

func (d *document) value(n ast.Node, steps []string) any {
	at := place{1, 1}
	if t := n.GetToken(); t != nil {
		at = place{t.Position.Line, t.Position.Column}
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		first := m.Values[0].Key.GetToken().Position
		at = place{first.Line, first.Column}
	}
	d.at[pathOf(steps)] = at
	switch n := n.(type) {
	case *ast.MappingNode:
		return d.mapping(n.Values, steps)
	case *ast.MappingValueNode:
		return d.mapping([]*ast.MappingValueNode{n}, steps)
	case *ast.SequenceNode:
		list := []any{}
		for i, v := range n.Values {
			list = append(list, d.value(v, append(slices.Clone(steps), strconv.Itoa(i))))
		}
		return list
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.IntegerNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.NullNode:
		return nil
	}
	d.say(steps, "%s is not supported: write the value itself", strings.ToLower(n.Type().String()))
	return nil
}

func (d *document) mapping(values []*ast.MappingValueNode, steps []string) map[string]any {
	out := map[string]any{}
	for _, v := range values {
		t := v.Key.GetToken()
		name := t.Value
		inner := append(slices.Clone(steps), name)
		at := place{t.Position.Line, t.Position.Column}
		if _, twice := out[name]; twice {
			d.sayAt(at, inner, "is given twice")
		}
		d.keys[pathOf(inner)] = at
		d.order[pathOf(steps)] = append(d.order[pathOf(steps)], name)
		out[name] = d.value(v.Value, inner)
	}
	return out
}
