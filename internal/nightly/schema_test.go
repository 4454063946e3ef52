package nightly

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A library finds faults of documents by the same schema.
type library struct{ *jsonschema.Schema }

func newLibrary(t *testing.T) library {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	const name = "keyheat.config.1.schema.json"
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return library{s}
}

// paths gives where a value breaks the schema. Names are left out, which reader.name holds.
func (l library) paths(v any) []string {
	found := []string{}
	var leaves func(*jsonschema.ValidationError)
	leaves = func(e *jsonschema.ValidationError) {
		switch k := e.ErrorKind.(type) {
		case *kind.PropertyNames:
			return
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				found = append(found, pathOf(append(slices.Clone(e.InstanceLocation), name)))
			}
			return
		case *kind.AnyOf:
		default:
			if len(e.Causes) > 0 {
				for _, c := range e.Causes {
					leaves(c)
				}
				return
			}
		}
		found = append(found, pathOf(e.InstanceLocation))
	}
	var broken *jsonschema.ValidationError
	if errors.As(l.Validate(v), &broken) {
		leaves(broken)
	}
	slices.Sort(found)
	return found
}

// ourPaths gives where checkSchema finds faults.
func ourPaths(v any) []string {
	d := &document{root: v}
	d.checkSchema()
	found := []string{}
	for _, f := range d.faults {
		found = append(found, f.Path)
	}
	slices.Sort(found)
	return found
}

const fullConfig = `{"version": 1, "state": "s", "timezone": "UTC", "keep": 30, "catch_up": 0, "mask_secret": "m", "metrics": "k.prom",
 "notify": {"chat": {"url": "slack://x", "min_severity": "low", "show_keys": true}},
 "jobs": {"a": {"inputs": ["x", "y"], "window": "day", "options": {"max-bad": "5%", "workers": 2, "map": ["a", "b"]}, "limits": {"l": 0.5},
  "suppress": [{"rule": "r", "table": "t", "key": "k", "reason": "why", "until": "2026-12-31"}],
  "outputs": ["html", "csv"], "fail_on": "high", "notify": ["chat"], "owners": [{"owner": "o", "tables": ["t*"], "notify": ["chat"]}]}, "b": {"inputs": ["z"]}}}`

// broken changes one thing somewhere in a value.
func broken(r *rand.Rand, v any) any {
	if r.IntN(5) == 0 {
		return []any{nil, true, "", "low", "x.prom", int64(1), -1.0, 2.5, 1e9, []any{}, []any{"a", "a"}, []any{"a", 1.0}, map[string]any{}, map[string]any{"url": ""}}[r.IntN(14)]
	}
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 || r.IntN(6) == 0 {
			v[fmt.Sprint("new", r.IntN(3))] = "x"
			return v
		}
		name := names[r.IntN(len(names))]
		if r.IntN(6) == 0 {
			delete(v, name)
			return v
		}
		v[name] = broken(r, v[name])
	case []any:
		if len(v) > 0 {
			i := r.IntN(len(v))
			v[i] = broken(r, v[i])
		}
	}
	return v
}

func TestFaultsAreThoseOfALibraryOfJSONSchema(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r, lib, faults := rand.New(rand.NewPCG(seed, 1)), newLibrary(t), 0
	for range 3000 {
		var v any
		if err := json.Unmarshal([]byte(fullConfig), &v); err != nil {
			t.Fatal(err)
		}
		for range r.IntN(4) {
			v = broken(r, v)
		}
		got, want := ourPaths(v), lib.paths(v)
		if faults += len(want); !cmp.Equal(got, want) {
			text, _ := json.Marshal(v)
			t.Fatalf("%s\ngot (-), want (+):\n%s", text, cmp.Diff(got, want))
		}
	}
	if faults < 1000 {
		t.Errorf("%d faults only", faults)
	}
}

func TestASchemaWithUnknownWordsIsRefused(t *testing.T) {
	for _, text := range []string{`{"if": {}}`, `{"properties": {"a": {"format": "date"}}}`, `{"additionalProperties": {"oneOf": []}}`} {
		if err := strictly([]byte(text), &schema{}); err == nil || !strings.Contains(err.Error(), "unknown field") {
			t.Errorf("%s: error %v, want one that names the word", text, err)
		}
	}
}
