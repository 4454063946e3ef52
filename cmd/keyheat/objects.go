package main

import (
	"context"
	"io/fs"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// anyFiles are the files of the machine, and objects in S3 by their URLs.
type anyFiles struct {
	ingest.Files
	objects *dynamo.Objects
}

// withObjects adds the objects in S3. ctx ends all requests for them.
func withObjects(ctx context.Context, files ingest.Files) ingest.Files {
	return anyFiles{files, dynamo.NewObjects(ctx)}
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
