package ingest

import "hash/crc32"

// A tally counts line ends and sums bytes by chunk. Bytes before start belong to nobody: a chunk in
// the middle of a file is read from a little before its range on.
type tally struct {
	chunk uint64 // bytes of a chunk
	start uint64 // where the first chunk begins
	end   uint64 // where the chunk that is counted ends
	lines []uint64
	sums  []uint32
	sum   bool // sums are asked for
}

func (t *tally) reset(chunk, start uint64, sum bool) {
	*t = tally{chunk: chunk, start: start, end: start + chunk, lines: append(t.lines[:0], 0), sums: t.sums[:0], sum: sum}
}

// lineNumber gives the number, from 1, that a line beginning at pos has in its chunk. Positions ascend.
func (t *tally) lineNumber(pos uint64) uint64 {
	for pos >= t.end {
		t.next()
	}
	return t.lines[len(t.lines)-1] + 1
}

// lineEnd counts the line end at pos.
func (t *tally) lineEnd(pos uint64) {
	if pos < t.start {
		return
	}
	for pos >= t.end {
		t.next()
	}
	t.lines[len(t.lines)-1]++
}

// lineEnds counts line ends in the chunk of the last one.
func (t *tally) lineEnds(n int) { t.lines[len(t.lines)-1] += uint64(n) }

func (t *tally) next() {
	t.lines = append(t.lines, 0)
	t.end += t.chunk
}

// A tallyMark is a place to go back to.
type tallyMark struct {
	chunks int
	lines  uint64
}

func (t *tally) mark() tallyMark {
	return tallyMark{chunks: len(t.lines), lines: t.lines[len(t.lines)-1]}
}

func (t *tally) rewind(m tallyMark) {
	t.end -= uint64(len(t.lines)-m.chunks) * t.chunk
	t.lines = t.lines[:m.chunks]
	t.lines[m.chunks-1] = m.lines
}

// count gives the line ends in the i-th chunk; it is final when a line of a later one was seen.
func (t *tally) count(i int) uint64 {
	if i < len(t.lines) {
		return t.lines[i]
	}
	return 0
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add sums the bytes b, which were read from pos on.
func (t *tally) add(pos uint64, b []byte) {
	if !t.sum {
		return
	}
	if pos < t.start {
		b = b[min(t.start-pos, uint64(len(b))):]
		pos = t.start
	}
	for len(b) > 0 {
		i := int((pos - t.start) / t.chunk)
		if i == len(t.sums) {
			t.sums = append(t.sums, 0)
		}
		n := min(uint64(i+1)*t.chunk-(pos-t.start), uint64(len(b)))
		t.sums[i] = crc32.Update(t.sums[i], castagnoli, b[:n])
		b, pos = b[n:], pos+n
	}
}

// sumOf gives the sum of the i-th chunk, 0 when there is none.
func (t *tally) sumOf(i int) uint32 {
	if i < len(t.sums) {
		return t.sums[i]
	}
	return 0
}
