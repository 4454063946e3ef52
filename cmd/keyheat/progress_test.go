package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestProgressShowsBytesRateAndTimeLeft(t *testing.T) {
	out, at := &bytes.Buffer{}, time.Unix(100, 0)
	e := testEnv()
	e.stderr, e.errTerminal, e.now = out, true, func() time.Time { return at }
	p := newProgress(e, false, "reading")
	at = at.Add(2 * time.Second)
	p.show(ingest.Progress{Bytes: 200 << 20, Total: 1 << 30})
	at = at.Add(50 * time.Millisecond) // too soon to be shown
	p.show(ingest.Progress{Bytes: 201 << 20, Total: 1 << 30})
	at = at.Add(2 * time.Second)
	p.show(ingest.Progress{Bytes: 300 << 20})
	p.end()
	want := clearLine + "reading 200 MiB of 1.0 GiB, 100 MiB/s, 9s left" +
		clearLine + "reading 300 MiB, 74.1 MiB/s" +
		clearLine + "reading 300 MiB took 4.05s, 74.1 MiB/s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
}

func TestProgressIsSilentOffTheTerminalAndWhenQuiet(t *testing.T) {
	for _, tt := range []struct{ terminal, quiet bool }{{false, false}, {true, true}} {
		out, e := &bytes.Buffer{}, testEnv()
		e.stderr, e.errTerminal = out, tt.terminal
		p := newProgress(e, tt.quiet, "reading")
		p.show(ingest.Progress{Bytes: 1})
		p.end()
		if out.Len() > 0 {
			t.Errorf("terminal %v, quiet %v: %q on stderr", tt.terminal, tt.quiet, out)
		}
	}
}
