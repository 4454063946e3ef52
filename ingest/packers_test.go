package ingest

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

func castagnoliOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// packers are the ways in which tests store an input; nil is plain.
var packers = []struct {
	name string
	pack func(t testing.TB, data []byte) []byte
}{
	{"plain", nil},
	{"gzip", gzipped},
	{"gzip of two members", func(t testing.TB, data []byte) []byte {
		return append(gzipped(t, data[:len(data)/2]), gzipped(t, data[len(data)/2:])...)
	}},
	{"zstd", zstded},
	{"xz", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) {
			return xz.WriterConfig{DictCap: 1 << 16}.NewWriter(w)
		})
	}},
	{"lz4", func(t testing.TB, data []byte) []byte {
		one := packed(t, data[:len(data)/3], func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil })
		return append(one, packed(t, data[len(data)/3:], func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil })...)
	}},
	{"gzip in zstd", func(t testing.TB, data []byte) []byte { return zstded(t, gzipped(t, data)) }},
}

func packed(t testing.TB, data []byte, to func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := to(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

func zstded(t testing.TB, data []byte) []byte {
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	})
}

// bzip2Hello is "1 first\n2 second\n" as bzip2 -9 writes it; Go has no bzip2 writer.
func bzip2Hello(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(bzip2HelloHex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const bzip2HelloHex = "425a68393141592653591b9be97000000259800010400030000f219c0020002208f49a61a100001c8709147f59780fb45dc914e142406e6fa5c0"
