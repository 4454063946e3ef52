package cassandra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// systemLogs holds the last lines of a node's log since 5.0, where the appender of that is on.
const systemLogs = "system_views.system_logs"

const (
	// logSettle is how old a line is when it is read. The table has no name for a line that stays: it numbers those
	// of one millisecond, from the newest on (db/virtual/LogMessagesTable.java).
	logSettle = 2 * time.Second
	// logRest is how long the log is not read after a look, in times of what that took: the server goes through all
	// lines, 50,000 unless it is told otherwise. At most a thousandth of a core is spent on it.
	logRest = 1000
	// maxLogLines and maxLogBytes bound the lines of one look.
	maxLogLines = 1 << 16
	maxLogBytes = 16 << 20
)

// A logReader reads a node's log from its table, each line once: the times that it asks for follow each other. What
// a line says is up to the format of the log's file.
type logReader struct {
	node   *nodeReader
	format *ingest.Format     // of the file; nil: there is none
	open   func() ingest.Sink // begins the input
	keeper ingest.Positions   // of the input; nil: nobody keeps them
	from   int64              // Unix nanoseconds: what is older was read
	rest   time.Time          // until when the log is not read
	to     *scoped            // nil: no line yet
	schema *cql.Schema        // that the decoder knows
	decode func(rec *ingest.Record, to ingest.Sink)
	record []byte
}

// A logLine is a row of the table.
type logLine struct{ level, logger, message, at []byte }

// read reads the lines since the last look.
func (r *logReader) read(ctx context.Context, last bool) error {
	n := r.node
	before := n.server.o.Now()
	if r.format == nil || !n.cluster.tables[systemLogs] || !last && before.Before(r.rest) {
		return nil
	}
	if r.from == 0 {
		r.from = milliseconds(n.to.now - int64(n.server.config.since))
	}
	q := &query{table: systemLogs, rest: "WHERE timestamp >= ? ALLOW FILTERING", args: []any{time.Unix(0, r.from).UTC()}}
	until := milliseconds(n.to.now - int64(logSettle))
	if !last || r.keeper != nil { // what is younger is for a run that goes on here
		q.rest, q.args = "WHERE timestamp >= ? AND timestamp < ? ALLOW FILTERING", append(q.args, time.Unix(0, until).UTC())
	}
	lines, err := r.lines(ctx, q)
	var said *refusal
	if errors.As(err, &said) {
		return n.refused(systemLogs, err)
	}
	if err != nil {
		return err
	}
	if len(lines) > 0 && r.to == nil {
		again, err := r.begin()
		if err != nil {
			return err
		}
		if again {
			return r.read(ctx, last)
		}
	}
	after := n.server.o.Now()
	r.from, r.rest = max(r.from, until), after.Add(logRest*after.Sub(before))
	for _, line := range slices.Backward(lines) { // the newest comes first
		r.tell(&line)
	}
	if r.keeper != nil && len(lines) > 0 {
		r.keeper.Reached(partLines, strconv.FormatInt(r.from, 10))
	}
	return nil
}

// begin opens the input. again says that others are to be read than were: from
// where an earlier run ended, and to where a later one can go on.
func (r *logReader) begin() (again bool, err error) {
	sink := r.open()
	r.to = &scoped{Sink: sink, config: r.node.server.config, node: r.node.to.node}
	if r.keeper = positionsOf(sink); r.keeper == nil {
		return false, nil
	}
	text := r.keeper.Position(partLines)
	if text == "" {
		return true, nil // within bounds that a later run can go on from
	}
	from, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false, fmt.Errorf("the position of the log: %w", err)
	}
	r.from = from
	return true, nil
}

func milliseconds(nanos int64) int64 { return nanos - nanos%int64(time.Millisecond) }

// lines gives the lines that are asked for. None is told before all are here: a look that fails is made again.
func (r *logReader) lines(ctx context.Context, q *query) ([]logLine, error) {
	var lines []logLine
	size, left := 0, 0
	err := r.node.link.rows(ctx, q, func(row *systable.Row) {
		line := logLine{bytes.Clone(row.Of("level")), bytes.Clone(row.Of("logger")), bytes.Clone(row.Of("message")), bytes.Clone(row.Of("timestamp"))}
		if size += len(line.logger) + len(line.message); len(lines) == maxLogLines || size > maxLogBytes {
			left++
			return
		}
		lines = append(lines, line)
	})
	if err == nil && left > 0 {
		r.node.note(fmt.Sprintf("%s: %d lines of the log are left out, the oldest: more than %d, or %d MiB, came between two looks", r.node.member.name, left, maxLogLines, maxLogBytes>>20))
	}
	return lines, err
}

// tell hands a line to the decoder of log files, as a file would hold it.
func (r *logReader) tell(line *logLine) {
	at, cause := ingest.ParseTime(line.at, nil)
	if cause != "" {
		return
	}
	if types := r.node.cluster.types(); r.decode == nil || types != r.schema {
		// The begin is that of a whole log, and of no fragment that somebody pasted.
		d, err := r.format.New(make([]byte, ingest.SniffBytes), ingest.DecodeOptions{Schema: types, Location: time.UTC})
		if err != nil {
			return
		}
		r.schema, r.decode = types, d.Decode
	}
	r.to.now = at
	class := string(line.logger[bytes.LastIndexByte(line.logger, '.')+1:])
	class, _, _ = strings.Cut(class, "$")
	r.record = fmt.Appendf(r.record[:0], "%-5s [-] %s %s.java:1 - %s", line.level, time.Unix(0, at).UTC().Format("2006-01-02 15:04:05,000"), class, line.message)
	r.decode(&ingest.Record{Data: r.record, UnixNano: at}, r.to)
}
