package cassandra

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/gocql/gocql"
)

// A secureDialer makes the driver's connections through TLS and keeps with which words the server refused
// one. Since TLS 1.3 a client's certificate is refused after the handshake, beside the driver's first
// request; the driver then may tell of a time-out (setupConn in gocql's conn.go) or of a broken pipe.
type secureDialer struct {
	config  *tls.Config
	timeout time.Duration // of connecting

	mu      sync.Mutex
	refused error // nil: none was
}

// DialHost implements gocql.HostDialer.
func (d *secureDialer) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	plain := net.Dialer{Timeout: d.timeout}
	c, err := plain.DialContext(ctx, "tcp", host.ConnectAddressAndPort())
	if err != nil {
		return nil, err
	}
	dialed, err := gocql.WrapTLS(ctx, c, host.HostnameAndPort(), d.config)
	if err == nil {
		dialed.Conn = &secureConn{dialed.Conn, d}
	}
	return dialed, err
}

// why is what the server said when it refused a connection; otherwise err.
func (d *secureDialer) why(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil {
		return d.refused
	}
	return err
}

// hear keeps err if it is what the server said.
func (d *secureDialer) hear(err error) {
	var said *net.OpError
	if errors.As(err, &said) && said.Op == "remote error" { // a TLS alert: crypto/tls, Conn.readRecord
		d.mu.Lock()
		d.refused = said
		d.mu.Unlock()
	}
}

// A secureConn is a connection whose refusal its dialer hears of.
type secureConn struct {
	net.Conn
	by *secureDialer
}

// Read implements net.Conn.
func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.by.hear(err)
	return n, err
}

// Write implements net.Conn. Where the server is gone, its last words may still be unread.
func (c *secureConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	var late net.Error
	if err != nil && !(errors.As(err, &late) && late.Timeout()) {
		_, words := c.Conn.Read(make([]byte, 1))
		c.by.hear(words)
	}
	return n, err
}
