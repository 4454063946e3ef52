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

// A cluster is what one node tells of all at the begin of a run. Who is in it may change later.
type cluster struct {
	tables    map[string]bool // keyspace.table of the server's own tables, virtual ones included
	schema    *cql.Schema
	keyspaces map[string]replication
	version   string // of the node that was asked
	scylla    bool
	dse       bool

	mu   sync.Mutex
	all  []*member // by name
	ring *ring
}

// members gives the nodes of the cluster, by name.
func (c *cluster) members() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
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
	r := newRing(members, c.keyspaces, c.schema)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.ring = members, r
}

// notRead is what can be done with servers whose schema is in other tables, and which know no such protocol.
const notRead = "3.0 and later are read live; of older ones keyheat reads files: logs, print-outs of nodetool and of cqlsh"

// readCluster asks one node for the others, the tables, and the schema, and tells the facts of that.
func (s *server) readCluster(ctx context.Context, l *link, to ingest.Sink) (*cluster, error) {
	c := &cluster{tables: map[string]bool{}, keyspaces: map[string]replication{}}
	members, err := readMembers(ctx, l, to, func(local *systable.Row) {
		c.version = string(local.Of("release_version"))
		c.scylla, c.dse = len(local.Of("supported_features")) > 0, local.Has("dse_version")
	})
	if err != nil {
		return nil, err
	}
	if older, known := olderThan(c.version, 3, 0); known && older && !c.scylla {
		return nil, fmt.Errorf("this is Cassandra %s: %s", c.version, notRead)
	}
	if err := s.readSchema(ctx, l, c, to); err != nil {
		return nil, err
	}
	err = l.rows(ctx, &query{table: "system_schema.keyspaces", cols: "keyspace_name, replication"}, func(r *systable.Row) {
		c.keyspaces[string(r.Of("keyspace_name"))] = replicationOf(string(r.Of("replication")))
	})
	c.become(members)
	return c, err
}

// readMembers reads system.local, which is shown, and the peers. Before 4.0 they have no ports of their own.
func readMembers(ctx context.Context, l *link, to ingest.Sink, show func(local *systable.Row)) (members []*member, err error) {
	say := systable.Sayer{}
	_, port, _ := net.SplitHostPort(l.address)
	err = l.rows(ctx, &query{table: "system.local", rest: "WHERE key = 'local'"}, func(r *systable.Row) {
		say.Say(r, ingest.Position{}, to)
		show(r)
		name := cmp.Or(string(r.Of("broadcast_address")), string(r.Of("listen_address")))
		members = append(members, memberOf(r, name, l.address))
	})
	if err != nil {
		return nil, fmt.Errorf("reading system.local: %w", err)
	}
	err = readPeers(ctx, l, "", func(r *systable.Row) {
		host := cmp.Or(string(r.Of("native_address")), string(r.Of("rpc_address")))
		if host == "" || len(r.Of("tokens")) == 0 { // a peer that is half gone
			return
		}
		say.Say(r, ingest.Position{}, to)
		members = append(members, memberOf(r, string(r.Of("peer")), net.JoinHostPort(host, cmp.Or(string(r.Of("native_port")), port))))
	})
	slices.SortFunc(members, func(a, b *member) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.address, b.address)) })
	if err != nil {
		return nil, fmt.Errorf("reading the peers of %s: %w", l.address, err)
	}
	return members, nil
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

func memberOf(r *systable.Row, name, address string) *member {
	m := &member{name: name, address: address, dc: string(r.Of("data_center")), rack: string(r.Of("rack"))}
	for text := range strings.SplitSeq(strings.Trim(string(r.Of("tokens")), "{}"), ", ") {
		if token, err := strconv.ParseInt(strings.Trim(text, "'"), 10, 64); err == nil {
			m.tokens = append(m.tokens, token)
		}
	}
	return m
}

// readSchema reads the tables with their columns. Of the server's own keyspaces the names alone are kept.
func (s *server) readSchema(ctx context.Context, l *link, c *cluster, to ingest.Sink) error {
	say := systable.Sayer{}
	err := l.rows(ctx, &query{table: "system_schema.tables"}, func(r *systable.Row) {
		if name := tableName(r); ownKeyspace(name) {
			c.tables[name] = true
		} else if s.config.wants(name) {
			say.Say(r, ingest.Position{}, to)
		}
	})
	if err != nil {
		return fmt.Errorf("reading system_schema.tables: %w", err)
	}
	var found []*cql.Table
	columns := systable.Columns{}
	take := func(t *cql.Table) {
		if t != nil && !ownKeyspace(t.Keyspace+"."+t.Name) {
			if found = append(found, t); s.config.wants(t.Keyspace + "." + t.Name) {
				systable.SchemaFacts(t, ingest.Position{}, to)
			}
		}
	}
	err = l.rows(ctx, &query{table: "system_schema.columns"}, func(r *systable.Row) { take(columns.Take(r)) })
	take(columns.Flush())
	c.schema = cql.SchemaOf(found)
	if err != nil {
		return fmt.Errorf("reading system_schema.columns: %w", err)
	}
	err = l.rows(ctx, &query{table: "system_virtual_schema.tables", cols: "keyspace_name, table_name"}, func(r *systable.Row) {
		c.tables[tableName(r)] = true
	})
	var said *refusal
	if errors.As(err, &said) { // before 4.0 there are none
		return nil
	}
	return err
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
