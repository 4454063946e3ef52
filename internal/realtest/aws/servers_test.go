package aws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// requirements are what a virtual environment in the user's cache gets. ministack needs cbor2 to speak the
// protocol of CloudWatch, and does not say so.
var requirements = []string{"moto[dynamodb]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5", "ministack==1.5.33", "cbor2==6.3.0", "microburst==0.10.0"}

const (
	root   = "../../.."
	region = "eu-west-1"
	// startup is how long a server may take on a loaded machine; usual is a second.
	startup = 60 * time.Second
)

// A standIn is a server that stands in for AWS.
type standIn struct {
	name, env string // the variable that names the address of one that runs
	args      []string
	settings  []string
	health    string

	once sync.Once
	url  string
	err  error
	stop func()
}

var (
	ministack = &standIn{
		name: "ministack", env: "KEYHEAT_TEST_MINISTACK", health: "/_ministack/health",
		settings: []string{
			"GATEWAY_PORT=0", "BIND_HOST=127.0.0.1", "SERVICES=dynamodb,dynamodbstreams,cloudwatch,s3", "MINISTACK_ACCOUNT_ID=123456789012", "IOT_MTLS_ENABLED=0",
		},
	}
	moto = &standIn{name: "moto_server", env: "KEYHEAT_TEST_MOTO", args: []string{"-H", "127.0.0.1", "-p", "0"}, health: "/moto-api/data.json"}
)

// program is keyheat, built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "keyheat-aws-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		os.Setenv(name, value)
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"} {
		os.Unsetenv(name)
	}
	program = filepath.Join(dir, "keyheat")
	code := m.Run()
	for _, s := range []*standIn{ministack, moto} {
		if s.stop != nil {
			s.stop()
		}
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// missing skips a test for what the machine lacks; under CI it fails.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// at gives the address of the server, which is started when no variable names one.
func (s *standIn) at(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	s.once.Do(func() {
		if s.url = os.Getenv(s.env); s.url == "" {
			s.url, s.stop, s.err = start(s)
		}
	})
	if s.err != nil {
		missing(t, "no %s: install the packages python3 and python3-venv, and let pip reach its index, or name one in %s: %v", s.name, s.env, s.err)
	}
	return s.url
}

// venv gives the virtual environment with the servers, which is made when there is none yet.
var venv = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "keyheat", "aws-stand-ins")
	want := []byte(strings.Join(requirements, "\n"))
	ready := filepath.Join(dir, "ready")
	if got, err := os.ReadFile(ready); err == nil && bytes.Equal(got, want) {
		return dir, nil
	}
	install := append([]string{filepath.Join(dir, "bin/pip"), "install", "-q", "--disable-pip-version-check"}, requirements...)
	for _, command := range [][]string{{"python3", "-m", "venv", "--clear", dir}, install} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", command[0], err, bytes.TrimSpace(out))
		}
	}
	return dir, os.WriteFile(ready, want, 0o644)
})

var addressLine = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)`)

// start starts a server on a free port, which it prints, and waits until it answers.
func start(s *standIn) (url string, stop func(), err error) {
	dir, err := venv()
	if err != nil {
		return "", nil, err
	}
	said, stop, err := launch(filepath.Join(dir, "bin", s.name), s.args, s.settings)
	if err != nil {
		return "", nil, err
	}
	for end := time.Now().Add(startup); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if m := addressLine.FindStringSubmatch(said.String()); m != nil && answers(m[1]+s.health) && lists(m[1]) {
			return m[1], stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("%s did not start: %s", s.name, said.String())
}

// lists reports whether a server answers to a question for tables: moto fails at first, while it loads.
func lists(url string) bool {
	cfg, err := config.LoadDefaultConfig(context.Background(), config.WithRegion(region), config.WithBaseEndpoint(url))
	if err != nil {
		return false
	}
	_, err = dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }).ListTables(context.Background(), &dynamodb.ListTablesInput{})
	return err == nil
}

// launch runs a program in a process group of its own.
func launch(path string, args, settings []string) (said *lockedBuffer, stop func(), err error) {
	said = &lockedBuffer{}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), settings...)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return said, func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		cmd.Wait()
	}, nil
}

func answers(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// A lockedBuffer is written by a process and read by a test.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// failing gives the address of a proxy before a server, which fails by rules: docs of microburst.
func failing(t *testing.T, upstream, rules string) string {
	t.Helper()
	dir, err := venv()
	if err != nil {
		missing(t, "no microburst: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	said, stop, err := launch(filepath.Join(dir, "bin/microburst"), []string{"--upstream", upstream, "--host", host, "--port", port}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	url := "http://" + net.JoinHostPort(host, port)
	for end := time.Now().Add(startup); !answers(url + "/_microburst/fired"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("microburst did not start: %s", said)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, url+"/_microburst/rules", strings.NewReader(rules))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		t.Fatalf("rules: %s: %s", res.Status, body)
	}
	return url
}

// settings are the SDK's for a server.
func settings(t *testing.T, url string) aws.Config {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(region), config.WithBaseEndpoint(url))
	if err != nil {
		t.Fatal(err)
	}
	cfg.HTTPClient = &http.Client{Transport: plainBodies{http.DefaultTransport}}
	return cfg
}

// plainBodies sends bodies that can only be read. Of others that are sent while the answer comes already, the connection is
// cut (ingest/dynamo, body.go), and the SDK writes once more what was written.
type plainBodies struct{ http.RoundTripper }

func (p plainBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return p.RoundTripper.RoundTrip(r)
}

var build = sync.OnceValue(func() error {
	cmd := exec.Command("go", "build", "-o", program, "./cmd/keyheat")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building keyheat: %w\n%s", err, out)
	}
	return nil
})

// keyheat runs the program, and gives what it prints and its exit code.
func keyheat(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A report is what tests look at in a JSON report.
type report struct {
	Notes  []string
	Inputs []struct{ Name string }
	Tables []struct {
		Table    string
		Index    string
		Requests bounds
		TopKeys  []struct {
			Key      string
			Requests bounds
		} `json:"top_keys"`
	}
	Findings []struct {
		Rule     string
		Subject  struct{ Table, Key string }
		Message  string
		Evidence []struct {
			Measure string
			Value   float64
		}
	}
}

type bounds struct{ Value, Low, High uint64 }

// analyze gives the report of a URL, and what it says on stderr.
func analyze(t *testing.T, url string, args ...string) (*report, string) {
	t.Helper()
	stdout, stderr, code := keyheat(t, slices.Concat([]string{"analyze", url, "--format", "json", "--limit", everyKey}, args)...)
	if stdout == "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r := &report{}
	if err := json.Unmarshal([]byte(stdout), r); err != nil {
		t.Fatal(err)
	}
	return r, stderr
}

// everyKey is how many keys a report is to list: more than writers use.
const everyKey = "200"
