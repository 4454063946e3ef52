package main

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// anyFiles are the files of the machine, and objects in S3 by their URLs.
type anyFiles struct {
	ingest.Files
	objects *dynamo.Objects
}

// addObjects adds the objects in S3 to the files that are read and written. ctx ends all requests that read.
func (e *env) addObjects(ctx context.Context) {
	e.objects = dynamo.NewObjects(ctx)
	files, create, readFile := anyFiles{e.files, e.objects}, e.create, e.readFile
	e.files = files
	e.create = func(name string) (io.WriteCloser, error) {
		if dynamo.IsObject(name) {
			return e.objects.Create(name, false), nil
		}
		return create(name)
	}
	e.readFile = func(name string) ([]byte, error) {
		if dynamo.IsObject(name) {
			return readObject(e.objects, name)
		}
		return readFile(name)
	}
}

// readObject gives an object that is as small as what is read at once: a Profile, a configuration.
func readObject(objects *dynamo.Objects, name string) ([]byte, error) {
	f, err := objects.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxProfile))
	return data, errors.Join(err, f.Close())
}

// giveUp ends a file that is not whole: an object is not there then.
func giveUp(file io.Closer) error {
	if object, ok := file.(*dynamo.Upload); ok {
		object.Abort()
		return nil
	}
	return file.Close()
}

func (f anyFiles) of(name string) ingest.Files {
	if dynamo.IsObject(name) {
		return f.objects
	}
	return f.Files
}

// Open opens a file for reading.
func (f anyFiles) Open(name string) (ingest.File, error) { return f.of(name).Open(name) }

// Stat describes a file, following links.
func (f anyFiles) Stat(name string) (fs.FileInfo, error) { return f.of(name).Stat(name) }

// ReadDir lists a directory in order of names.
func (f anyFiles) ReadDir(name string) ([]fs.DirEntry, error) { return f.of(name).ReadDir(name) }

// Glob gives the names that a pattern fits, in order.
func (f anyFiles) Glob(pattern string) ([]string, error) { return f.of(pattern).Glob(pattern) }

// SameFile reports whether two descriptions are of one file.
func (f anyFiles) SameFile(a, b fs.FileInfo) bool {
	return f.objects.SameFile(a, b) || f.Files.SameFile(a, b)
}
