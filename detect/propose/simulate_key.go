package propose

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// A Source is where the traffic tells the value of a column.
type Source uint8

// The sources.
const (
	FromKey    Source = iota // today's partition key
	FromPart                 // Index: its component
	FromSort                 // the sort key
	FromTime                 // the time of the request
	FromColumn               // Index: in ingest.Event.Columns
)

// A Column is a column that a candidate key names.
type Column struct {
	From  Source
	Index int
}

// A termKind is what a part of a candidate key is made of.
type termKind uint8

const (
	plainTerm  termKind = iota // a column as it is
	randomTerm                 // shard(n): any shard
	hashedTerm                 // shard_by(column, n): the shard of a column's value
	bucketTerm                 // bucket(unit, column): the time of a column
)

// A term is one part of a candidate key.
type term struct {
	kind   termKind
	name   string // of the column
	shards uint64
	unit   string
	column Column
}

// A CandidateKey is a partition key that traffic is replayed under.
type CandidateKey struct{ terms []term }

// Limits of a candidate key: a read of all shards costs the replay an event for each.
const (
	maxShards = 1024
	maxTerms  = 16
)

// bucketUnits are the lengths of buckets, the longest first, in the words of CandidateKey.
var bucketUnits = []string{"month", "week", "day", "hour"}

// ParseCandidate reads a key as people write it: columns, shard(n), shard_by(column, n) and
// bucket(hour|day|week|month, column), parted by commas. Its columns must be resolved before it is used.
func ParseCandidate(text string) (*CandidateKey, error) {
	k := &CandidateKey{}
	shards := uint64(1)
	for rest := text; ; {
		word, next, more, err := cutTerm(rest)
		if err != nil {
			return nil, err
		}
		t, err := parseTerm(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		k.terms = append(k.terms, t)
		if shards *= max(t.shards, 1); shards > maxShards {
			return nil, fmt.Errorf("must have at most %d shards", maxShards)
		}
		if rest = next; !more {
			break
		}
	}
	if len(k.terms) > maxTerms {
		return nil, fmt.Errorf("must have at most %d parts", maxTerms)
	}
	return k, nil
}

// cutTerm cuts text at its first comma outside parentheses.
func cutTerm(text string) (word, rest string, more bool, err error) {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return "", "", false, errors.New("a parenthesis is closed that was not opened")
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return text[:i], text[i+1:], true, nil
		}
	}
	if depth > 0 {
		return "", "", false, errors.New("a parenthesis is not closed")
	}
	return text, "", false, nil
}

func parseTerm(word string) (term, error) {
	name, inside, called := strings.Cut(word, "(")
	if !called {
		if word == "" {
			return term{}, errors.New("a part is empty: write columns parted by commas")
		}
		return term{kind: plainTerm, name: word}, nil
	}
	inside, closed := strings.CutSuffix(inside, ")")
	args := strings.Split(inside, ",")
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
	}
	name = strings.TrimSpace(name)
	switch {
	case closed && name == "shard" && len(args) == 1:
		return sharded(term{kind: randomTerm}, args[0])
	case closed && name == "shard_by" && len(args) == 2 && isName(args[0]):
		return sharded(term{kind: hashedTerm, name: args[0]}, args[1])
	case closed && name == "bucket" && len(args) == 2 && isName(args[1]):
		for _, u := range bucketUnits {
			if u == args[0] {
				return term{kind: bucketTerm, unit: u, name: args[1]}, nil
			}
		}
		return term{}, fmt.Errorf("%s: the unit must be hour, day, week or month", word)
	}
	return term{}, fmt.Errorf("%s: must be a column, shard(8), shard_by(sk, 8) or bucket(day, ts)", word)
}

func isName(s string) bool { return s != "" && !strings.ContainsAny(s, "()") }

func sharded(t term, number string) (term, error) {
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n < 2 || n > maxShards {
		return term{}, fmt.Errorf("%s shards: must be a number from 2 to %d", number, maxShards)
	}
	t.shards = n
	return t, nil
}

// String writes the key as ParseCandidate reads it.
func (k *CandidateKey) String() string {
	words := make([]string, len(k.terms))
	for i, t := range k.terms {
		switch t.kind {
		case randomTerm:
			words[i] = fmt.Sprintf("shard(%d)", t.shards)
		case hashedTerm:
			words[i] = fmt.Sprintf("shard_by(%s, %d)", t.name, t.shards)
		case bucketTerm:
			words[i] = fmt.Sprintf("bucket(%s, %s)", t.unit, t.name)
		default:
			words[i] = t.name
		}
	}
	return strings.Join(words, ", ")
}

// Resolve finds the columns of the key. It reports every name that of refuses.
func (k *CandidateKey) Resolve(of func(name string) (Column, error)) error {
	faults := []error{}
	for i := range k.terms {
		t := &k.terms[i]
		if t.kind == randomTerm {
			continue
		}
		c, err := of(t.name)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", t.name, err))
		case c.From == FromTime && t.kind != bucketTerm:
			faults = append(faults, fmt.Errorf("%s: the time of a request alone is no part of a key: write bucket(hour|day|week|month, %s)", t.name, t.name))
		}
		t.column = c
	}
	return errors.Join(faults...)
}

// today is the partition key that the traffic has.
func today() *CandidateKey { return &CandidateKey{terms: []term{{kind: plainTerm, name: "key"}}} }

// isToday reports whether the key changes nothing.
func (k *CandidateKey) isToday() bool {
	return len(k.terms) == 1 && k.terms[0].kind == plainTerm && k.terms[0].column.From == FromKey
}

func (k *CandidateKey) has(kind termKind) bool { _, ok := k.first(kind); return ok }

// first gives the first term of a kind.
func (k *CandidateKey) first(kind termKind) (term, bool) {
	for _, t := range k.terms {
		if t.kind == kind {
			return t, true
		}
	}
	return term{}, false
}

// value gives what an event tells of a column; ok is false where it tells nothing.
func (c Column) value(e *ingest.Event, key *ingest.Key) (value []byte, ok bool) {
	switch c.From {
	case FromKey:
		return e.Key, e.KeyKnown
	case FromPart:
		if !e.KeyKnown || c.Index >= len(key.Parts) || key.Cut {
			return nil, false
		}
		return key.Parts[c.Index], true
	case FromSort:
		return e.SortKey, len(e.SortKey) > 0
	case FromColumn:
		if c.Index >= len(e.Columns) || e.Columns[c.Index] == nil {
			return nil, false
		}
		return e.Columns[c.Index], true
	}
	return nil, false
}
