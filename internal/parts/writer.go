package parts

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A PartHead says of which plan and pass the parts of a process are.
type PartHead struct {
	Head
	Keys string // digest of the keys that are counted; empty: parts of the first pass
}

// An Outcome is what became of a split.
type Outcome struct {
	Source  int
	Name    []byte
	First   int       // chunk, see Split
	Entries bool      `json:",omitempty"` // the split is of entries of an archive: Members follow those of the split before
	Named   bool      `json:",omitempty"` // see Split
	Members []int     // number of chunks of each input, in order
	Ended   []Ended   `json:",omitempty"` // inputs that could not be read to their end
	Errors  []Fault   `json:",omitempty"` // why nothing, or not all, could be read
	Skipped []Skipped `json:",omitempty"`
	More    int       `json:",omitempty"` // skipped beyond those
	// Damaged and DamagedMore are those of ingest.SourceResult.
	Damaged     [][]byte `json:",omitempty"`
	DamagedMore int      `json:",omitempty"`
}

// An Ended is an input that ended early.
type Ended struct {
	Member int
	Text   []byte
}

// A Fault is an error of a source.
type Fault struct {
	Text []byte // whole
	Why  []byte // without the source's name
}

// A Skipped is a file that nothing reads.
type Skipped struct{ Name, Why []byte }

// A Writer writes the parts of one process. It is safe for use by several goroutines.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	id  string
	zip *zstd.Encoder
	err error
}

// NewWriter writes the head.
func NewWriter(w io.Writer, h PartHead) (*Writer, error) {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	h.Learnt = nil
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(text)
	x := &Writer{w: w, id: fmt.Sprintf("%x", id[:8]), zip: zip}
	x.write(seal(partMagic, "head", x.id, string(text)))
	return x, x.Err()
}

// Part writes the part of one chunk; sum is the checksum of the bytes that it was made of. What goes wrong
// is said by Err.
func (x *Writer) Part(s *Split, member, chunk int, sum uint32, form []byte) {
	data := base64.RawStdEncoding.EncodeToString(x.zip.EncodeAll(form, nil))
	x.write(seal(partMagic, "part", x.id, fmt.Sprintf("%d %d %d %d %08x", s.Number, s.Source, member, chunk, sum), data))
}

// End writes the end mark of a split: all its parts were written.
func (x *Writer) End(s *Split, o Outcome) {
	o.Source, o.Name, o.First, o.Entries, o.Named = s.Source, []byte(s.Name), s.First, s.Entries != 0, s.Named
	text, err := json.Marshal(o)
	if err != nil {
		x.fail(err)
		return
	}
	x.write(seal(partMagic, "end", x.id, fmt.Sprint(s.Number), string(text)))
}

// Err gives the first error.
func (x *Writer) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

func (x *Writer) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.err = err
	}
}

func (x *Writer) write(line []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		_, x.err = x.w.Write(line)
	}
}

// Keys gives the line of a list of keys to be counted, and their digest.
func Keys(form []byte) (line []byte, digest string) {
	sum := sha256.Sum256(form)
	return seal(keysMagic, base64.RawStdEncoding.EncodeToString(form)), fmt.Sprintf("%x", sum[:8])
}

// ReadKeys reads what Keys wrote.
func ReadKeys(r io.Reader) (form []byte, digest string, err error) {
	s := newScanner(r)
	s.scan()
	if err := s.end(); err != nil {
		return nil, "", err
	}
	body, err := unseal(s.line)
	if err != nil {
		return nil, "", err
	}
	words, data, err := cut(string(body), 1)
	if err != nil || words[0] != keysMagic {
		return nil, "", fmt.Errorf("it does not begin with %q", keysMagic)
	}
	form, err = base64.RawStdEncoding.DecodeString(data)
	_, digest = Keys(form)
	return form, digest, err
}
