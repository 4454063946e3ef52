package nightly

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
)

// A reader turns a configuration into a Config, noting what names nothing.
type reader struct {
	*document
	known   Known
	told    Faults // of the schema
	targets map[string]*Target
}

// say notes a fault of a value that is there and fits the schema; of others the schema has told.
func (r *reader) say(steps []string, format string, args ...any) {
	path := pathOf(steps)
	_, there := r.at[path]
	if there && !slices.ContainsFunc(r.told, func(f Fault) bool { return f.Path == path }) {
		r.document.say(steps, format, args...)
	}
}

func (r *reader) config(doc *configDoc) *Config {
	c := &Config{State: doc.State, Keep: doc.Keep, CatchUp: defaultCatchUp, Metrics: doc.Metrics,
		Zone: r.zone(doc.Timezone), MaskSecret: r.secret(doc.MaskSecret, "mask_secret")}
	if c.Keep == 0 {
		c.Keep = defaultKeep
	}
	if doc.CatchUp != nil {
		c.CatchUp = *doc.CatchUp
	}
	r.targets = map[string]*Target{}
	for _, name := range r.order["notify"] {
		r.name("notify", name)
		t := r.target(name, doc.Notify[name])
		r.targets[name] = t
		c.Targets = append(c.Targets, t)
	}
	for _, name := range r.order["jobs"] {
		r.name("jobs", name)
		c.Jobs = append(c.Jobs, r.job(name, doc.Jobs[name]))
	}
	return c
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// name notes a name that has not its form: jobs are folders, and both stand in metrics and messages.
func (r *reader) name(steps ...string) {
	if name := steps[len(steps)-1]; !nameForm.MatchString(name) {
		r.sayAt(r.keys[pathOf(steps)], steps, "a name has lower-case letters, digits, - and _ only, at most 64")
	}
}

func (r *reader) zone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		r.say([]string{"timezone"}, "%q: must be a zone like UTC or Europe/Lisbon", name)
		return time.UTC
	}
	return zone
}

func (r *reader) target(name string, doc targetDoc) *Target {
	steps := []string{"notify", name, "url"}
	t := &Target{Name: name, URL: r.secret(doc.URL, steps...), MinSeverity: severityOf(doc.MinSeverity), ShowKeys: doc.ShowKeys}
	if t.URL != "" {
		if err := r.known.Service(t.URL); err != nil {
			r.say(steps, "%v", err)
		}
	}
	return t
}

var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// secret gives a text with the values of the variables that it refers to; empty when one is missing.
func (r *reader) secret(text string, steps ...string) string {
	missing := false
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-1]
		value := r.known.Getenv(name)
		if value == "" {
			missing = true
			r.say(steps, "the environment has no variable %q, or it is empty", name)
		}
		return value
	})
	if missing {
		return ""
	}
	return out
}

// live checks what a job with live sources needs: an end, and no night but the last: a missed one cannot be
// made up for.
func (r *reader) live(j *Job, at func(steps ...string) []string) {
	for i, in := range j.Inputs {
		switch {
		case !r.known.Live(in):
		case j.dated():
			r.say(at("inputs", strconv.Itoa(i)), "a live source tells of now: give it a job of its own, without window: day and dated inputs")
		case !slices.ContainsFunc(j.Options, func(o Option) bool { return o.Name == "for" }):
			r.say(at("inputs", strconv.Itoa(i)), "a live source is read until an end: set options: {for: 5m}")
		}
	}
}

func (r *reader) job(name string, doc jobDoc) *Job {
	at := func(steps ...string) []string { return append([]string{"jobs", name}, steps...) }
	j := &Job{Name: name, Inputs: doc.Inputs, DayOnly: doc.Window == "day", Outputs: doc.Outputs, FailOn: severityOf(doc.FailOn),
		Options: r.options(doc.Options, at("options")), Limits: r.limits(doc.Limits, at("limits"))}
	for i, in := range doc.Inputs {
		if _, err := expand(in, time.Time{}); err != nil {
			r.say(at("inputs", strconv.Itoa(i)), "%v", err)
		}
	}
	r.live(j, at)
	for i, out := range doc.Outputs {
		if !slices.Contains(r.known.Outputs, out) {
			r.say(at("outputs", strconv.Itoa(i)), "%q: must be one of %s", out, strings.Join(r.known.Outputs, ", "))
		}
	}
	for i, s := range doc.Suppress {
		j.Suppress = append(j.Suppress, r.suppression(s, at("suppress", strconv.Itoa(i))))
	}
	j.Notify = r.named(doc.Notify, at("notify"))
	for i, o := range doc.Owners {
		j.Owners = append(j.Owners, Owner{o.Owner, o.Tables, r.named(o.Notify, at("owners", strconv.Itoa(i), "notify"))})
	}
	return j
}

// options gives the flags in order of name.
func (r *reader) options(doc map[string]any, at []string) []Option {
	out := []Option{}
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		values, isList := doc[name].([]any)
		if !isList {
			values = []any{doc[name]}
		}
		for _, v := range values {
			o := Option{name, fmt.Sprint(v)}
			if err := r.known.Option(o.Name, o.Value); err != nil {
				r.say(append(slices.Clone(at), name), "%v", err)
			}
			out = append(out, o)
		}
	}
	return out
}

func (r *reader) limits(doc map[string]json.Number, at []string) map[string]detect.Milli {
	out := map[string]detect.Milli{}
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		steps := append(slices.Clone(at), name)
		value, err := milliOf(doc[name].String())
		switch {
		case !slices.Contains(r.known.Limits, name):
			r.say(steps, "there is no such limit: see keyheat limits")
		case err != nil:
			r.say(steps, "%v", err)
		}
		out[name] = value
	}
	return out
}

// milliOf reads a number with at most three decimals, exactly.
func milliOf(text string) (detect.Milli, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(decimals + "000")[:max(3, len(decimals))], 10, 64)
	if len(decimals) > 3 || err != nil {
		return 0, fmt.Errorf("%s: must be a number of 0 or more with at most three decimals", text)
	}
	return detect.Milli(n), nil
}

func (r *reader) suppression(doc suppressDoc, at []string) Suppression {
	if !slices.Contains(r.known.Rules, doc.Rule) {
		r.say(append(slices.Clone(at), "rule"), "there is no rule %q: see keyheat rules", doc.Rule)
	}
	if _, err := time.Parse(time.DateOnly, doc.Until); err != nil {
		r.say(append(slices.Clone(at), "until"), "%q: must be a day like 2026-12-31", doc.Until)
	}
	return Suppression(doc)
}

// named gives the targets with these names.
func (r *reader) named(names []string, at []string) []*Target {
	out := []*Target{}
	for i, name := range names {
		t := r.targets[name]
		if t == nil {
			r.say(append(slices.Clone(at), strconv.Itoa(i)), "%q: must be one of those under notify", name)
			continue
		}
		out = append(out, t)
	}
	return out
}

func severityOf(name string) detect.Severity {
	for s := detect.Low; s <= detect.Critical; s++ {
		if s.String() == name {
			return s
		}
	}
	return 0
}
