package formats

import "bytes"

// A seenWord is a value that was seen before, with the quote or separator that ends it: where it stands again it is found by
// comparing words, without a search for its end, and what it means is known.
type seenWord struct {
	first, second         uint64 // its first 16 bytes under their masks
	firstMask, secondMask uint64
	rest                  []byte // what follows 16 bytes
	size                  int    // without what ends it
	number                uint16 // what it means
}

// seenWords are the values last seen of one field. The zero value is empty.
type seenWords [seenSlots + seenProbes]seenWord

const (
	seenSlots  = 1 << seenBits
	seenBits   = 9
	seenProbes = 4 // neighbouring slots that a value may be in
)

// home gives the slot in which a value that is placed by a word most likely is.
func (s *seenWords) home(word uint64) *seenWord { return &s[word*hashFactor>>(64-seenBits)] }

// is reports whether w is the value that begins with these words; of one that is longer it is false.
func (w *seenWord) is(first, second uint64) bool {
	return (first^w.first)&w.firstMask|(second^w.second)&w.secondMask == 0 && uint(w.size-1) < 15
}

// find gives what is known of the value that begins at buf[i], of which 16 bytes can be read; nil: nothing. word is what
// it is placed by: its first bytes, or what always stands there when it does.
func (s *seenWords) find(word uint64, buf []byte, i int) *seenWord {
	b := buf[i : i+16 : i+16]
	first, second := load(b), load(b[8:])
	at := word * hashFactor >> (64 - seenBits)
	for k := range uint64(seenProbes) {
		w := &s[at+k]
		if (first^w.first)&w.firstMask|(second^w.second)&w.secondMask == 0 && w.size > 0 && (len(w.rest) == 0 || w.goesOn(buf, i)) {
			return w
		}
	}
	return nil
}

func (w *seenWord) goesOn(buf []byte, i int) bool {
	return i+w.size < len(buf) && bytes.Equal(w.rest, buf[i+16:i+w.size+1])
}

// add makes known what a value means that is placed by word. kept is a copy of it, not empty, and of what ends it.
func (s *seenWords) add(word uint64, kept []byte, number uint16) *seenWord {
	at := word * hashFactor >> (64 - seenBits)
	free := at
	for free < at+seenProbes-1 && s[free].size > 0 {
		free++
	}
	w := &s[free] // the last one gives way when all are taken
	*w = seenWord{size: len(kept) - 1, number: number}
	w.first, w.firstMask = maskedWord(kept)
	if len(kept) > 8 {
		w.second, w.secondMask = maskedWord(kept[8:])
	}
	if len(kept) > 16 {
		w.rest = kept[16:]
	}
	return w
}
