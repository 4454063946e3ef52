package nightly

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/report"
)

// A memory is a disk that can be full: of its changes those from full on fail with what.
type memory struct {
	files   fstest.MapFS
	changes int
	full    int // 0: never
	what    error
}

func newMemory() *memory { return &memory{files: fstest.MapFS{}} }

func (m *memory) change() error {
	m.changes++
	if m.full > 0 && m.changes >= m.full {
		return m.what
	}
	return nil
}

func (m *memory) ReadFile(name string) ([]byte, error)       { return m.files.ReadFile(name) }
func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) { return m.files.ReadDir(name) }

func (m *memory) MkdirAll(name string) error {
	if err := m.change(); err != nil {
		return err
	}
	m.files[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	return nil
}

func (m *memory) WriteFile(name string, data []byte) error {
	if err := m.change(); err != nil {
		return err
	}
	m.files[name] = &fstest.MapFile{Data: slices.Clone(data), Mode: 0o644}
	return nil
}

func (m *memory) Rename(from, to string) error {
	if err := m.change(); err != nil {
		return err
	}
	for name, f := range m.files {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(m.files, name)
			m.files[to+rest] = f
		}
	}
	return nil
}

func (m *memory) RemoveAll(name string) error {
	if err := m.change(); err != nil {
		return err
	}
	for file := range m.files {
		if file == name || strings.HasPrefix(file, name+"/") {
			delete(m.files, file)
		}
	}
	return nil
}

func aNight(date string) *Night {
	return &Night{Schema: nightSchema, Job: "job", Date: date, Digest: &report.Digest{}}
}

func put(s *Store, date, text string) error {
	return s.Put(aNight(date), map[string][]byte{"report.json": []byte(text)}, []byte("profile"))
}

func mustOpen(t *testing.T, m *memory) *Store {
	t.Helper()
	s, err := Open(m, "state")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept gives the dates of the nights with the text of their reports.
func kept(t *testing.T, s *Store) []string {
	t.Helper()
	nights, err := s.Nights("job")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range nights {
		text, err := s.disk.ReadFile(path.Join(s.Dir(n), "report.json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.disk.ReadFile(path.Join(s.Dir(n), "profile.khp.gz")); err != nil {
			t.Fatal(err)
		}
		out = append(out, n.Date+" "+string(text))
	}
	return out
}

func TestAFullDiskLosesNothing(t *testing.T) {
	for full := 1; ; full++ {
		m := newMemory()
		if err := put(mustOpen(t, m), "2026-06-01", "first"); err != nil {
			t.Fatal(err)
		}
		m.changes, m.full, m.what = 0, full, syscall.ENOSPC
		s := &Store{m, "state"}
		err := errors.Join(put(s, "2026-06-02", "second"), put(s, "2026-06-01", "again"), s.prune("job", 1))
		ended := m.changes < full
		if !ended && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("full from change %d on: error %v", full, err)
		}
		m.full = 0
		got := kept(t, mustOpen(t, m))
		if !slices.ContainsFunc([][]string{
			{"2026-06-01 first"}, {"2026-06-01 first", "2026-06-02 second"}, {"2026-06-01 again", "2026-06-02 second"}, {"2026-06-02 second"},
		}, func(want []string) bool { return slices.Equal(got, want) }) {
			t.Errorf("full from change %d on: got %v", full, got)
		}
		for name := range m.files {
			if strings.Contains(name, "/.") {
				t.Errorf("full from change %d on: %s is left after the next opening", full, name)
			}
		}
		if ended {
			if full < 8 || len(got) != 1 {
				t.Errorf("%d changes, left %v", full, got)
			}
			return
		}
	}
}

func TestOnlyTheLastNightsAndRunsAreKept(t *testing.T) {
	m := newMemory()
	s := mustOpen(t, m)
	for n := range 12 {
		for _, text := range []string{"old", "new"} {
			if err := put(s, fmt.Sprintf("2026-06-%02d", n+1), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.prune("job", 2); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(kept(t, s), []string{"2026-06-11 new", "2026-06-12 new"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	entries, err := m.ReadDir("state/job")
	if err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestAStateOfAnotherVersionIsRefused(t *testing.T) {
	m := newMemory()
	m.files["state/version"] = &fstest.MapFile{Data: []byte("keyheat.state/2\n")}
	if _, err := Open(m, "state"); err == nil || !strings.Contains(err.Error(), `says "keyheat.state/2": this keyheat keeps keyheat.state/1`) {
		t.Errorf("got %v", err)
	}
}

func TestADamagedNightIsToldAndTheOthersAreRead(t *testing.T) {
	m := newMemory()
	s := mustOpen(t, m)
	for _, date := range []string{"2026-06-01", "2026-06-02"} {
		if err := put(s, date, "x"); err != nil {
			t.Fatal(err)
		}
	}
	m.files["state/job/2026-06-01.1/night.json"].Data = []byte("{")
	nights, err := s.Nights("job")
	if len(nights) != 1 || nights[0].Date != "2026-06-02" || err == nil || !strings.Contains(err.Error(), "reading the night 2026-06-01.1 of job") {
		t.Errorf("got %v, %v", nights, err)
	}
}

func TestANightTakesNoMoreThanItMay(t *testing.T) {
	m := newMemory()
	s := mustOpen(t, m)
	n := aNight("2026-06-01")
	if err := s.Put(n, map[string][]byte{"report.json": make([]byte, maxNight)}, []byte("profile")); err != nil {
		t.Fatal(err)
	}
	if m.files["state/job/2026-06-01.1/profile.khp.gz"] != nil || len(n.Notes) != 1 {
		t.Errorf("the Profile is kept, or nothing says that it is not: %v", n.Notes)
	}
}
