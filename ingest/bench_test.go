package ingest

import (
	"bytes"
	"fmt"
	"testing"
)

// nothing is a decoder and a handler that look at nothing: what is left is reading itself.
type nothing struct{ EventsOnly }

func (nothing) Decode(*Record, Sink)        {}
func (nothing) Event(*Event)                {}
func (nothing) Problem(Problem)             {}
func (nothing) Skip(string)                 {}
func (nothing) Begin(Chunk) Sink            { return nothing{} }
func (nothing) End(Chunk, Sink, ChunkStats) {}
func (nothing) EndInput(*Input, int)        {}
func (nothing) EndFile(int, int)            {}

func nothingFormat(s shape) *Format {
	f := s.format()
	f.New = func([]byte, DecodeOptions) (Decoder, error) { return nothing{}, nil }
	return f
}

// lines110 makes lines of 110 bytes, of which every third begins a group.
func lines110(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		first := "2026-06-04 10:00:00"
		if i%3 > 0 {
			first = "  at com.example.Op"
		}
		fmt.Fprintf(&b, "%s %010d %078d\n", first, i, i*i)
	}
	return b.Bytes()
}

// BenchmarkFrame reads one file of 64 MiB that is in the page cache, on one worker.
func BenchmarkFrame(b *testing.B) {
	data := lines110(64 << 20)
	copy(data, `"0"`)
	for _, s := range shapes[:3] {
		benchmarkRead(b, s.name, data, len(data), s, Options{})
	}
	benchmarkRead(b, "lines with sums", data, len(data), shapes[0], Options{Sums: true})
}

// BenchmarkDecompress counts the bytes that come out.
func BenchmarkDecompress(b *testing.B) {
	data := lines110(32 << 20)
	benchmarkRead(b, "gzip", gzipped(b, data), len(data), shapes[0], Options{})
	benchmarkRead(b, "zstd", zstded(b, data), len(data), shapes[0], Options{})
}

// BenchmarkStandardInput reads 64 MiB through the goroutine that waits for a stream.
func BenchmarkStandardInput(b *testing.B) {
	data := lines110(64 << 20)
	o := Options{Formats: []*Format{nothingFormat(shapes[0])}, Files: disk{}, Workers: 1}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		o.Stdin = bytes.NewReader(data)
		if _, err := Read(b.Context(), []Source{{Name: "-", Stdin: true}}, o, nothing{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSmallFiles reads 2,000 files of 10 KB.
func BenchmarkSmallFiles(b *testing.B) {
	files := map[string][]byte{}
	data := lines110(10_000)
	for i := range 2000 {
		files[fmt.Sprintf("%d.log", i)] = data
	}
	_, src := write(b, files)
	o := Options{Formats: []*Format{nothingFormat(shapes[0])}, Files: disk{}, Workers: 1}
	b.ReportAllocs()
	b.SetBytes(int64(len(data) * len(src)))
	for b.Loop() {
		if _, err := Read(b.Context(), src, o, nothing{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(src)), "ns/file")
}

func benchmarkRead(b *testing.B, name string, stored []byte, size int, s shape, o Options) {
	b.Run(name, func(b *testing.B) {
		_, src := write(b, map[string][]byte{"input": stored})
		o.Formats, o.Files, o.Workers = []*Format{nothingFormat(s)}, disk{}, 1
		b.SetBytes(int64(size))
		for b.Loop() {
			if _, err := Read(b.Context(), src, o, nothing{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
