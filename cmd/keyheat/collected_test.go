package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// host plays the collector of one host: it reads what its nodes tell, and knows of all three.
func host(nodes ...int) *fakeServer {
	return &fakeServer{play: func(_ context.Context, to ingest.Streams) error {
		var e ingest.Event
		for _, node := range nodes {
			name := fmt.Sprintf("10.0.0.%d", node)
			sink := to.Open(ingest.LiveInput{Name: "test://" + name, Format: liveTraffic, Node: name})
			for of := range 3 {
				sink.Fact(&ingest.Fact{Store: ingest.Cassandra, Node: fmt.Appendf(nil, "10.0.0.%d", of+1), Name: ingest.FactDatacenter, Value: []byte("dc1")})
			}
			for i := range 2000 {
				e.Reset()
				e.Store, e.Op, e.Table, e.KeyKnown, e.Key = ingest.Cassandra, ingest.OpRead, []byte("shop.carts"), true, fmt.Appendf(nil, "user-%d", i%7)
				e.SetTime(1780567200e9 + int64(i)*30e6)
				sink.Event(&e)
			}
		}
		return nil
	}}
}

func TestRecordingsOfManyHostsAreJoined(t *testing.T) {
	const twice = "recorded twice from 2026-06-04T10:00:00Z to 2026-06-04T10:01:00Z, and counted twice: test://10.0.0.1; leave one recording out"
	const silent = "of 3 nodes that the topology names, nothing was read of 1: 10.0.0.3"
	for _, c := range []struct {
		name  string
		hosts []*fakeServer
		want  []string
	}{
		{"each node by one host", []*fakeServer{host(1), host(2, 3)}, nil},
		{"a host that sent nothing", []*fakeServer{host(1), host(2)}, []string{silent}},
		{"two hosts that read one node", []*fakeServer{host(1), host(1, 2)}, []string{twice, silent}},
	} {
		t.Run(c.name, func(t *testing.T) {
			shared := t.TempDir()
			captures, profiles := []string{}, []string{}
			for i, h := range c.hosts {
				captures = append(captures, filepath.Join(shared, fmt.Sprintf("host-%d.arrow", i)))
				profiles = append(profiles, filepath.Join(shared, fmt.Sprintf("host-%d.profile", i)))
				for _, args := range [][]string{{"collect", "--to", captures[i]}, {"sketch", "--to", profiles[i]}} {
					if code, _, stderr := runArgs(t, serve(onDisk(testEnv(append(args, "test://host", "--for", "1m", "--quiet")...)), h)); code != exitRan {
						t.Fatalf("%v: exit %d: %s", args, code, stderr)
					}
				}
			}
			mixed := append([]string{"merge", captures[0]}, profiles[1:]...)
			for _, args := range [][]string{append([]string{"analyze"}, captures...), append([]string{"merge"}, profiles...), append([]string{"merge"}, captures...), mixed} {
				code, stdout, stderr := runArgs(t, onDisk(testEnv(append(args, "--format", "text")...)))
				if code != exitRan {
					t.Fatalf("%s: exit %d: %s", args[0], code, stderr)
				}
				if diff := cmp.Diff(notesIn(stdout), c.want); diff != "" {
					t.Errorf("notes of %s (-got +want):\n%s", args[0], diff)
				}
			}
		})
	}
}

// notesIn gives the notes of a report as text, with their lines joined.
func notesIn(report string) (notes []string) {
	inside := false
	for line := range strings.Lines(report) {
		line = strings.TrimSuffix(line, "\n")
		text, begins := strings.CutPrefix(line, "note  ")
		rest, goesOn := strings.CutPrefix(line, "      ")
		switch {
		case begins && (strings.HasPrefix(text, "recorded") || strings.HasPrefix(text, "of ")):
			notes, inside = append(notes, text), true
		case inside && goesOn:
			notes[len(notes)-1] += " " + strings.TrimSpace(rest)
		default:
			inside = false
		}
	}
	return notes
}
