package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe with a name, as the shell makes of <(zcat x.gz), can be read once: nothing may look at it before.
func TestANamedPipeIsReadWhole(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "events")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte(hotLines(0, 500)), 0o600) }()
	code, stdout, stderr := runArgs(t, testEnv("keys", "--format", "csv", pipe))
	select {
	case err := <-written:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(terminalPatience):
		t.Errorf("the pipe is not read after %v", terminalPatience)
	}
	if code != exitRan || !strings.Contains(stdout, "hot") {
		t.Errorf("exit %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}

func TestOfManyInputsOnlySchemasAreLookedAtBeforehand(t *testing.T) {
	dir := t.TempDir()
	for i := range maxLearned + 1 {
		name := filepath.Join(dir, fmt.Sprintf("%04d.ndjson", i))
		if err := os.WriteFile(name, []byte(hotLines(i, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", dir))
	if code != exitRan || !strings.Contains(stdout, "were looked at beforehand") {
		t.Errorf("exit %d, stderr %s", code, stderr)
	}
}

// A key of several columns is told by the schema alone; reads of a trace take it from their session, which stands
// in another file.
func TestReadsOfTracesHaveTheKeysThatTheSchemaTells(t *testing.T) {
	const id = "fdda86b0-ecec-11f1-aa00-af3467590eef"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"schema.cql": "CREATE TABLE media.inbox (shard tinyint, region text, seq int, PRIMARY KEY ((shard, region), seq));\n",
		"sessions.csv": "session_id,client,command,coordinator,coordinator_port,duration,parameters,request,started_at\n" +
			id + `,127.0.0.1,QUERY,127.0.0.1,7000,18803,"{'bound_var_0_shard': '3', 'bound_var_1_region': '''eu:west''', 'query': 'SELECT seq FROM media.inbox WHERE shard=? AND region=?'}",Execute CQL3 prepared query,2026-11-30 18:36:44.059+0000` + "\n",
		"events.csv": "session_id,event_id,activity,source,source_elapsed,source_port,thread\n" +
			id + ",fddad4d0-ecec-11f1-aa00-af3467590eef,Read 20 live rows and 2460 tombstone cells (see tombstone_warn_threshold),127.0.0.1,9000,7000,ReadStage-2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", dir))
	if code != exitRan || !strings.Contains(stdout, "key     (3, eu:west)") {
		t.Errorf("exit %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}
