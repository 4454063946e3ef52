package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Expand gives the sources that the arguments name: files, directories (all below them, in order of
// names, without version control folders), globs (when there is no such file) and "-", the standard
// input. A file that is named twice, or reached twice by links, comes once, at its first place. The
// error joins one error for each argument, or folder, that names nothing; the others are still given.
func Expand(args []string, f Files) ([]Source, error) {
	e := expansion{files: f, paths: map[string]bool{}, same: map[fileTrait][]fs.FileInfo{}}
	for _, arg := range args {
		if err := e.argument(arg); err != nil {
			e.errs = append(e.errs, err)
		}
	}
	return e.sources, errors.Join(e.errs...)
}

// A fileTrait is equal for two names of one file. It spares comparing each file with each other.
type fileTrait struct {
	size int64
	mod  int64 // Unix nanoseconds
}

type expansion struct {
	files   Files
	sources []Source
	errs    []error
	paths   map[string]bool
	same    map[fileTrait][]fs.FileInfo
}

func (e *expansion) argument(arg string) error {
	if arg == "-" {
		if !e.paths["-"] {
			e.paths["-"] = true
			e.sources = append(e.sources, Source{Name: "-", Size: -1, Named: true, Stdin: true})
		}
		return nil
	}
	info, err := e.files.Stat(arg)
	if err == nil {
		return e.add(arg, info, true)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?[") {
		return err
	}
	names, err := e.files.Glob(arg)
	if err != nil {
		return fmt.Errorf("%s: %w", arg, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no file matches", arg)
	}
	for _, name := range names {
		if info, err = e.files.Stat(name); err == nil {
			err = e.add(name, info, false)
		}
		if err != nil {
			e.errs = append(e.errs, err)
		}
	}
	return nil
}

// add appends a file, or all files below a directory. Pipes and devices must be named: to open one that
// was only found could wait for ever.
func (e *expansion) add(path string, info fs.FileInfo, named bool) error {
	if info.IsDir() {
		return e.directory(path)
	}
	clean := path
	if !strings.Contains(path, "://") {
		clean = filepath.Clean(path)
	}
	if e.paths[clean] || !named && !info.Mode().IsRegular() {
		return nil
	}
	e.paths[clean] = true
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
		trait := fileTrait{size, info.ModTime().UnixNano()}
		for _, other := range e.same[trait] {
			if e.files.SameFile(other, info) {
				return nil
			}
		}
		e.same[trait] = append(e.same[trait], info)
	}
	e.sources = append(e.sources, Source{Name: path, Path: path, Size: size, Named: named})
	return nil
}

// directory adds what is below dir. Links to files are followed, links to directories are not, so that
// it ends.
func (e *expansion) directory(dir string) error {
	entries, err := e.files.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range entries {
		path := below(dir, d.Name())
		if d.IsDir() {
			if !versionControl(d.Name()) {
				e.note(e.directory(path))
			}
			continue
		}
		var info fs.FileInfo
		if d.Type()&fs.ModeSymlink != 0 {
			info, err = e.files.Stat(path)
		} else {
			info, err = d.Info()
		}
		if err != nil {
			e.note(err)
		} else if !info.IsDir() {
			e.note(e.add(path, info, false))
		}
	}
	return nil
}

// below gives the path of what is in a directory. In that of a URL all parts mean something.
func below(dir, name string) string {
	if strings.Contains(dir, "://") {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

func (e *expansion) note(err error) {
	if err != nil {
		e.errs = append(e.errs, err)
	}
}

func versionControl(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn"
}
