package cassandra

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// PasswordEnv names the variable of the environment that holds the password.
const PasswordEnv = "KEYHEAT_CASSANDRA_PASSWORD"

const (
	defaultPort     = "9042"
	defaultInterval = 15 * time.Second
	defaultTimeout  = 10 * time.Second
	defaultSince    = 15 * time.Minute
	defaultRate     = 20 // requests a second and node
	minInterval     = time.Second
)

// A config is what the URL and the environment say.
type config struct {
	scheme, address string
	user, password  string
	keyspace, table string // all that is told of; empty: everything
	interval        time.Duration
	timeout         time.Duration // of one request
	since           time.Duration // before the start: how old traces may be
	rate            float64       // requests a second and node
	tls             *tls.Config
}

// parameters are the names that a query of the URL may have.
var parameters = []string{"ca", "cert", "interval", "key", "password-file", "since", "timeout", "tls"}

// configOf reads the URL and reports every fault of it.
func configOf(u *url.URL, o *ingest.LiveOptions) (*config, error) {
	c := &config{
		scheme: u.Scheme, address: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPort)), user: u.User.Username(),
		rate: cmp.Or(o.LoadLimit, defaultRate),
	}
	q := u.Query()
	faults := []error{c.readTable(u.Path)}
	if u.Hostname() == "" {
		faults = append(faults, errors.New("no host: cassandra://user@host:9042/keyspace.table"))
	}
	for name := range q {
		if !slices.Contains(parameters, name) {
			faults = append(faults, fmt.Errorf("unknown parameter %s: there are %s", name, strings.Join(parameters, ", ")))
		}
	}
	read := func(to *time.Duration, name string, usual, least time.Duration) {
		*to = usual
		if text := q.Get(name); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil || d < least {
				faults = append(faults, fmt.Errorf("%s %s: must be a duration of at least %s, such as %s", name, text, least, usual))
			}
			*to = d
		}
	}
	read(&c.interval, "interval", defaultInterval, minInterval)
	read(&c.timeout, "timeout", defaultTimeout, minInterval)
	read(&c.since, "since", defaultSince, 0)
	faults = append(faults, c.readPassword(u, o), c.readTLS(u, o))
	slices.SortFunc(faults, func(a, b error) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return c, errors.Join(faults...)
}

// readTable takes keyspace or keyspace.table.
func (c *config) readTable(path string) error {
	path = strings.Trim(path, "/")
	c.keyspace, c.table, _ = strings.Cut(path, ".")
	if strings.Contains(path, "/") || c.keyspace == "" && path != "" {
		return fmt.Errorf("%s: must be keyspace or keyspace.table", path)
	}
	return nil
}

// readPassword takes the password from the file that the query names, or from the environment.
func (c *config) readPassword(u *url.URL, o *ingest.LiveOptions) error {
	if _, given := u.User.Password(); given {
		return fmt.Errorf("a password in the URL is shown to whoever lists processes: set %s, or name a file: ?password-file=NAME", PasswordEnv)
	}
	name := u.Query().Get("password-file")
	if name == "" {
		c.password = o.Getenv(PasswordEnv)
		if c.user != "" && c.password == "" {
			return fmt.Errorf("no password for %s: set %s, or name a file: ?password-file=NAME", c.user, PasswordEnv)
		}
		return nil
	}
	text, err := o.ReadFile(name)
	if err != nil {
		return fmt.Errorf("password-file: %w", err)
	}
	c.password = strings.TrimRight(string(text), "\r\n")
	return nil
}

// readTLS takes the authorities that servers are checked with, and the client's certificate.
func (c *config) readTLS(u *url.URL, o *ingest.LiveOptions) error {
	q := u.Query()
	ca, cert, key := q.Get("ca"), q.Get("cert"), q.Get("key")
	switch {
	case (cert == "") != (key == ""):
		return errors.New("cert and key: one needs the other")
	case q.Get("tls") != "" && q.Get("tls") != "true":
		return fmt.Errorf("tls %s: must be true", q.Get("tls"))
	case ca == "" && cert == "" && q.Get("tls") == "":
		return nil
	}
	c.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := o.ReadFile(ca)
		if err != nil {
			return fmt.Errorf("ca: %w", err)
		}
		c.tls.RootCAs = x509.NewCertPool()
		if !c.tls.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("ca: %s holds no certificate", ca)
		}
	}
	if cert == "" {
		return nil
	}
	pem, err := o.ReadFile(cert)
	if err != nil {
		return fmt.Errorf("cert: %w", err)
	}
	secret, err := o.ReadFile(key)
	if err != nil {
		return fmt.Errorf("key: %w", err)
	}
	pair, err := tls.X509KeyPair(pem, secret)
	if err != nil {
		return fmt.Errorf("cert and key: %w", err)
	}
	c.tls.Certificates = []tls.Certificate{pair}
	return nil
}

// wants reports whether a table, as ks.table, is one that is asked for. A name without keyspace may be.
func (c *config) wants(table string) bool {
	if c.keyspace == "" || table == "" {
		return true
	}
	keyspace, name, ok := strings.Cut(table, ".")
	if !ok {
		keyspace, name = c.keyspace, table
	}
	return keyspace == c.keyspace && (c.table == "" || name == c.table)
}
