package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// BenchmarkToolOutput decodes the fixtures of each format of print-outs.
func BenchmarkToolOutput(b *testing.B) {
	for _, format := range toolFormats() {
		b.Run(format.Name, func(b *testing.B) {
			files, err := filepath.Glob(filepath.Join("../../fixtures/formats", format.Name, "*"))
			if err != nil {
				b.Fatal(err)
			}
			var texts [][]byte
			size := 0
			for _, path := range files {
				if ext := filepath.Ext(path); ext != ".golden" && ext != ".md" {
					texts = append(texts, readFile(b, path))
					size += len(texts[len(texts)-1])
				}
			}
			if size == 0 {
				b.Fatal("no fixtures")
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, text := range texts {
					decodeAll(b, format, text)
				}
			}
		})
	}
}

func decodeAll(b *testing.B, format *ingest.Format, text []byte) {
	b.Helper()
	d, err := format.New(headOf(text), ingest.DecodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if format.Document {
		d.Decode(&ingest.Record{Data: text}, discard{})
		return
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			d.Decode(&ingest.Record{Data: []byte(line)}, discard{})
		}
	}
	if c, ok := d.(ingest.Closer); ok {
		c.Close(discard{})
	}
}

func readFile(b *testing.B, path string) []byte {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return text
}
