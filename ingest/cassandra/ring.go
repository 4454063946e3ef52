package cassandra

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A member is a node as the cluster knows it.
type member struct {
	row     *systable.Row // of system.local or of the peers
	id      string        // see idOf
	name    string        // the address that the nodes have for each other, with the port where two have the same
	port    string        // of that address, where it is told
	address string        // for clients, host:port
	dc      string
	rack    string
	tokens  []int64
}

// A replication says on how many nodes a keyspace's rows are.
type replication struct {
	simple int            // SimpleStrategy; 0: another
	dcs    map[string]int // NetworkTopologyStrategy
}

// replicationOf reads system_schema.keyspaces.replication: {'class': '…', 'dc1': '3'}.
func replicationOf(text string) replication {
	r := replication{dcs: map[string]int{}}
	class := ""
	for part := range strings.SplitSeq(strings.Trim(text, "{}"), ", ") {
		name, value, _ := strings.Cut(part, ": ")
		name, value = strings.Trim(name, "'"), strings.Trim(value, "'")
		n, err := strconv.Atoi(strings.Split(value, "/")[0]) // 3/1 has transient replicas
		switch {
		case name == "class":
			class = value[strings.LastIndexByte(value, '.')+1:]
		case err == nil && name == "replication_factor":
			r.simple = n
		case err == nil:
			r.dcs[name] = n
		}
	}
	if class != "SimpleStrategy" {
		r.simple = 0
	}
	return r
}

// A ring says which nodes hold a token. The zero value knows none.
type ring struct {
	owners    []owner // by token
	racks     map[string]int
	keyspaces map[string]replication
	schema    *cql.Schema
}

type owner struct {
	token int64
	of    *member
}

func newRing(members []*member, keyspaces map[string]replication, schema *cql.Schema) *ring {
	r := &ring{keyspaces: keyspaces, schema: schema, racks: map[string]int{}}
	seen := map[[2]string]bool{}
	for _, m := range members {
		for _, token := range m.tokens {
			r.owners = append(r.owners, owner{token, m})
		}
		if rack := [2]string{m.dc, m.rack}; !seen[rack] {
			seen[rack] = true
			r.racks[m.dc]++
		}
	}
	slices.SortFunc(r.owners, func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.token, b.token), cmp.Compare(a.of.name, b.of.name))
	})
	return r
}

// replicas gives the nodes that hold a token of the keyspace, in the order of the ring, as SimpleStrategy
// and NetworkTopologyStrategy choose them (locator/NetworkTopologyStrategy.java): of each data centre as
// many as it has replicas, from racks that have none yet as long as there are such racks.
func (r *ring) replicas(keyspace string, token int64) []*member {
	how, known := r.keyspaces[keyspace]
	if !known || len(r.owners) == 0 {
		return nil
	}
	start, _ := slices.BinarySearchFunc(r.owners, token, func(o owner, t int64) int { return cmp.Compare(o.token, t) })
	var found []*member
	taken, racks := map[string]int{}, map[[2]string]bool{}
	passed := map[string][]*member{} // over: their rack has one
	for i := range r.owners {
		m := r.owners[(start+i)%len(r.owners)].of
		switch want := how.dcs[m.dc]; {
		case slices.Contains(found, m) || slices.Contains(passed[m.dc], m):
		case how.simple > 0:
			if len(found) < how.simple {
				found = append(found, m)
			}
		case taken[m.dc] >= want:
		case racks[[2]string{m.dc, m.rack}] && r.rackLeft(m.dc, racks):
			passed[m.dc] = append(passed[m.dc], m)
		default:
			found, taken[m.dc] = append(found, m), taken[m.dc]+1
			racks[[2]string{m.dc, m.rack}] = true
			if r.rackLeft(m.dc, racks) {
				continue
			}
			for _, p := range passed[m.dc] {
				if taken[m.dc] < want {
					found, taken[m.dc] = append(found, p), taken[m.dc]+1
				}
			}
			passed[m.dc] = nil
		}
	}
	return found
}

// rackLeft reports whether the data centre has a rack of which no node was taken.
func (r *ring) rackLeft(dc string, racks map[[2]string]bool) bool {
	n := 0
	for rack := range racks {
		if rack[0] == dc {
			n++
		}
	}
	return n < r.racks[dc]
}

// first gives the name of the first replica of a key; nil: schema, type or ring do not tell.
func (r *ring) first(table string, key []byte) []byte {
	keyspace, name, ok := strings.Cut(table, ".")
	if !ok || r.schema == nil {
		return nil
	}
	t := r.schema.Table(keyspace, name)
	k := ingest.ParseKey(key)
	if t == nil || k.Cut || len(k.Parts) != len(t.PartitionKey) {
		return nil
	}
	types := make([]string, len(t.PartitionKey))
	for i, c := range t.PartitionKey {
		types[i] = c.Type
	}
	token, err := cql.TokenOf(types, k.Parts)
	if err != nil {
		return nil
	}
	if nodes := r.replicas(keyspace, token); len(nodes) > 0 {
		return []byte(nodes[0].name)
	}
	return nil
}
