// Package cql reads what logs and tools print of CQL: statements as servers and clients write them,
// schemas as DESCRIBE prints them, partition keys and values as text, and the tokens that prove a
// guess. It must not know of formats of logs, events or reports.
package cql

import "errors"

// ErrNoStatement is returned for a text that does not begin as a CQL statement does.
var ErrNoStatement = errors.New("no CQL statement")

// A Parser reads statements. It reuses its memory: one goroutine uses it at a time, and a Statement is
// valid until the next Parse. The zero value is ready and reads texts of servers.
type Parser struct {
	// Client says that texts are as clients wrote them (audit logs, query logs, traces): unquoted names
	// are folded to lower case, and values without quotes end where CQL says. Servers 3.0–4.0 print
	// names with their case and values without quotes.
	Client bool
}

// Parse reads one statement. It accepts every text that begins as a statement and keeps what it
// understood of it.
func (p *Parser) Parse(text []byte) (*Statement, error) {
	return nil, ErrNoStatement
}
