package main

import (
	"fmt"
	"strings"
)

// suggestion gives a clause with the known name nearest to name; empty when none is near.
func suggestion(name, prefix string, known []string) string {
	best, distance := "", len(name)/3+2
	for _, k := range known {
		if d := editDistance(name, k); d < distance || d == distance && best != "" && k < best {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", prefix, best)
}

// editDistance is the Levenshtein distance in bytes, without regard to case.
func editDistance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
