package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// Bounds of what notes tell of settings that differ.
const (
	maxConflicts   = 8
	maxValues      = 4  // of one setting
	maxNodes       = 3  // of one value
	maxSettingText = 80 // bytes of a value or a name
)

// conflictNotes tells of settings that nodes or inputs tell differently, and which value was judged with.
func conflictNotes(v *detect.View) []string {
	all := v.Conflicts()
	var notes []string
	for i := range all[:min(len(all), maxConflicts)] {
		notes = append(notes, conflictNote(&all[i]))
	}
	if more := len(all) - len(notes); more > 0 {
		notes = append(notes, fmt.Sprintf("more settings are told differently by nodes or inputs: %d", more))
	}
	return notes
}

// conflictNote gives one of them: "tombstone-warn-threshold differs: 100 (10.0.0.1), 1000 (10.0.0.2); judged with 100".
func conflictNote(c *detect.Conflict) string {
	name := c.Name
	if whose := c.Node + c.Target.Table; whose != "" { // one of them is empty
		name += " of " + cut(whose)
	}
	distinct := slices.ContainsFunc(c.Nodes, func(nodes []string) bool { return !slices.Equal(nodes, c.Nodes[0]) })
	var told []string
	for i, value := range c.Values[:min(len(c.Values), maxValues)] {
		text := settingText(value)
		if distinct {
			text += of(c.Nodes[i])
		}
		told = append(told, text)
	}
	if more := len(c.Values) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("%d more values", more))
	}
	return fmt.Sprintf("%s differs: %s; judged with %s", name, strings.Join(told, ", "), settingText(c.Used))
}

// of names nodes in brackets.
func of(nodes []string) string {
	if len(nodes) == 0 {
		return ""
	}
	var names []string
	for _, n := range nodes[:min(len(nodes), maxNodes)] {
		names = append(names, cut(n))
	}
	if more := len(nodes) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func settingText(value string) string {
	if value == "" {
		return "none"
	}
	return cut(value)
}

func cut(text string) string {
	if len(text) > maxSettingText {
		return strings.ToValidUTF8(text[:maxSettingText], "") + "…"
	}
	return text
}
