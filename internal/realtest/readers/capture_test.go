package readers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// recorded gives a capture of three batches, and what of it a collector leaves that is killed within the last.
func recorded(t *testing.T) (whole, killed []byte) {
	t.Helper()
	var file bytes.Buffer
	w, err := capture.NewWriter(&file, "test://host", func() { t.Error("writing failed") })
	if err != nil {
		t.Fatal(err)
	}
	to := w.Open(ingest.LiveInput{Name: "test://host/traffic", Format: &ingest.Format{Name: "fake", Coverage: ingest.Traffic}, Node: "10.0.0.1"})
	for batch := range 3 {
		for i := range 1000 {
			e := ingest.Event{Table: []byte("shop.carts"), KeyKnown: true, Op: ingest.OpRead, Requests: uint64(i % 2)}
			e.Key = fmt.Appendf(nil, "user-%d", i)
			if i < 300 {
				e.Key = []byte("caf\xc3\xa9 \xff")
			}
			e.SetTime(1780531200e9 + int64(batch))
			e.SetBytes(1<<64 - 1)
			e.SetGrowth(-5)
			to.Event(&e)
		}
		to.Fact(&ingest.Fact{Table: []byte("shop.carts"), Name: ingest.FactGCGrace, Value: []byte("864000")})
		w.Flush()
		if batch == 1 {
			killed = bytes.Clone(file.Bytes())
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), file.Bytes()[:len(killed)+500]
}

// documented gives the program of docs/capture.md.
func documented(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../../docs/capture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(doc), "```python\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok {
		t.Fatal("docs/capture.md has no program")
	}
	return program
}

// told gives what a program prints of a capture in its folder.
func told(t *testing.T, file []byte, program string) string {
	t.Helper()
	path := python(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "capture.arrow"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "-c", program)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestPyarrowAndDuckDBReadCapturesAsDocumented(t *testing.T) {
	whole, killed := recorded(t)
	for _, tt := range []struct {
		name    string
		file    []byte
		batches int
	}{{"a whole capture", whole, 3}, {"what a killed collector leaves", killed, 2}} {
		t.Run(tt.name, func(t *testing.T) {
			got := told(t, tt.file, documented(t))
			if want := fmt.Sprint(300 * tt.batches); !strings.Contains(got, `caf\xC3\xA9 \xFF`) || !strings.Contains(got, want) {
				t.Errorf("no key with %s requests in\n%s", want, got)
			}
		})
	}
}

func TestAnUnbrokenCaptureIsReadWholeByPyarrow(t *testing.T) {
	whole, _ := recorded(t)
	got := told(t, whole, `
from pyarrow import ipc
t = ipc.open_stream('capture.arrow').read_all()
t.validate(full=True)
rows = t.slice(1, 1).to_pylist()[0]
print({k: v for k, v in rows.items() if v is not None})
print(t.num_rows, t.schema.metadata[b'keyheat.capture'], t.schema.metadata[b'keyheat.source'])
print(t.to_pylist()[1001]['text'], str(t.schema.field('time').type))
`)
	want := `{'kind': 'event', 'input': 0, 'time': Timestamp('2026-06-04 00:00:00+0000', tz='UTC'), 'table': b'shop.carts', 'key': b'caf\xc3\xa9 \xff', ` +
		`'key_known': True, 'op': 'read', 'bytes': 18446744073709551615, 'growth_bytes': -5}
3004 b'1' b'test://host'
b'864000' timestamp[ns, tz=UTC]
`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
