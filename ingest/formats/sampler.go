package formats

import (
	"strconv"

	"github.com/keyheat/keyheat/ingest"
)

// What print-outs of samplers share.

const (
	skipSampler    = "line of a sampler's list"
	causeListCut   = "sampler's list that is cut off"
	causeSampleRow = "line of a sampler's list not understood"
)

// A samplerRun numbers the runs of samplers in a print-out: a list of a kind that the run already has
// begins the next one.
type samplerRun struct {
	number int
	seen   []string
}

func (r *samplerRun) list(kind string) {
	for _, s := range r.seen {
		if s == kind {
			r.seen = r.seen[:0]
			break
		}
	}
	if len(r.seen) == 0 {
		r.number++
	}
	r.seen = append(r.seen, kind)
}

func (r *samplerRun) role() string { return ingest.RoleSampler + strconv.Itoa(r.number) }

func (r *samplerRun) contentions() string { return ingest.RoleContention + strconv.Itoa(r.number) }

// scyllaPrefix is what ScyllaDB from 4.5 on puts before keys: (keyspace:table) key.
var scyllaPrefix = pattern(`^\(([^:()\s]+):([^()\s]+)\) `)
