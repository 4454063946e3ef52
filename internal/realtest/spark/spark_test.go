package spark

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pyspark is the package that a virtual environment in the user's cache gets.
const pyspark = "pyspark==4.3.0"

const root = "../../.."

// java makes each Java compile little and collect on one thread: jobs of seconds then cost half the CPU time.
const java = "JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// A cluster is what starts a Spark and the program that it runs.
type cluster struct {
	venv, keyheat, dir string
}

// newCluster builds the program and finds Spark, or says in one line what is missing: then the test is
// skipped, and under CI it fails.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a Spark cluster")
	}
	missing := func(format string, args ...any) {
		if os.Getenv("CI") == "true" {
			t.Fatalf(format, args...)
		}
		t.Skipf(format, args...)
	}
	if out, err := exec.CommandContext(t.Context(), "java", "-version").CombinedOutput(); err != nil {
		missing("no Java: install the package openjdk-17-jre-headless: %v %s", err, out)
	}
	venv, err := sparkIn(t.Context())
	if err != nil {
		missing("no Spark: install the packages python3 and python3-venv, and let pip reach %s: %v", pyspark, err)
	}
	c := &cluster{venv: venv, dir: t.TempDir()}
	c.keyheat = filepath.Join(c.dir, "keyheat")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", c.keyheat, "./cmd/keyheat")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building keyheat: %v\n%s", err, out)
	}
	return c
}

// sparkIn gives the virtual environment with Spark, which it makes when there is none yet.
func sparkIn(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	venv := filepath.Join(cache, "keyheat", pyspark)
	ready := filepath.Join(venv, "ready")
	if _, err := os.Stat(ready); err == nil {
		return venv, nil
	}
	for _, command := range [][]string{{"python3", "-m", "venv", venv}, {filepath.Join(venv, "bin/pip"), "install", "-q", pyspark}} {
		if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, lastLine(out))
		}
	}
	return venv, os.WriteFile(ready, nil, 0o644)
}

func lastLine(out []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return lines[len(lines)-1]
}

// A job is one run of the script.
type job struct {
	conf []string // of Spark: name=value
	args []string
}

// submit runs the script on a cluster of two executors and gives its exit code, all that it said, and
// the report, nil when there is none.
func (c *cluster) submit(t *testing.T, j job) (code int, said string, report []byte) {
	t.Helper()
	dir := t.TempDir()
	homes, err := filepath.Glob(filepath.Join(c.venv, "lib/python3*/site-packages/pyspark"))
	if err != nil || len(homes) != 1 {
		t.Fatalf("%d folders of pyspark in %s: %v", len(homes), c.venv, err)
	}
	args := []string{"--master", "local-cluster[2,1,1024]", "--driver-memory", "512m", "--files", c.keyheat}
	for _, conf := range append(j.conf, "spark.driver.bindAddress=127.0.0.1", "spark.driver.host=127.0.0.1", "spark.ui.enabled=false", "spark.log.level=WARN") {
		args = append(args, "--conf", conf)
	}
	script, err := filepath.Abs(root + "/docs/spark/keyheat_spark.py")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "report.json")
	args = append(args, script, "--parts", filepath.Join(dir, "parts"), "--report", to, "--plan-arg=--chunk=64KiB", "--merge-arg=--format=json")
	cmd := exec.CommandContext(t.Context(), filepath.Join(homes[0], "bin/spark-submit"), append(args, j.args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_HOME="+homes[0], "SPARK_WORKER_DIR="+dir, "SPARK_LOCAL_DIRS="+dir,
		"PYSPARK_PYTHON="+filepath.Join(c.venv, "bin/python"), "SPARK_CONF_DIR="+dir, java)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	report, err = os.ReadFile(to)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out), report
}

// run gives what keyheat prints.
func (c *cluster) run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.keyheat, args...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("keyheat %v: %v", args, err)
	}
	return out
}

func (c *cluster) traffic(t *testing.T, events int) []byte {
	t.Helper()
	return c.run(t, "generate", "hot-key", "--events", fmt.Sprint(events))
}

func (c *cluster) put(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(c.dir, name)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func gz(t *testing.T, data []byte) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	w := gzip.NewWriter(b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bundle packs the logs of real servers as support bundles are.
func bundle(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob(root + "/fixtures/formats/cassandra-log/*.log")
	if err != nil || len(files) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	b := &bytes.Buffer{}
	w := tar.NewWriter(b)
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		h := &tar.Header{Name: fmt.Sprintf("nodes/10.0.0.%d/%s", i%3, filepath.Base(name)), Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return gz(t, b.Bytes())
}

// export gives a DynamoDB export of one file, as S3 holds it.
func export(t *testing.T) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	for i := range 3000 {
		fmt.Fprintf(b, `{"Item":{"pk":{"S":"customer-%d"},"sk":{"S":"order-%d"},"body":{"S":%q}}}`+"\n", i*i%7, i, strings.Repeat("x", i%200))
	}
	return gz(t, b.Bytes())
}

// checkEqual compares a report with the one of a run on one machine.
func (c *cluster) checkEqual(t *testing.T, said string, report []byte, args ...string) {
	t.Helper()
	want := c.run(t, append([]string{"analyze", "--chunk", "64KiB", "--format", "json"}, args...)...)
	if d := cmp.Diff(string(report), string(want)); d != "" {
		t.Errorf("the report of Spark (-), the one of one machine (+):\n%s\nSpark said:\n%s", d, said)
	}
}

func TestSparkGivesTheReportOfOneMachine(t *testing.T) {
	c := newCluster(t)
	inputs := []string{
		c.put(t, "events.ndjson", c.traffic(t, 3000)),
		c.put(t, "bundle.tar.gz", bundle(t)),
		c.put(t, "export.json.gz", export(t)),
	}
	code, said, report := c.submit(t, job{args: inputs})
	if code != 0 {
		t.Fatalf("exit %d:\n%s", code, said)
	}
	c.checkEqual(t, said, report, inputs...)
	for _, format := range []string{"key-events-ndjson", "cassandra-log", "dynamodb-export"} {
		if !bytes.Contains(report, fmt.Appendf(nil, `"format": %q`, format)) {
			t.Errorf("the report has no input of format %s", format)
		}
	}
	summary := regexp.MustCompile(`keyheat: (first|second) pass: (\d+) splits in (\d+) tasks, 0 of them tried again`)
	passes := summary.FindAllStringSubmatch(said, -1)
	if len(passes) != 2 || passes[0][2] != passes[1][2] || passes[0][2] != passes[0][3] {
		t.Errorf("the summary of passes is %q, said was:\n%s", passes, said)
	}
}

// What the README tells a reader to do works, from a clone that has nothing but what is committed.
func TestTheWalkThroughRuns(t *testing.T) {
	c := newCluster(t)
	readme, err := os.ReadFile(root + "/docs/spark/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```sh\n")
	script, _, found := strings.Cut(block, "```\n")
	if !found || !strings.Contains(script, "pip install -q "+pyspark+"\n") {
		t.Fatalf("the walk-through is not of %s:\n%s", pyspark, script)
	}
	clone := filepath.Join(c.dir, "clone")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", root, clone).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	// The environment is there already: to fetch Spark takes minutes. pip finds it, and does nothing.
	before, after, found := strings.Cut(script, "python3 -m venv spark\n")
	if err := os.Symlink(c.venv, filepath.Join(clone, "spark")); err != nil || !found {
		t.Fatal(found, err)
	}
	script = before + after
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), java)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "\nthe same\n") {
		t.Errorf("error %v:\n%s", err, out)
	}
}

// deadly runs keyheat for a task; the fourth start of them all kills its executor first, as a machine
// that is lost. It walks up from itself to the executor's Java.
const deadly = `#!/bin/sh
if [ "$1" = sketch ]; then
	echo start >>%[1]s/starts
	if [ "$(wc -l <%[1]s/starts)" -ge 4 ] && mkdir %[1]s/killed 2>/dev/null; then
		pid=$$
		while [ "$(cat /proc/$pid/comm)" != java ]; do
			pid=$(sed 's/.*) . \([0-9]*\) .*/\1/' /proc/$pid/stat)
		done
		kill -9 "$pid"
	fi
fi
exec %[2]s "$@"
`

func TestALostExecutorCostsItsTaskAlone(t *testing.T) {
	c := newCluster(t)
	input := c.put(t, "events.ndjson", c.traffic(t, 5000))
	wrapper := c.put(t, "deadly", fmt.Appendf(nil, deadly, c.dir, c.keyheat))
	if err := os.Chmod(wrapper, 0o755); err != nil {
		t.Fatal(err)
	}
	code, said, report := c.submit(t, job{args: []string{"--keyheat", wrapper, "--no-exact", input}})
	if code != 0 {
		t.Fatalf("exit %d:\n%s", code, said)
	}
	c.checkEqual(t, said, report, "--no-exact", input)
	if _, err := os.Stat(filepath.Join(c.dir, "killed")); err != nil {
		t.Fatalf("no executor was killed: %v", err)
	}
	starts, err := os.ReadFile(filepath.Join(c.dir, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	splits := bytes.Count(c.run(t, "plan", "--chunk", "64KiB", input), []byte("\n")) - 1
	if got := bytes.Count(starts, []byte("\n")); splits < 8 || got != splits+1 {
		t.Errorf("%d starts for %d splits, want one more", got, splits)
	}
	if want := fmt.Sprintf("first pass: %d splits in %d tasks, 1 of them tried again", splits, splits); !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
}

func TestASplitThatCannotBeReadFailsWithItsName(t *testing.T) {
	c := newCluster(t)
	packed := gz(t, c.traffic(t, 3000))
	whole := c.put(t, "whole.ndjson.gz", packed)
	broken := c.put(t, "broken.ndjson.gz", packed[:len(packed)/2])
	code, said, report := c.submit(t, job{conf: []string{"spark.task.maxFailures=1"}, args: []string{whole, broken}})
	if code != 3 || report != nil {
		t.Errorf("exit %d, want 3; a report of %d bytes, want none", code, len(report))
	}
	if want := "keyheat: split 1 (" + broken + "): reading " + broken + ": unexpected end of gzip stream"; !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
}
