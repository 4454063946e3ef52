package cassandra

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gocql/gocql"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// mark ends each statement that is sent, so that traces of it are known as our own.
const mark = " /* keyheat */"

// pageRows are the rows of one answer.
const pageRows = 1000

// A query asks for rows of a table.
type query struct {
	table string // keyspace.table
	rest  string // of the statement, behind the table's name
	cols  string // empty: all
	args  []any
	cost  int // how many requests it counts as; 0: one
}

func (q *query) text() string {
	cols := q.cols
	if cols == "" {
		cols = "*"
	}
	return "SELECT " + cols + " FROM " + q.table + strings.TrimRight(" "+q.rest, " ") + mark
}

// A conn is a connection to one server, which answers for itself.
type conn interface {
	// page hands over one page of the answer and gives where the next begins; nil: there is none.
	page(ctx context.Context, q *query, from []byte, each func(*systable.Row)) (next []byte, err error)
	close()
}

// A refusal is an answer of the server, which can be talked to.
type refusal struct {
	lacking bool // for want of a permission
	gone    bool // the server is starting or stopping
	text    string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

// A session is a connection of the driver to one server alone.
type session struct{ of *gocql.Session }

// dial connects to one server. It does not look for others.
func (c *config) dial(_ context.Context, address string) (conn, error) {
	d := gocql.NewCluster(address)
	d.ProtoVersion = 4 // since Cassandra 2.2
	d.Timeout, d.ConnectTimeout, d.WriteTimeout = c.timeout, c.timeout, c.timeout
	d.NumConns, d.PageSize, d.Consistency = 1, pageRows, gocql.One
	d.DisableInitialHostLookup, d.DisableSkipMetadata, d.ReconnectInterval = true, true, 0
	d.Events.DisableNodeStatusEvents, d.Events.DisableTopologyEvents, d.Events.DisableSchemaEvents = true, true, true
	d.Logger = silent{}
	if c.user != "" {
		d.Authenticator = gocql.PasswordAuthenticator{Username: c.user, Password: c.password}
	}
	why := func(err error) error { return err }
	if c.tls != nil {
		secure := &secureDialer{config: c.tls, timeout: c.timeout}
		d.HostDialer, why = secure, secure.why
	}
	s, err := d.CreateSession()
	if err != nil {
		return nil, connectFault(why(err))
	}
	return session{s}, nil
}

// connectFault shortens what the driver says of a connection.
func connectFault(err error) error {
	text := strings.TrimPrefix(err.Error(), "gocql: unable to create session: ")
	text = strings.TrimPrefix(text, "unable to connect to initial hosts: ")
	if strings.Contains(text, "protocol version") { // of the first frame's answer: before 2.2
		text += ": " + notRead
	}
	return errors.New(text)
}

// silent keeps what the driver would log out of stderr: errors are given back.
type silent struct{}

// Print does nothing.
func (silent) Print(...any) {}

// Printf does nothing.
func (silent) Printf(string, ...any) {}

// Println does nothing.
func (silent) Println(...any) {}

func (s session) close() { s.of.Close() }

func (s session) page(ctx context.Context, q *query, from []byte, each func(*systable.Row)) ([]byte, error) {
	rows := s.of.Query(q.text(), q.args...).WithContext(ctx).PageSize(pageRows).PageState(from).Iter()
	r := &systable.Row{From: q.table}
	for _, c := range rows.Columns() {
		r.Names = append(r.Names, c.Name)
	}
	cells, into := make([]cell, len(r.Names)), make([]any, len(r.Names))
	for i := range cells {
		into[i] = &cells[i]
	}
	r.Values = make([][]byte, len(cells))
	for rows.Scan(into...) {
		for i := range cells {
			r.Values[i] = cells[i]
		}
		each(r)
	}
	next := rows.PageState()
	return next, fault(rows.Close())
}

// fault tells what the server answered from what the connection failed with.
func fault(err error) error {
	var said gocql.RequestError
	if !errors.As(err, &said) {
		return err
	}
	code := said.Code()
	return &refusal{
		text:    strings.TrimSpace(said.Message()),
		lacking: code == gocql.ErrCodeUnauthorized || code == gocql.ErrCodeCredentials,
		gone:    code == gocql.ErrCodeBootstrapping || code == gocql.ErrCodeOverloaded || code == gocql.ErrCodeUnavailable,
	}
}

// A link is the way to one server: a connection that is opened when it is needed and again after it was
// lost, and no more requests a second than allowed.
type link struct {
	address string
	dial    func(ctx context.Context, address string) (conn, error)
	o       *ingest.LiveOptions
	every   time.Duration // between requests

	mu    sync.Mutex
	conn  conn
	next  time.Time
	ahead time.Duration // the server's clock before ours, as of asked
	asked time.Time
	timed bool
}

// rows hands over all rows of the answer.
func (l *link) rows(ctx context.Context, q *query, each func(*systable.Row)) error {
	for from := []byte(nil); ; {
		if err := l.turn(ctx, max(q.cost, 1)); err != nil {
			return err
		}
		c, err := l.open(ctx)
		if err != nil {
			return err
		}
		next, err := c.page(ctx, q, from, each)
		var said *refusal
		if err != nil && !errors.As(err, &said) && ctx.Err() == nil {
			l.drop(c)
		}
		if err != nil || len(next) == 0 {
			return err
		}
		from = next
	}
}

// turn waits until the next request may be sent, which counts as cost requests.
func (l *link) turn(ctx context.Context, cost int) error {
	l.mu.Lock()
	now := l.o.Now()
	wait := l.next.Sub(now)
	l.next = now.Add(max(wait, 0) + time.Duration(cost)*l.every)
	l.mu.Unlock()
	if wait > 0 {
		l.o.Wait(ctx, wait)
	}
	return ctx.Err()
}

func (l *link) open(ctx context.Context) (conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		c, err := l.dial(ctx, l.address)
		if err != nil {
			return nil, fmt.Errorf("connecting to %s: %w", l.address, err)
		}
		l.conn = c
	}
	return l.conn, nil
}

func (l *link) drop(c conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == c {
		c.close()
		l.conn = nil
	}
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.close()
		l.conn = nil
	}
}
