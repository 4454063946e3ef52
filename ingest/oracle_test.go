package ingest

import (
	"bytes"
	"math/rand/v2"
	"strings"
)

// A seen is one record as a test sees it: its place in the whole input and its text.
type seen struct {
	Input   string
	Chunk   int
	Byte    uint64
	Line    uint64 // in the input
	Text    string
	Problem string // its cause
}

// A shape is a way of framing that the oracle knows.
type shape struct {
	name   string
	begins func([]byte) bool
	quoted bool
	header bool
}

var shapes = []shape{
	{name: "lines"},
	{name: "groups", begins: func(l []byte) bool { return l[0] >= '0' && l[0] <= '9' }},
	{name: "quoted", quoted: true},
	{name: "header", quoted: true, header: true},
}

// oracle frames an input by the book: it splits the whole into lines and looks at them one by one.
func oracle(data []byte, s shape, limit int, chunk uint64) []seen {
	type line struct {
		from, to int
		number   uint64
	}
	var lines []line
	at, number := len(data)-len(bytes.TrimPrefix(data, bom)), uint64(1)
	for at < len(data) {
		to := at + bytes.IndexByte(data[at:], '\n')
		if to < at {
			to = len(data)
		}
		lines = append(lines, line{at, to, number})
		at, number = to+1, number+1
	}
	quoted := s.quoted && bytes.IndexByte(data[:min(len(data), SniffBytes)], '"') >= 0
	var out []seen
	add := func(l line, to int, problem string) {
		text := bytes.TrimSuffix(data[l.from:to], []byte("\r"))
		if s.begins != nil {
			text = bytes.TrimRight(data[l.from:to], "\r\n")
		}
		if problem == "" && to-l.from > limit {
			problem = CauseLong
		}
		if problem != "" {
			text = []byte(strings.ToValidUTF8(string(data[l.from:to][:min(to-l.from, limit, MaxProblemText)]), "?"))
		} else if len(text) == 0 {
			return
		}
		if problem == CauseQuote {
			text = bytes.TrimSuffix(text, []byte("\r"))
		}
		out = append(out, seen{Chunk: int(uint64(l.from) / chunk), Byte: uint64(l.from), Line: l.number, Text: string(text), Problem: problem})
	}
	odd := func(l line) bool { return bytes.Count(data[l.from:l.to], quote)%2 == 1 }
	for i := 0; i < len(lines); i++ {
		first, last := i, i
		switch {
		case s.begins != nil:
			for last+1 < len(lines) {
				l := trimCR(data[lines[last+1].from:min(lines[last+1].to, lines[last+1].from+limit)])
				if len(l) > 0 && s.begins(l) {
					break
				}
				last++
			}
		case quoted && odd(lines[i]) && lines[i].to-lines[i].from <= limit:
			last++
			for last < len(lines) && !odd(lines[last]) {
				last++
			}
			if last == len(lines) || lines[last].to-lines[first].from > limit {
				add(lines[first], lines[first].to, CauseQuote)
				continue
			}
		}
		add(lines[first], lines[last].to, "")
		i = last
	}
	if s.header && len(out) > 0 {
		out = out[1:]
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// lineEnds counts the line ends of each chunk.
func lineEnds(data []byte, chunk uint64) (ends []uint64) {
	for at := uint64(0); at < uint64(len(data)); at += chunk {
		ends = append(ends, uint64(bytes.Count(data[at:min(at+chunk, uint64(len(data)))], lineEnd)))
	}
	return ends
}

// randomText makes lines of all lengths, some of them blank, long, quoted, or ended by CRLF.
func randomText(rng *rand.Rand, lines, long int) []byte {
	var b []byte
	if rng.IntN(4) == 0 {
		b = append(b, bom...)
	}
	quotes := rng.IntN(3) > 0
	for range rng.IntN(lines + 1) {
		n := rng.IntN(30)
		switch rng.IntN(12) {
		case 0:
			n = 0
		case 1:
			n = rng.IntN(2 * long)
		case 2:
			n = long - 2 + rng.IntN(5)
		}
		for range n {
			const letters = "0123abcdef ,;\xff"
			b = append(b, letters[rng.IntN(len(letters))])
		}
		if quotes && rng.IntN(5) == 0 {
			b = append(b, '"')
		}
		if rng.IntN(6) == 0 {
			b = append(b, '\r')
		}
		b = append(b, '\n')
	}
	if len(b) > 0 && rng.IntN(3) == 0 {
		b = b[:len(b)-1]
	}
	return b
}
