package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The order of the inputs must not matter, nor must sessions stand in the same file as their events.
func TestEventsOfATraceGetTheKeyFromTheSessions(t *testing.T) {
	const id = "10fbd970-ec9c-11f1-8440-5958fce208e7"
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	events := write("events.csv", "session_id,event_id,activity,source,source_elapsed,thread\n"+
		id+","+id+",Read 3 live rows and 1150 tombstone cells (see tombstone_warn_threshold),10.0.0.7,900,ReadStage-1\n")
	sessions := write("sessions.csv", "session_id,command,duration,parameters,request,started_at\n"+
		id+`,QUERY,300,"{'query': 'SELECT * FROM shop.jobs WHERE queue = ''mail-out'''}",Execute CQL3 query,2026-11-30 08:56:52.655+0000`+"\n")
	for _, inputs := range [][]string{{events, sessions}, {sessions, events}} {
		e := testEnv(append([]string{"analyze", "--quiet", "--format", "json"}, inputs...)...)
		code, stdout, stderr := runArgs(t, e)
		var report struct {
			Findings []struct {
				Rule    string
				Subject struct{ Table, Key string }
			}
		}
		if err := json.Unmarshal([]byte(stdout), &report); code != 0 || err != nil {
			t.Fatalf("exit status %d: %v: %s", code, err, stderr)
		}
		got := ""
		for _, f := range report.Findings {
			if f.Rule == "tombstone-dense-read" {
				got += f.Subject.Table + " " + f.Subject.Key + "\n"
			}
		}
		if want := "shop.jobs mail-out\n"; got != want {
			t.Errorf("got findings %q, want %q", got, want)
		}
	}
}
