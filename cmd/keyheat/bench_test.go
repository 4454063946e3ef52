package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
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

// BenchmarkStart measures how long a person waits before anything happens: for help, and until the first byte of the
// input is read. It gives the size of the program, too.
func BenchmarkStart(b *testing.B) {
	keyheat := filepath.Join(b.TempDir(), "keyheat")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", keyheat, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	info, err := os.Stat(keyheat)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("help", func(b *testing.B) {
		cpu := time.Duration(0)
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), keyheat, "--help")
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
		b.ReportMetric(float64(info.Size()), "program-bytes")
	})
	b.Run("first byte", func(b *testing.B) {
		for b.Loop() {
			waitForReader(b, keyheat)
		}
	})
}

// waitForReader starts keyheat on a pipe that is full, and returns once more goes into it: something was read.
func waitForReader(b *testing.B, keyheat string) {
	const full, page = 64 << 10, 4 << 10 // a pipe of Linux takes more when a page of it is free
	read, write, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer read.Close()
	if _, err := write.Write(bytes.Repeat([]byte("\n"), full)); err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), keyheat, "keys", "--quiet", "-")
	cmd.Stdin = read
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := write.Write(bytes.Repeat([]byte("\n"), page)); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	write.Close()
	_ = cmd.Wait() // nothing is recognised in blank lines
	b.StartTimer()
}
