package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// stateDisk is the file system of the machine for what must survive a power cut: nightly.Disk. Its files
// may hold keys, so only their owner and group read them.
type stateDisk struct{}

// ReadFile reads a whole file.
func (stateDisk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// ReadDir lists a directory in order of names.
func (stateDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// MkdirAll makes a directory with those above it.
func (stateDisk) MkdirAll(name string) error { return os.MkdirAll(name, 0o750) }

// RemoveAll removes a file, or a directory with what is in it.
func (stateDisk) RemoveAll(name string) error { return os.RemoveAll(name) }

// WriteFile writes a file beside its place, waits for the disk, and puts it in its place at once.
func (d stateDisk) WriteFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = errors.Join(f.Chmod(0o640), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Rename gives a file or directory another name and waits until the directory is on the disk.
func (stateDisk) Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// lockState keeps other runs out of a state directory until release is called or the process ends.
func lockState(dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	held, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, fmt.Errorf("another run uses %s", dir)
	}
	return lock.Unlock, nil
}
