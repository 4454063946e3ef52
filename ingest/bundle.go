package ingest

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nodeOf gives the node that the path of a collected bundle names; empty when it names none. Collectors lay a
// node out in one of these ways, whatever is around it:
//
//	nodes/<address>/...                                DataStax's diagnostic tarball of a cluster, which sperf reads
//	<address>/{logs,conf}/cassandra/..., <address>/{nodetool,dsetool,driver}/...     the same tarball of one node
//	<host>_artifacts_<date>/...                        ds-collector
//	<IP address>/...                                   folders that people make
//
// The first three are written by https://github.com/datastax/diagnostic-collection: generate_diag.sh,
// collect_node_diag.sh and ds-collector.
func nodeOf(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	folders := parts[:len(parts)-1]
	if i := slices.Index(folders, "nodes"); i >= 0 && i+1 < len(folders) {
		return folders[i+1]
	}
	for _, folder := range folders {
		if m := artifacts.FindStringSubmatch(folder); m != nil {
			return m[1]
		}
	}
	for i, folder := range folders {
		folder = archiveEnd.ReplaceAllString(folder, "")
		_, err := netip.ParseAddr(folder)
		if err == nil || collected(folders[i+1:]) && strings.Trim(folder, ".") != "" {
			return folder
		}
	}
	return ""
}

// Taken gives when the bundle was collected that the path of the input names, in Unix nanoseconds; 0: it names none.
// ds-collector writes <host>_artifacts_<date>_<time>_<Unix seconds>.
func (in *Input) Taken() int64 {
	for _, folder := range strings.Split(strings.ReplaceAll(in.Name, `\`, "/"), "/") {
		if m := artifacts.FindStringSubmatch(folder); m != nil {
			if sec, err := strconv.ParseInt(m[2], 10, 64); err == nil && sec > firstCollector && sec < 1<<32 {
				return sec * 1e9
			}
		}
	}
	return 0
}

const firstCollector = 1_500_000_000 // seconds: there was no collector before 2017

var (
	artifacts  = regexp.MustCompile(`^(.+)_artifacts_\d{4}_\d\d_\d\d_\d{4}_(\d+)(?:\.tar(?:\.gz)?)?$`)
	archiveEnd = regexp.MustCompile(`\.(?:tar|tar\.(?:gz|xz|zst|bz2)|tgz|zip)$`)
)

// collected reports whether these are folders that a collector makes in that of a node.
func collected(folders []string) bool {
	if len(folders) == 0 {
		return false
	}
	switch folders[0] {
	case "nodetool", "dsetool", "driver":
		return true
	case "logs", "conf":
		return len(folders) > 1 && folders[1] == "cassandra"
	}
	return false
}
