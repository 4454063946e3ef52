package cassandra

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// The server that most tests share: one node with passwords and low limits.
var shared struct {
	once sync.Once
	node *node
	dir  string
	err  error
}

// superuser is who a new cluster knows.
const superuser = "cassandra"

// limits make incidents small: those of shared/captures, so that a read of 150 tombstones is one.
var limits = []setting{
	{"authenticator", "PasswordAuthenticator"}, {"authorizer", "CassandraAuthorizer"}, {"role_manager", "CassandraRoleManager"},
	{"permissions_validity", "0ms"}, {"roles_validity", "0ms"},
	{"tombstone_warn_threshold", "100"}, {"tombstone_failure_threshold", "2000"},
	{"partition_size_warn_threshold", "1MiB"}, {"partition_size_fail_threshold", "8MiB"},
	{"partition_tombstones_warn_threshold", "500"}, {"partition_tombstones_fail_threshold", "4000"},
	{"slow_query_log_timeout", "50ms"},
	{"materialized_views_enabled", "true"},
	{"min_tracked_partition_size", "100KiB"}, {"min_tracked_partition_tombstone_count", "50"},
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.node != nil {
		shared.node.kill()
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// jars gives the folder of a server's jars, or skips the test.
func jars(t *testing.T, version string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Cassandra")
	}
	for _, need := range [][2]string{{"java", "openjdk-17-jre-headless"}, {"mvn", "maven"}} {
		if _, err := exec.LookPath(need[0]); err != nil {
			missing(t, "no %s: install the package %s", need[0], need[1])
		}
	}
	lib, err := libraries(t.Context(), version)
	if err != nil {
		missing(t, "no Cassandra: let Maven reach org.apache.cassandra:cassandra-all:%s: %v", version, err)
	}
	return lib
}

// theNode gives the shared node with its files, started once.
func theNode(t *testing.T) *node {
	t.Helper()
	lib := jars(t, version)
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "keyheat-cassandra-"); shared.err != nil {
			return
		}
		if shared.err = writePEMs(shared.dir); shared.err != nil {
			return
		}
		settings := append(limits, encryption(shared.dir))
		shared.node, shared.err = startFirst(context.WithoutCancel(t.Context()), lib, filepath.Join(shared.dir, "1"), settings...)
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.node
}

// startFirst starts the first node of a cluster.
func startFirst(ctx context.Context, lib, dir string, extra ...setting) (*node, error) {
	n, err := newFirst(lib, dir, extra...)
	if err != nil {
		return nil, err
	}
	return n, n.start(ctx)
}

func newFirst(lib, dir string, extra ...setting) (*node, error) {
	native, err := freePort("127.0.0.1")
	if err != nil {
		return nil, err
	}
	storage, err := freePort("127.0.0.1")
	if err != nil {
		return nil, err
	}
	return newNode(lib, dir, "127.0.0.1", native, storage, "", extra...)
}

// address gives where a server listens: the one of the environment, else the shared node.
func address(t *testing.T) string {
	t.Helper()
	if at := os.Getenv(addressEnv); at != "" && !testing.Short() {
		return at
	}
	return theNode(t).address()
}

// connect opens a session as a role whose password is its name.
func connect(t *testing.T, at, role string) *gocql.Session {
	t.Helper()
	c := gocql.NewCluster(at)
	c.Consistency, c.Timeout, c.ConnectTimeout = gocql.One, 20*time.Second, 20*time.Second
	c.Authenticator = gocql.PasswordAuthenticator{Username: role, Password: role}
	c.Logger = silent{}
	for start := time.Now(); ; time.Sleep(300 * time.Millisecond) {
		s, err := c.CreateSession()
		if err == nil {
			t.Cleanup(s.Close)
			return s
		}
		if time.Since(start) > 30*time.Second { // the first role is written a moment after the start
			t.Fatalf("connecting to %s: %v", at, err)
		}
	}
}

type silent struct{}

func (silent) Print(...any)          {}
func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// exec runs statements.
func run(t *testing.T, s *gocql.Session, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := s.Query(statement).Exec(); err != nil {
			t.Fatalf("%.200s: %v", statement, err)
		}
	}
}

// keyspace makes an empty keyspace of the test's own.
func keyspace(t *testing.T, s *gocql.Session, name string, replicas int) {
	t.Helper()
	run(t, s, "DROP KEYSPACE IF EXISTS "+name,
		fmt.Sprintf("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}", name, replicas))
}
