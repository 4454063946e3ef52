package nightly

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// checkSchema notes each place where the document breaks the schema.
func (d *document) checkSchema() {
	schema, err := compileSchema()
	if err != nil {
		d.say(nil, "%v", err)
		return
	}
	var broken *jsonschema.ValidationError
	if errors.As(schema.Validate(d.root), &broken) {
		d.leaves(broken)
	}
}

func compileSchema() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	const name = "keyheat.config.1.schema.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return c.Compile(name)
}

// leaves notes the innermost causes: the outer ones only say that there are some.
func (d *document) leaves(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 && !whole(e.ErrorKind) {
		for _, c := range e.Causes {
			d.leaves(c)
		}
		return
	}
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			inner := append(slices.Clone(at), name)
			d.sayAt(d.keys[pathOf(inner)], inner, "is not known here")
		}
	case *kind.Required:
		d.say(at, "lacks %s", strings.Join(k.Missing, ", "))
	case *kind.AnyOf:
		d.say(at, "must be a text, a number or a list of texts")
	case *kind.PropertyNames:
		// Its place is one that the validator uses again for others: reader.name tells of it.
	case *kind.MinLength, *kind.MinItems, *kind.MinProperties:
		d.say(at, "must not be empty")
	default:
		d.say(at, "%s", e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
}

// whole reports kinds of faults whose causes say less than they do.
func whole(k jsonschema.ErrorKind) bool {
	switch k.(type) {
	case *kind.AnyOf, *kind.PropertyNames:
		return true
	}
	return false
}
