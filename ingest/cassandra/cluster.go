package cassandra

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A cluster is what one node tells of all at the begin of a run. Who is in it, and what its tables are, may change
// later.
type cluster struct {
	tables  map[string]bool // keyspace.table of the server's own tables, virtual ones included
	version string          // of the node that was asked
	scylla  bool
	dse     bool

	telling sync.Mutex // held while the sink of schema and topology is used

	mu        sync.Mutex
	all       []*member // by name
	schema    *cql.Schema
	schemaIs  string // version of it, as nodes have it; empty: not told
	keyspaces map[string]replication
	ring      *ring
}

// members gives the nodes of the cluster, by name.
func (c *cluster) members() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// types gives the tables with their columns.
func (c *cluster) types() *cql.Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.schema
}

// first gives the name of the first replica of a key; nil: it is not known.
func (c *cluster) first(table string, key []byte) []byte {
	c.mu.Lock()
	r := c.ring
	c.mu.Unlock()
	return r.first(table, key)
}

// become makes these the nodes of the cluster.
func (c *cluster) become(members []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.ring = members, newRing(members, c.keyspaces, c.schema)
}

// notRead is what can be done with servers whose schema is in other tables, and which know no such protocol.
const notRead = "3.0 and later are read live; of older ones keyheat reads files: logs, print-outs of nodetool and of cqlsh"

// readCluster asks one node for the others, the tables, and the schema, and tells the facts of that.
func (s *server) readCluster(ctx context.Context, l *link, to ingest.Sink) (*cluster, error) {
	c := &cluster{}
	members, local, err := readMembers(ctx, l)
	if err != nil {
		return nil, err
	}
	c.version, c.schemaIs = string(local.Of("release_version")), string(local.Of("schema_version"))
	c.scylla, c.dse = len(local.Of("supported_features")) > 0, local.Has("dse_version")
	if older, known := olderThan(c.version, 3, 0); known && older && !c.scylla {
		return nil, fmt.Errorf("this is Cassandra %s: %s", c.version, notRead)
	}
	tellMembers(members, to)
	read, err := s.readSchema(ctx, l, s.config.wants, to)
	if err != nil {
		return nil, err
	}
	c.tables, c.schema, c.keyspaces = read.own, read.types, read.keyspaces
	c.become(members)
	err = l.rows(ctx, &query{table: "system_virtual_schema.tables", cols: "keyspace_name, table_name"}, func(r *systable.Row) {
		c.tables[tableName(r)] = true
	})
	var said *refusal
	if errors.As(err, &said) { // before 4.0 there are none
		return c, nil
	}
	return c, err
}

// readMembers reads system.local, which it gives, and the peers. Before 4.0 they have no ports of their own.
func readMembers(ctx context.Context, l *link) (members []*member, local *systable.Row, err error) {
	_, port, _ := net.SplitHostPort(l.address)
	local = &systable.Row{}
	err = l.rows(ctx, &query{table: "system.local", rest: "WHERE key = 'local'"}, func(r *systable.Row) {
		local = &systable.Row{From: r.From, Names: r.Names, Values: clones(r.Values)}
		name, port := cmp.Or(string(r.Of("broadcast_address")), string(r.Of("listen_address"))), cmp.Or(string(r.Of("broadcast_port")), string(r.Of("listen_port")))
		members = append(members, memberOf(local, name, port, l.address))
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading system.local: %w", err)
	}
	err = readPeers(ctx, l, "", func(r *systable.Row) {
		host := cmp.Or(string(r.Of("native_address")), string(r.Of("rpc_address")))
		if host == "" || len(r.Of("tokens")) == 0 { // a peer that is half gone
			return
		}
		row := &systable.Row{From: r.From, Names: r.Names, Values: clones(r.Values)}
		address := net.JoinHostPort(host, cmp.Or(string(r.Of("native_port")), port))
		members = append(members, memberOf(row, string(r.Of("peer")), string(r.Of("peer_port")), address))
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the peers of %s: %w", l.address, err)
	}
	nameApart(members)
	slices.SortFunc(members, func(a, b *member) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.address, b.address)) })
	return members, local, nil
}

// tellMembers tells what is known of the nodes.
func tellMembers(members []*member, to ingest.Sink) {
	for _, m := range members {
		(&systable.Sayer{}).Say(m.row, ingest.Position{}, &factsOf{Sink: to, node: []byte(m.name)})
	}
}

// factsOf makes facts those of a node by the name that it has here.
type factsOf struct {
	ingest.Sink
	node []byte
}

// Fact implements ingest.Sink.
func (s *factsOf) Fact(f *ingest.Fact) {
	if len(f.Node) > 0 {
		f.Node = s.node
	}
	s.Sink.Fact(f)
}

// readPeers hands over some columns of the peers of a node, empty for all.
func readPeers(ctx context.Context, l *link, cols string, each func(*systable.Row)) error {
	err := l.rows(ctx, &query{table: "system.peers_v2", cols: cols}, each)
	var said *refusal
	if errors.As(err, &said) && !said.lacking {
		err = l.rows(ctx, &query{table: "system.peers", cols: cols}, each)
	}
	return err
}

// idOf tells a node from every other one, by a row of system.local or of the peers. One that comes back at another
// address counts as another.
func idOf(r *systable.Row, address string) string { return string(r.Of("host_id")) + " " + address }

func memberOf(r *systable.Row, name, port, address string) *member {
	m := &member{row: r, id: idOf(r, name), name: name, port: port, address: address, dc: string(r.Of("data_center")), rack: string(r.Of("rack"))}
	for text := range strings.SplitSeq(strings.Trim(string(r.Of("tokens")), "{}"), ", ") {
		if token, err := strconv.ParseInt(strings.Trim(text, "'"), 10, 64); err == nil {
			m.tokens = append(m.tokens, token)
		}
	}
	return m
}

// nameApart adds their ports to the names of nodes that have one address.
func nameApart(members []*member) {
	count := map[string]int{}
	for _, m := range members {
		count[m.name]++
	}
	for _, m := range members {
		if count[m.name] > 1 && m.port != "" {
			m.name = net.JoinHostPort(m.name, m.port)
		}
	}
}

func tableName(r *systable.Row) string {
	return string(r.Of("keyspace_name")) + "." + string(r.Of("table_name"))
}

// ownKeyspaces are the server's own, whose requests are those of drivers and of the server itself.
// Passwords and roles, in system_auth, are data like any other.
var ownKeyspaces = []string{"system", "system_schema", "system_traces", "system_views", "system_virtual_schema", "system_metrics", "system_cluster_metadata"}

// ownKeyspace reports whether a table, as ks.table, is in one of them.
func ownKeyspace(table string) bool {
	keyspace, _, _ := strings.Cut(table, ".")
	return slices.Contains(ownKeyspaces, keyspace)
}
