package cassandra

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A schemaRead is what the tables of system_schema hold.
type schemaRead struct {
	own       map[string]bool // keyspace.table of the server's own tables, whose columns are not kept
	types     *cql.Schema
	keyspaces map[string]replication
}

// readSchema reads the tables with their columns, and tells the facts of those that are wanted.
func (s *server) readSchema(ctx context.Context, l *link, wants func(table string) bool, to ingest.Sink) (*schemaRead, error) {
	read := &schemaRead{own: map[string]bool{}, keyspaces: map[string]replication{}}
	say := systable.Sayer{}
	err := l.rows(ctx, &query{table: "system_schema.tables"}, func(r *systable.Row) {
		if name := tableName(r); ownKeyspace(name) {
			read.own[name] = true
		} else if wants(name) {
			say.Say(r, ingest.Position{}, to)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("reading system_schema.tables: %w", err)
	}
	var found []*cql.Table
	columns := systable.Columns{}
	take := func(t *cql.Table) {
		if t == nil || ownKeyspace(t.Keyspace+"."+t.Name) {
			return
		}
		if found = append(found, t); wants(t.Keyspace + "." + t.Name) {
			systable.SchemaFacts(t, ingest.Position{}, to)
		}
	}
	err = l.rows(ctx, &query{table: "system_schema.columns"}, func(r *systable.Row) { take(columns.Take(r)) })
	take(columns.Flush())
	read.types = cql.SchemaOf(found)
	if err != nil {
		return nil, fmt.Errorf("reading system_schema.columns: %w", err)
	}
	err = l.rows(ctx, &query{table: "system_schema.keyspaces", cols: "keyspace_name, replication"}, func(r *systable.Row) {
		read.keyspaces[string(r.Of("keyspace_name"))] = replicationOf(string(r.Of("replication")))
	})
	return read, err
}

// A schemaWatch reads the schema again when a node has another version of it than was read.
type schemaWatch struct {
	server *server
	to     ingest.Sink // takes the facts of tables that are new
	note   func(text string)
	met    map[string]bool // tables that are known, or were
}

func newSchemaWatch(s *server, c *cluster, to ingest.Sink, note func(string)) *schemaWatch {
	w := &schemaWatch{server: s, to: to, note: note, met: map[string]bool{}}
	for _, t := range c.types().Tables() {
		w.met[t.Keyspace+"."+t.Name] = true
	}
	return w
}

// look asks a node for its version. now is its clock; changed says that the cluster has other tables now.
func (w *schemaWatch) look(ctx context.Context, l *link, c *cluster, now int64) (changed bool, err error) {
	version := ""
	err = l.rows(ctx, &query{table: "system.local", cols: "schema_version", rest: "WHERE key = 'local'"}, func(r *systable.Row) {
		version = string(r.Of("schema_version"))
	})
	if err != nil || version == "" || version == c.schemaIs {
		return false, err
	}
	c.telling.Lock()
	read, err := w.server.readSchema(ctx, l, func(table string) bool { return !w.met[table] && w.server.config.wants(table) }, w.to)
	c.telling.Unlock()
	var said *refusal
	if errors.As(err, &said) { // it was read before: a table is being dropped, or the node goes down
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.tell(read.types, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.schema, c.keyspaces, c.schemaIs = read.types, read.keyspaces, version
	c.ring = newRing(c.all, c.keyspaces, c.schema)
	return true, nil
}

// maxNewNamed are the new tables that a note names.
const maxNewNamed = 5

// tell notes which tables are new.
func (w *schemaWatch) tell(types *cql.Schema, now int64) {
	names := []string{}
	for _, t := range types.Tables() {
		if name := t.Keyspace + "." + t.Name; !w.met[name] {
			if w.met[name] = true; w.server.config.wants(name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	more := ""
	if n := len(names) - maxNewNamed; n > 0 {
		more = fmt.Sprintf(" and of %d more", n)
	}
	w.note(fmt.Sprintf("made during the run: the schema of %s%s is known from %s on", strings.Join(names[:min(len(names), maxNewNamed)], ", "), more,
		time.Unix(0, now).UTC().Format(time.RFC3339)))
}
