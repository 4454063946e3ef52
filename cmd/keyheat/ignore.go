package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// A suppression leaves findings of one rule and subject out of the report.
type suppression struct {
	line  int
	rule  string
	table string // with index: table/index; "*" is any
	key   string // empty: any
	used  bool
}

// parseIgnore reads a file of lines "rule table [key]  # reason". A key may have spaces; it is written
// as reports show it. Every faulty line is reported.
func parseIgnore(text string, known []string) ([]*suppression, error) {
	list, wrong := []*suppression{}, []error{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line, _, _ = strings.Cut(" "+strings.TrimRight(line, "\r"), " #")
		rule, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		table, key, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch {
		case rule == "":
		case !slices.Contains(known, rule):
			wrong = append(wrong, fmt.Errorf("line %d: unknown rule %q%s", number, rule, suggestion(rule, "", known)))
		case table == "":
			wrong = append(wrong, fmt.Errorf("line %d: must be: rule table [key]  # reason", number))
		default:
			list = append(list, &suppression{line: number, rule: rule, table: table, key: strings.TrimSpace(key)})
		}
	}
	return list, errors.Join(wrong...)
}

func loadIgnore(e *env, file string) ([]*suppression, error) {
	if file == "" {
		return nil, nil
	}
	text, err := e.readFile(file)
	if err != nil {
		return nil, failed(fmt.Errorf("reading --ignore: %w", err))
	}
	list, err := parseIgnore(string(text), ruleIDs())
	if err != nil {
		return nil, usage(fmt.Errorf("--ignore %s: %w", file, err))
	}
	return list, nil
}

// suppress gives the findings that no suppression fits, and notes on what was left out and on
// suppressions that never fitted.
func suppress(found []detect.Finding, list []*suppression, file string) (kept []detect.Finding, notes []string) {
	for _, f := range found {
		if !suppressed(&f, list) {
			kept = append(kept, f)
		}
	}
	if n := len(found) - len(kept); n > 0 {
		notes = append(notes, fmt.Sprintf("findings left out by --ignore %s: %d", file, n))
	}
	for _, s := range list {
		if !s.used {
			notes = append(notes, strings.TrimSpace(fmt.Sprintf("line %d of --ignore %s fits no finding: %s %s %s", s.line, file, s.rule, s.table, s.key)))
		}
	}
	return kept, notes
}

func suppressed(f *detect.Finding, list []*suppression) bool {
	hit := false
	for _, s := range list {
		if s.fits(f) {
			s.used, hit = true, true
		}
	}
	return hit
}

func (s *suppression) fits(f *detect.Finding) bool {
	if s.rule != f.Rule || s.table != "*" && s.table != targetName(f.Subject.Target) {
		return false
	}
	return s.key == "" || f.Subject.HasKey && isKey(f.Subject.Key, s.key)
}

// targetName gives table, or table/index.
func targetName(t detect.Target) string {
	if t.Index == "" {
		return t.Table
	}
	return t.Table + "/" + t.Index
}
