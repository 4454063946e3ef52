package nightly

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Disk is the file system that holds the state. Missing files are fs.ErrNotExist.
type Disk interface {
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirAll(name string) error
	// WriteFile writes a file whole or not at all, and waits until it is on the disk.
	WriteFile(name string, data []byte) error
	// Rename gives a file or a folder another name at once, and waits until that is on the disk.
	Rename(from, to string) error
	RemoveAll(name string) error
}

// stateVersion is what the file version of a state directory says: the form of everything in it.
const stateVersion = "keyheat.state/1"

// A Store keeps nights:
//
//	version                          stateVersion
//	JOB/DATE.N/night.json            the N-th run for a night; the largest N holds
//	JOB/DATE.N/report.json           and other renderings of the report
//	JOB/DATE.N/profile.khp.gz        what a report can be made of again
//	JOB/DATE.N/notified              who had to be told was told
//	JOB/index.html                   the history
//
// A night is made under a name with a dot and then renamed; what has a dot is never read.
type Store struct {
	disk Disk
	root string
}

// Open opens a state directory, makes it when there is none, and clears away what killed runs left. The
// caller holds the lock of the directory.
func Open(disk Disk, root string) (*Store, error) {
	s := &Store{disk, root}
	name := filepath.Join(root, "version")
	text, err := disk.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := disk.MkdirAll(root); err != nil {
			return nil, err
		}
		if err := disk.WriteFile(name, []byte(stateVersion+"\n")); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case strings.TrimSpace(string(text)) != stateVersion:
		return nil, fmt.Errorf("%s says %.40q: this keyheat keeps %s", name, strings.TrimSpace(string(text)), stateVersion)
	}
	return s, s.sweep()
}

// sweep removes what killed runs left.
func (s *Store) sweep() error {
	jobs, err := s.disk.ReadDir(s.root)
	if err != nil {
		return err
	}
	errs := []error{}
	for _, job := range jobs {
		if strings.HasPrefix(job.Name(), ".") {
			errs = append(errs, s.disk.RemoveAll(filepath.Join(s.root, job.Name())))
			continue
		}
		if !job.IsDir() {
			continue
		}
		entries, err := s.disk.ReadDir(filepath.Join(s.root, job.Name()))
		errs = append(errs, err)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				errs = append(errs, s.disk.RemoveAll(filepath.Join(s.root, job.Name(), e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// A run is a folder of a night: DATE.N.
type run struct {
	date string
	n    int
}

func (r run) String() string { return fmt.Sprintf("%s.%d", r.date, r.n) }

// runs gives the folders of a job in order.
func (s *Store) runs(job string) ([]run, error) {
	entries, err := s.disk.ReadDir(filepath.Join(s.root, job))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := []run{}
	for _, e := range entries {
		date, number, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.Atoi(number); err == nil && e.IsDir() && date != "" {
			out = append(out, run{date, n})
		}
	}
	slices.SortFunc(out, func(a, b run) int {
		if a.date != b.date {
			return strings.Compare(a.date, b.date)
		}
		return a.n - b.n
	})
	return out, nil
}

// Nights gives the nights of a job in order of date. One that cannot be read is left out and is part of
// the error.
func (s *Store) Nights(job string) ([]*Night, error) {
	runs, err := s.runs(job)
	errs := []error{err}
	out := []*Night{}
	for i, r := range runs {
		if i+1 < len(runs) && runs[i+1].date == r.date {
			continue
		}
		n, err := s.night(job, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the night %s of %s: %w", r, job, err))
			continue
		}
		out = append(out, n)
	}
	return out, errors.Join(errs...)
}

func (s *Store) night(job string, r run) (*Night, error) {
	dir := filepath.Join(s.root, job, r.String())
	text, err := s.disk.ReadFile(filepath.Join(dir, "night.json"))
	if err != nil {
		return nil, err
	}
	n := &Night{}
	if err := json.Unmarshal(text, n); err != nil {
		return nil, err
	}
	if n.Schema != nightSchema || n.Date != r.date {
		return nil, fmt.Errorf("schema %q, date %q: must be %s of %s", n.Schema, n.Date, nightSchema, r.date)
	}
	n.Folder = r.String()
	_, err = s.disk.ReadFile(filepath.Join(dir, "notified"))
	n.notified = err == nil
	return n, nil
}

// maxNight is the most bytes that a night may take; a Profile that would be beyond is not kept.
const maxNight = 5 << 20

// Put keeps a night with the renderings of its report, and its Profile when it fits. It replaces an
// earlier run of the same night.
func (s *Store) Put(n *Night, files map[string][]byte, profile []byte) error {
	runs, err := s.runs(n.Job)
	if err != nil {
		return err
	}
	r := run{n.Date, 1}
	for _, old := range runs {
		if old.date == n.Date {
			r.n = old.n + 1
		}
	}
	n.Folder = r.String()
	made := filepath.Join(s.root, n.Job, ".new-"+r.String())
	if err := s.disk.MkdirAll(made); err != nil {
		return err
	}
	if err := s.fill(made, n, files, profile); err != nil {
		return errors.Join(err, s.disk.RemoveAll(made))
	}
	if err := s.disk.Rename(made, filepath.Join(s.root, n.Job, r.String())); err != nil {
		return errors.Join(err, s.disk.RemoveAll(made))
	}
	return nil
}

func (s *Store) fill(dir string, n *Night, files map[string][]byte, profile []byte) error {
	size := 0
	for name, data := range files {
		n.Files = append(n.Files, name)
		size += len(data)
	}
	slices.Sort(n.Files)
	packed, err := gzipped(profile)
	if err != nil {
		return err
	}
	if len(profile) > 0 && size+len(packed) > maxNight {
		n.Notes = append(n.Notes, fmt.Sprintf("the Profile was not kept: with it the night would take %d bytes, more than %d", size+len(packed), maxNight))
		packed = nil
	}
	if len(packed) > 0 {
		n.Files = append(n.Files, "profile.khp.gz")
		if err := s.disk.WriteFile(filepath.Join(dir, "profile.khp.gz"), packed); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := s.disk.WriteFile(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return s.disk.WriteFile(filepath.Join(dir, "night.json"), text)
}

func gzipped(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// notified notes that everybody was told of a night.
func (s *Store) notified(n *Night) error {
	n.notified = true
	return s.disk.WriteFile(filepath.Join(s.Dir(n), "notified"), nil)
}

// Dir gives the folder of a kept night.
func (s *Store) Dir(n *Night) string { return filepath.Join(s.root, n.Job, n.Folder) }

// prune removes runs that later ones replaced, and all but the last nights. A run loses its name first,
// so that none is ever seen in part.
func (s *Store) prune(job string, keep int) error {
	runs, err := s.runs(job)
	errs := []error{err}
	kept, later := 0, ""
	for _, r := range slices.Backward(runs) {
		if r.date != later {
			kept++
		}
		if r.date == later || kept > keep {
			from, to := filepath.Join(s.root, job, r.String()), filepath.Join(s.root, job, ".old-"+r.String())
			if err := s.disk.Rename(from, to); err != nil {
				errs = append(errs, err)
				continue
			}
			errs = append(errs, s.disk.RemoveAll(to))
		}
		later = r.date
	}
	return errors.Join(errs...)
}
