package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// cpuTime gives the CPU time that this process has taken.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkRun measures whole runs over a file of generated traffic that is in the page cache.
func BenchmarkRun(b *testing.B) {
	for _, format := range []string{"ndjson", "csv"} {
		file := filepath.Join(b.TempDir(), "zipf."+format)
		e := testEnv("generate", "zipf", "--events", "400000", "--keys", "200000", "--tables", "8", "--format", format, "--to", file)
		e.create = func(name string) (io.WriteCloser, error) { return os.Create(name) }
		if code := run(b.Context(), e); code != exitRan {
			b.Fatalf("generate: exit %d", code)
		}
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		for name, args := range map[string][]string{
			"keys": {"keys"}, "analyze once": {"analyze", "--no-exact", "--format", "json"}, "analyze": {"analyze", "--format", "json"},
		} {
			b.Run(format+"/"+name, func(b *testing.B) {
				b.SetBytes(info.Size())
				began := cpuTime(b)
				for b.Loop() {
					if code := run(b.Context(), testEnv(append(args, file)...)); code != exitRan {
						b.Fatalf("exit %d", code)
					}
				}
				b.ReportMetric(float64(cpuTime(b)-began)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
