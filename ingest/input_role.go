package ingest

import (
	"path"
	"strings"
)

// Folder gives the folder of an input, which stands for its node where nothing names one: the files of
// a node lie together.
func (in *Input) Folder() string { return path.Dir(strings.ReplaceAll(in.Name, `\`, "/")) }

// Role says which of a node's files an input is, by its name without what rotation adds: system.log,
// system.log.1 and system.log.2026-06-04.0.zip are one file to whoever counts what it tells.
func (in *Input) Role() string {
	name := path.Base(strings.ReplaceAll(in.Name, `\`, "/"))
	if stem, _, found := strings.Cut(name, ".log"); found {
		name = stem
	}
	return strings.TrimRight(name, "-_.0123456789")
}
