package cassandra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// version is of the server that is fetched and started.
	version = "5.0.9"

	root = "../../.."
	// addressEnv names a running server, host:port, for the tests that need no files of it.
	addressEnv = "KEYHEAT_TEST_CASSANDRA"
	// startup is how long a node may take on a loaded machine; usual are 10 s.
	startup = 150 * time.Second
)

// missing skips a test for what the machine lacks; under CI it fails.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// libraries gives the folder with the server's jars, fetched once into the user's cache.
func libraries(ctx context.Context, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "keyheat", "cassandra-all-"+version)
	ready := filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return filepath.Join(dir, "lib"), nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	pom := fmt.Sprintf(`<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>keyheat</groupId><artifactId>server</artifactId><version>1</version>
  <dependencies><dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>%s</version></dependency></dependencies>
</project>
`, version)
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom), 0o644); err != nil {
		return "", err
	}
	mvn := exec.CommandContext(ctx, "mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime")
	mvn.Dir = dir
	if out, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn: %w: %s", err, bytes.TrimSpace(out))
	}
	return filepath.Join(dir, "lib"), os.WriteFile(ready, nil, 0o644)
}

// A node is one server process and its files.
type node struct {
	dir, host            string
	native, storage, jmx int
	lib                  string
	cmd                  *exec.Cmd
	gone                 chan error // the end of the process
}

// setting is a line of cassandra.yaml: name: value.
type setting [2]string

// newNode writes the files of a node that is not started yet. seed is the storage address of the first
// node, empty for that one itself.
func newNode(lib, dir, host string, native, storage int, seed string, extra ...setting) (*node, error) {
	jmx, err := freePort("127.0.0.1") // where JMX listens, whatever the node's address
	if err != nil {
		return nil, err
	}
	n := &node{dir: dir, host: host, native: native, storage: storage, jmx: jmx, lib: lib}
	if seed == "" {
		seed = net.JoinHostPort(host, strconv.Itoa(storage))
	}
	yaml := fmt.Sprintf(baseYAML, host, native, storage, seed)
	for _, s := range extra {
		yaml += s[0] + ": " + s[1] + "\n"
	}
	files := map[string]string{"conf/cassandra.yaml": yaml, "conf/logback.xml": logback, "conf/tools.xml": toolsLogback}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			return nil, err
		}
	}
	return n, os.MkdirAll(filepath.Join(dir, "log"), 0o755)
}

// freePort gives a port of the host that nobody listens on now.
func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

const baseYAML = `cluster_name: keyheat
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
commitlog_sync: periodic
commitlog_sync_period: 10000ms
endpoint_snitch: SimpleSnitch
auto_snapshot: false
auto_bootstrap: false
num_tokens: 4
listen_address: %[1]s
rpc_address: %[1]s
native_transport_port: %[2]d
storage_port: %[3]d
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "%[4]s"
`

const logback = `<configuration>
  <appender name="SYSTEMLOG" class="ch.qos.logback.core.FileAppender">
    <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>INFO</level></filter>
    <file>${cassandra.logdir}/system.log</file>
    <encoder><pattern>%-5level [%thread] %date{"yyyy-MM-dd'T'HH:mm:ss,SSS", UTC} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <appender name="DEBUGLOG" class="ch.qos.logback.core.FileAppender">
    <file>${cassandra.logdir}/debug.log</file>
    <encoder><pattern>%-5level [%thread] %date{"yyyy-MM-dd'T'HH:mm:ss,SSS", UTC} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <appender name="AUDIT" class="ch.qos.logback.core.FileAppender">
    <file>${cassandra.logdir}/audit.log</file>
    <encoder><pattern>%-5level [%thread] %date{"yyyy-MM-dd'T'HH:mm:ss,SSS", UTC} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <appender name="CQLLOG" class="org.apache.cassandra.utils.logging.VirtualTableAppender">
    <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter>
  </appender>
  <logger name="org.apache.cassandra.audit" additivity="false" level="INFO"><appender-ref ref="AUDIT"/></logger>
  <root level="INFO"><appender-ref ref="SYSTEMLOG"/><appender-ref ref="DEBUGLOG"/><appender-ref ref="CQLLOG"/></root>
  <logger name="org.apache.cassandra" level="DEBUG"/>
</configuration>
`

const toolsLogback = `<configuration>
  <appender name="ERR" class="ch.qos.logback.core.ConsoleAppender"><target>System.err</target><encoder><pattern>%-5level %msg%n</pattern></encoder></appender>
  <root level="ERROR"><appender-ref ref="ERR"/></root>
</configuration>
`

// javaOptions open what the server needs of the Java runtime.
func javaOptions(lib string) []string {
	options := []string{"-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+PerfDisableSharedMem", "-Djava.net.preferIPv4Stack=true", "-Djdk.attach.allowAttachSelf=true"}
	for _, p := range []string{"java.base/jdk.internal.misc", "java.base/java.lang.ref", "java.base/sun.nio.ch", "java.management.rmi/com.sun.jmx.remote.internal.rmi",
		"java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server", "java.sql/java.sql", "jdk.unsupported/sun.misc", "jdk.compiler/com.sun.tools.javac.file", "jdk.attach/sun.tools.attach"} {
		options = append(options, "--add-exports="+p+"=ALL-UNNAMED")
	}
	for _, p := range []string{"java.lang.module", "jdk.internal.loader", "jdk.internal.ref", "jdk.internal.reflect", "jdk.internal.math", "jdk.internal.module",
		"jdk.internal.util.jar", "sun.nio.ch", "java.io", "java.lang.reflect", "java.lang", "java.util", "java.nio"} {
		options = append(options, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
	}
	options = append(options, "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED", "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED")
	agents, _ := filepath.Glob(filepath.Join(lib, "jamm-0.3.*.jar")) // of 4.x, which is made for Java 11
	for _, agent := range agents {
		options = append(options, "-javaagent:"+agent)
		for _, p := range []string{"java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "java.net", "java.nio.charset", "java.nio.file", "sun.nio.fs", "sun.nio.cs",
			"java.security", "sun.security.provider", "jdk.internal.perf", "java.util.function", "java.util.regex", "java.lang.invoke", "java.lang.ref", "java.time", "java.math", "java.text", "sun.util.calendar"} {
			options = append(options, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
		}
	}
	return options
}

// start starts the node and waits until it serves clients.
func (n *node) start(ctx context.Context) error {
	args := append(javaOptions(n.lib), "-ea", "-da:net.openhft...", "-Xms256m", "-Xmx512m",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.ring_delay_ms=0",
		"-Dcassandra.superuser_setup_delay_ms=0", "-Dcassandra.unsafesystem=true", "-Dcassandra.shutdown_announce_in_ms=0",
		"-Dcassandra.consistent.rangemovement=false", "-Dcassandra.monitoring_report_interval_ms=2000", "-Dcassandra.size_recorder_interval=10",
		"-Dcassandra.config=file://"+n.path("conf/cassandra.yaml"), "-Dlogback.configurationFile="+n.path("conf/logback.xml"),
		"-Dcassandra.logdir="+n.path("log"), "-Dcassandra.storagedir="+n.dir, "-Dcassandra.jmx.local.port="+strconv.Itoa(n.jmx),
		"-Djava.rmi.server.hostname=127.0.0.1", "-Dcassandra-foreground=yes", "-cp", n.path("conf")+":"+n.lib+"/*", "org.apache.cassandra.service.CassandraDaemon")
	n.cmd = exec.Command("java", args...)
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := os.OpenFile(n.path("log/out.txt"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	n.cmd.Stdout, n.cmd.Stderr = out, out
	if err := n.cmd.Start(); err != nil {
		return err
	}
	n.gone = make(chan error, 1)
	go func() { n.gone <- n.cmd.Wait() }()
	return n.ready(ctx)
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

func (n *node) address() string { return net.JoinHostPort(n.host, strconv.Itoa(n.native)) }

// ready waits until the node takes connections, or is gone.
func (n *node) ready(ctx context.Context) error {
	deadline := time.After(startup)
	for {
		if c, err := net.DialTimeout("tcp", n.address(), time.Second); err == nil {
			return c.Close()
		}
		select {
		case err := <-n.gone:
			n.gone <- err
			out, _ := os.ReadFile(n.path("log/out.txt"))
			return fmt.Errorf("the server ended: %v\n%s", err, out[max(0, len(out)-3000):])
		case <-deadline:
			return fmt.Errorf("the server did not serve within %s", startup)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// kill ends the node without warning.
func (n *node) kill() {
	if n.cmd != nil && n.cmd.Process != nil {
		_ = n.cmd.Process.Kill()
		n.gone <- <-n.gone
	}
}

// tool runs one of the server's command line tools and gives what it prints.
func (n *node) tool(t *testing.T, class string, args ...string) []byte {
	t.Helper()
	return n.toolUntil(t.Context(), t, class, args...)
}

func (n *node) toolUntil(ctx context.Context, t *testing.T, class string, args ...string) []byte {
	t.Helper()
	java := append(javaOptions(n.lib), "-Xmx256m", "-Duser.home="+n.dir, "-Dlogback.configurationFile="+n.path("conf/tools.xml"),
		"-Dcassandra.config=file://"+n.path("conf/cassandra.yaml"), "-Dcassandra.storagedir="+n.dir,
		"-cp", n.path("conf")+":"+n.lib+"/*", "org.apache.cassandra.tools."+class)
	cmd := exec.CommandContext(ctx, "java", append(java, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", class, strings.Join(args, " "), err, out, said.Bytes())
	}
	return out
}

// restore runs nodetool in a cleanup, when the test's own context has ended.
func (n *node) restore(t *testing.T, args ...string) {
	t.Helper()
	n.toolUntil(context.WithoutCancel(t.Context()), t, "NodeTool", append([]string{"-h", "127.0.0.1", "-p", strconv.Itoa(n.jmx)}, args...)...)
}

// nodetool runs nodetool.
func (n *node) nodetool(t *testing.T, args ...string) []byte {
	t.Helper()
	return n.tool(t, "NodeTool", append([]string{"-h", "127.0.0.1", "-p", strconv.Itoa(n.jmx)}, args...)...)
}
