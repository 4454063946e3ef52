package nightly

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
)

// A Config is a configuration without faults.
type Config struct {
	State      string
	Zone       *time.Location // whose days the nights are
	Keep       int            // nights of each job
	CatchUp    int            // nights back that a run makes up for
	MaskSecret string         // empty: notifications show no masks
	Metrics    string         // file; empty: none
	Targets    []*Target      // in order of the file
	Jobs       []*Job         // in order of the file
}

// A Target is somewhere that messages are sent. Its URL may hold secrets and is never printed.
type Target struct {
	Name        string
	URL         string
	MinSeverity detect.Severity
	ShowKeys    bool
}

// A Job is what is analysed each night.
type Job struct {
	Name     string
	Inputs   []string // with the date patterns of expand
	DayOnly  bool     // only events of the night's own day count
	Options  []Option
	Limits   map[string]detect.Milli
	Suppress []Suppression
	Outputs  []string // formats beside JSON
	FailOn   detect.Severity
	Notify   []*Target
	Owners   []Owner
}

// An Option is one flag that says how to read.
type Option struct{ Name, Value string }

// A Suppression leaves findings out of the reports of a time.
type Suppression struct {
	Rule, Table, Key, Reason string
	Until                    string // the last night, 2006-01-02
}

// An Owner answers for some tables.
type Owner struct {
	Name   string
	Tables []string // patterns with *
	Notify []*Target
}

// Known is what a configuration may name, and what it may refer to.
type Known struct {
	Rules   []string
	Outputs []string
	Limits  []string
	// Option gives what is wrong with a flag's value, or that there is no such flag.
	Option func(name, value string) error
	// Service gives what is wrong with the URL of a notification, without repeating it.
	Service func(url string) error
	// Live reports whether an input is a live source: a running database, not a file.
	Live func(input string) bool
	// Getenv gives the variables of the environment, for ${NAME}; empty is as missing.
	Getenv func(name string) string
}

// Schema is the JSON Schema of the configuration, version 1.
//
//go:embed keyheat.config.1.schema.json
var Schema []byte

// configDoc is the configuration as it is written; the schema holds its form.
type configDoc struct {
	State      string               `json:"state"`
	Timezone   string               `json:"timezone"`
	Keep       int                  `json:"keep"`
	CatchUp    *int                 `json:"catch_up"`
	MaskSecret string               `json:"mask_secret"`
	Metrics    string               `json:"metrics"`
	Notify     map[string]targetDoc `json:"notify"`
	Jobs       map[string]jobDoc    `json:"jobs"`
}

type targetDoc struct {
	URL         string `json:"url"`
	MinSeverity string `json:"min_severity"`
	ShowKeys    bool   `json:"show_keys"`
}

type jobDoc struct {
	Inputs   []string               `json:"inputs"`
	Window   string                 `json:"window"`
	Options  map[string]any         `json:"options"`
	Limits   map[string]json.Number `json:"limits"`
	Suppress []suppressDoc          `json:"suppress"`
	Outputs  []string               `json:"outputs"`
	FailOn   string                 `json:"fail_on"`
	Notify   []string               `json:"notify"`
	Owners   []ownerDoc             `json:"owners"`
}

type suppressDoc struct {
	Rule, Table, Key, Reason, Until string
}

type ownerDoc struct {
	Owner  string   `json:"owner"`
	Tables []string `json:"tables"`
	Notify []string `json:"notify"`
}

// Defaults of a configuration.
const (
	defaultKeep    = 400
	defaultCatchUp = 7
)

// ReadConfig reads a configuration. Its error is Faults: all of them, in order of place.
func ReadConfig(text []byte, known Known) (*Config, error) {
	d := readYAML(text)
	if len(d.faults) > 0 {
		return nil, d.sorted()
	}
	d.checkSchema()
	doc := configDoc{}
	// A value of the wrong type is passed over: the schema has told of it.
	if err := d.decode(&doc); err != nil && len(d.faults) == 0 {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	r := &reader{document: d, known: known, told: slices.Clone(d.faults)}
	c := r.config(&doc)
	if len(d.faults) > 0 {
		return nil, d.sorted()
	}
	return c, nil
}

// decode fills a struct from the values of the document.
func (d *document) decode(to any) error {
	text, err := json.Marshal(d.root)
	if err != nil {
		return err
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	in.UseNumber()
	return in.Decode(to)
}

func (d *document) sorted() Faults {
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return d.faults
}
