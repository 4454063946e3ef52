package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A session is keyheat in a process of its own, at a terminal.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	screen *vt.SafeEmulator

	mu    sync.Mutex
	wrote bytes.Buffer // all that the process wrote
	ended chan error
}

// startTerminal runs keyheat at a terminal of that size. The test's program is keyheat when it is called so:
// testscript.Main sees to that.
func startTerminal(t *testing.T, width, height int, env []string, args ...string) *session {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes that show a screen")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "keyheat")
	if err := os.Symlink(self, name); err != nil {
		t.Skipf("symbolic links: %v", err)
	}
	s := &session{t: t, cmd: exec.Command(name, args...), screen: vt.NewSafeEmulator(width, height), ended: make(chan error, 1)}
	s.cmd.Env, s.cmd.Dir = append(os.Environ(), env...), t.TempDir()
	s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(s.pty, s.screen) // what a terminal answers to questions
	go s.copy()
	t.Cleanup(s.kill)
	return s
}

// copy shows what the process writes, until its end.
func (s *session) copy() {
	buf := make([]byte, 4096)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.wrote.Write(buf[:n])
		s.mu.Unlock()
		s.screen.Write(buf[:n])
		if err != nil { // EIO when the process is gone
			s.ended <- s.cmd.Wait()
			return
		}
	}
}

func (s *session) kill() {
	s.cmd.Process.Kill()
	s.pty.Close()
	s.screen.Close()
}

func (s *session) keys(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, text); err != nil {
		s.t.Fatal(err)
	}
}

// text is the screen, without spaces at the ends of lines.
func (s *session) text() string {
	lines := strings.Split(s.screen.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.Join(lines, "\n")
}

// until waits for a screen that shows all of the texts.
func (s *session) until(want ...string) string {
	s.t.Helper()
	return s.waitFor(fmt.Sprintf("%q", want), func(text string) bool {
		for _, w := range want {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

// terminalPatience is how long another process may take on a loaded machine.
const terminalPatience = 2 * time.Minute

func (s *session) waitFor(what string, ok func(text string) bool) string {
	s.t.Helper()
	for end := time.Now().Add(terminalPatience); time.Now().Before(end); {
		if text := s.text(); ok(text) {
			return text
		}
		time.Sleep(20 * time.Millisecond) // another process is watched
	}
	s.t.Fatalf("no screen with %s; it shows\n%s", what, s.text())
	return ""
}

// exit waits for the end of the process and gives its code.
func (s *session) exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(terminalPatience):
		s.t.Fatalf("keyheat does not end; it shows\n%s", s.text())
		return 0
	}
}

func (s *session) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrote.String()
}

// topLog writes the beginning of a log and gives what appends to it.
func topLog(t *testing.T) (path string, add func(from, n int, table, key string)) {
	path = filepath.Join(t.TempDir(), "events.ndjson")
	add = func(from, n int, table, key string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for i := range n {
			at := time.Unix(1_780_000_000+int64(from+i/10), 0).UTC().Format(time.RFC3339)
			fmt.Fprintf(f, `{"ts":%q,"table":%q,"pk":%q,"op":"write","wcu":1}`+"\n", at, table, key)
		}
	}
	return path, add
}

var xterm = []string{"TERM=xterm-256color", "NO_COLOR=", "COLORTERM="}

func TestTopGoesFromTablesToAKeyAndBack(t *testing.T) {
	path, add := topLog(t)
	add(0, 600, "orders", "CUSTOMER#42")
	add(0, 100, "orders", "CUSTOMER#7")
	add(0, 300, "carts", "basket")
	s := startTerminal(t, 80, 24, xterm, "top", path)
	text := s.until("orders (dynamodb)", "carts (dynamodb)", "as of 2026-05-28 20:27:39 UTC")
	if strings.Index(text, "orders (") > strings.Index(text, "carts (") {
		t.Errorf("orders is not first:\n%s", text)
	}
	if got := len(strings.Split(text, "\n")); got > 24 {
		t.Errorf("%d lines", got)
	}
	s.keys("\r")
	s.until("› orders", "▸ CUSTOMER#42", "CUSTOMER#7", "▼share")
	s.keys(">")
	s.until("▼")
	s.keys("K")
	s.until("KEY ▼")
	s.keys("W")
	s.until("▼writes")
	s.keys("/#7\r")
	s.waitFor("only CUSTOMER#7", func(text string) bool {
		return strings.Contains(text, "▸ CUSTOMER#7") && !strings.Contains(text, "CUSTOMER#42")
	})
	s.keys("\x1b")
	s.until("CUSTOMER#42", "CUSTOMER#7")
	s.keys("\x1b[B")
	s.until("▸ CUSTOMER#7")
	s.keys("\x1b[A\r")
	s.until("CUSTOMER#42", "rates over", "of what a partition serves", "SINCE THE START", "exactly 600 requests")
	s.keys("\x1b")
	s.until("▸ CUSTOMER#42", "CUSTOMER#7")
	s.keys("\x1b")
	s.until("carts (dynamodb)")
	s.keys("?")
	s.until("Letters sort", "Any key closes this.")
	s.keys("x")
	s.until("carts (dynamodb)")
	s.keys("q")
	if got := s.exit(); got != exitRan {
		t.Errorf("exit %d", got)
	}
	if all := s.written(); !strings.Contains(all, "\x1b[?1049h") || strings.LastIndex(all, "\x1b[?1049l") < strings.LastIndex(all, "\x1b[?1049h") {
		t.Error("the terminal is not given back as it was")
	}
}

func TestTopFollowsALogThatIsRotatedAndCut(t *testing.T) {
	path, add := topLog(t)
	add(0, 10, "orders", "a")
	s := startTerminal(t, 100, 30, xterm, "top", path)
	s.until("orders (dynamodb)")
	s.keys("\r")
	s.until("▸ a")
	add(1, 10, "orders", "b")
	s.until("  b ")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add(2, 10, "orders", "c")
	s.until("  c ")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	add(3, 10, "orders", "d")
	s.until("  d ")
	for _, key := range []string{"a", "b", "c", "d"} {
		s.keys("/" + key + "\r")
		s.until("filter /" + key)
		s.keys("\r")
		s.until("exactly 10 requests", "SINCE THE START")
		s.keys("\x1b")
		s.until("filter /" + key)
		s.keys("\x1b")
		s.waitFor("no filter", func(text string) bool { return !strings.Contains(text, "filter /") })
	}
	s.keys("q")
	s.exit()
}

func TestTopPausesSavesAndResizes(t *testing.T) {
	path, add := topLog(t)
	add(0, 100, "orders", "CUSTOMER#42")
	s := startTerminal(t, 80, 24, xterm, "top", path)
	s.until("orders (dynamodb)")
	s.keys("p")
	s.until("PAUSED")
	add(10, 100, "later", "x")
	time.Sleep(2 * time.Second) // in which nothing may change
	if text := s.text(); strings.Contains(text, "later") {
		t.Errorf("a picture that is paused changes:\n%s", text)
	}
	s.keys("p")
	s.until("later (dynamodb)")
	s.keys("w")
	s.until("saved keyheat-top-")
	saved, err := filepath.Glob(filepath.Join(s.cmd.Dir, "keyheat-top-*.html"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("saved %v, %v", saved, err)
	}
	if page, err := os.ReadFile(saved[0]); err != nil || !bytes.Contains(page, []byte("CUSTOMER#42")) {
		t.Errorf("the report does not tell of the key: %v", err)
	}
	for _, size := range []pty.Winsize{{Cols: 120, Rows: 40}, {Cols: 60, Rows: 10}, {Cols: 20, Rows: 5}, {Cols: 1, Rows: 1}, {Cols: 90, Rows: 24}} {
		s.screen.Resize(int(size.Cols), int(size.Rows))
		if err := pty.Setsize(s.pty, &size); err != nil {
			t.Fatal(err)
		}
		s.waitFor(fmt.Sprintf("the head at %d columns", size.Cols), func(text string) bool {
			first, _, _ := strings.Cut(text, "\n")
			return len([]rune(first)) <= int(size.Cols) && strings.HasPrefix("keyheat top", first[:min(len(first), 1)])
		})
	}
	s.until("orders (dynamodb)", "saved keyheat-top-")
	s.keys("\x03")
	if got := s.exit(); got != exitInterrupted {
		t.Errorf("exit %d after Ctrl-C, want 130", got)
	}
}

func TestTopShowsHostileKeysAsText(t *testing.T) {
	path, add := topLog(t)
	hostile := "\x1b]0;title\x07\x1b[2Jevil\r\n\u202erev\u009b5n"
	add(0, 100, "ta\x1b[31mble", hostile)
	add(0, 50, "ta\x1b[31mble", strings.Repeat("長", 300))
	s := startTerminal(t, 80, 24, append(xterm[:1:1], "NO_COLOR=1"), "top", path)
	s.until(`ta\x1b[31mble`)
	s.keys("\r")
	s.until(`▸ \x1b]0;`, "長")
	s.keys("\r")
	s.until(`\x1b]0;title\a\x1b[2Jevil\r\n\u202erev\u009b5n`, "SINCE THE START")
	s.keys("q")
	s.exit()
	all := s.written()
	for _, bad := range []string{"\x1b]0;title", "\x07\x1b[2Jevil", "\u202e", "\u009b", "\x1b[31m"} {
		if strings.Contains(all, bad) {
			t.Errorf("the terminal was sent %q", bad)
		}
	}
	for _, colour := range []string{"\x1b[1m", "\x1b[2m", "\x1b[7m"} {
		if strings.Contains(all, colour) {
			t.Errorf("NO_COLOR is set, and the terminal was sent %q", colour)
		}
	}
}

func TestTopOnADumbTerminalPrintsLines(t *testing.T) {
	path, add := topLog(t)
	add(0, 100, "orders", "CUSTOMER#42")
	s := startTerminal(t, 80, 24, []string{"TERM=dumb"}, "top", "--every", "1s", "--count", "2", path)
	if got := s.exit(); got != exitRan {
		t.Errorf("exit %d", got)
	}
	all := s.written()
	if strings.Contains(all, "\x1b") || strings.Count(all, "keyheat top") != 2 || !strings.Contains(all, "CUSTOMER#42") {
		t.Errorf("it wrote %q", all)
	}
}

func TestTopReadsKeysFromTheTerminalWhileStdinIsData(t *testing.T) {
	path, add := topLog(t)
	add(0, 100, "orders", "CUSTOMER#42")
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	s := startTerminal(t, 80, 24, xterm, "version")
	s.exit()
	inner := startShell(t, fmt.Sprintf("%s top - < %s", s.cmd.Path, path))
	inner.until("orders (dynamodb)", "ended")
	inner.keys("\r")
	inner.until("CUSTOMER#42")
	inner.keys("q")
	if got := inner.exit(); got != exitRan {
		t.Errorf("exit %d", got)
	}
}

// startShell runs a line of sh at a terminal, which is its controlling one.
func startShell(t *testing.T, line string) *session {
	s := &session{t: t, cmd: exec.Command("sh", "-c", line), screen: vt.NewSafeEmulator(80, 24), ended: make(chan error, 1)}
	s.cmd.Env, s.cmd.Dir = append(os.Environ(), xterm...), t.TempDir()
	var err error
	if s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go io.Copy(s.pty, s.screen)
	go s.copy()
	t.Cleanup(s.kill)
	return s
}

func TestTopEndsWithWhatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "noise")
	if err := os.WriteFile(path, []byte("this is prose\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := startTerminal(t, 80, 24, xterm, "top", path)
	if got := s.exit(); got != exitFailed {
		t.Errorf("exit %d, want %d", got, exitFailed)
	}
	if !strings.Contains(s.written(), "no format knows it") {
		t.Errorf("it wrote %q", s.written())
	}
}
