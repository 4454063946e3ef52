// Package parts is the text in which work is shared out between processes and comes back: the lines of a
// plan, one a split, and the lines of parts, one a chunk. Engines move them as they like: in any order,
// doubled, in many files. Each line carries a checksum and names the plan that it is of, so that what is
// missing, damaged or of another plan is found and named. The package knows neither files nor formats,
// and nothing of what a part holds.
package parts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// The first word of every line names its kind and the version of the form.
const (
	planMagic = "keyheat-plan/1"
	partMagic = "keyheat-part/1"
	keysMagic = "keyheat-keys/1"
)

// maxLine bounds a line, in bytes: a part weighs less, whatever the settings.
const maxLine = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal makes a line of words: its last word is the CRC-32C of what stands before it.
func seal(words ...string) []byte {
	body := strings.Join(words, " ")
	return fmt.Appendf(nil, "%s %08x\n", body, crc32.Checksum([]byte(body), castagnoli))
}

// unseal checks the sum of a line without its end and gives it without the sum.
func unseal(line []byte) ([]byte, error) {
	at := bytes.LastIndexByte(line, ' ')
	if at < 0 || len(line)-at != 9 {
		return nil, errors.New("the line is cut")
	}
	sum, err := strconv.ParseUint(string(line[at+1:]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(line[:at], castagnoli) {
		return nil, errors.New("its checksum is wrong")
	}
	return line[:at], nil
}

// cut takes n words from the front of a line; the rest may hold blanks.
func cut(line string, n int) (words []string, rest string, err error) {
	words = strings.SplitN(line, " ", n+1)
	if len(words) != n+1 {
		return nil, "", errors.New("words are missing")
	}
	return words[:n], words[n], nil
}

// numbers parses whole numbers that are not negative.
func numbers(words []string, into ...*int) error {
	for i, n := range into {
		v, err := strconv.ParseUint(words[i], 10, 62)
		if err != nil {
			return fmt.Errorf("%q is no number", words[i])
		}
		*n = int(v)
	}
	return nil
}

// A scanner gives the lines of a text with their places.
type scanner struct {
	r    *bufio.Reader
	line []byte // without its end; valid until the next
	at   int64  // of the line, bytes
	next int64
	err  error
}

func newScanner(r io.Reader) *scanner { return &scanner{r: bufio.NewReaderSize(r, 256<<10)} }

// scan goes to the next line that is not empty.
func (s *scanner) scan() bool {
	for s.err == nil {
		s.at, s.line = s.next, s.line[:0]
		for {
			some, err := s.r.ReadSlice('\n')
			s.line = append(s.line, some...)
			if err != bufio.ErrBufferFull || len(s.line) > maxLine {
				s.err = err
				break
			}
		}
		s.next += int64(len(s.line))
		s.line = bytes.TrimRight(s.line, "\r\n")
		if len(s.line) > 0 {
			return true
		}
	}
	return false
}

// end gives the error that scanning ended with, nil at the end of the text.
func (s *scanner) end() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}
