package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cassandra"
	"github.com/keyheat/keyheat/ingest/dynamo"
	"github.com/keyheat/keyheat/ingest/formats"
)

// A scheme is a kind of URL, and what opens the live source that it names.
type scheme struct {
	name     string
	open     func(u *url.URL, o ingest.LiveOptions) (ingest.Server, error)
	password string // how one is told: never in the URL, which everybody on the machine can see
}

// schemes are the live sources that there are.
func schemes() []scheme {
	return []scheme{
		{"dynamodb", dynamo.Open, "a profile of AWS, or in its environment variables"},
		{"cassandra", cassandra.Open, cassandraPassword},
		{"scylla", cassandra.Open, cassandraPassword},
	}
}

const cassandraPassword = cassandra.PasswordEnv + ", or name a file: ?password-file=NAME"

var urlForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)

// isURL reports whether an argument names a live source, not a file or an object in S3.
func isURL(arg string) bool { return urlForm.MatchString(arg) && !dynamo.IsObject(arg) }

// splitURLs parts the arguments that name live sources from the others; each comes once.
func splitURLs(args []string) (urls, files []string) {
	for _, arg := range args {
		switch {
		case !isURL(arg):
			files = append(files, arg)
		case !slices.Contains(urls, arg):
			urls = append(urls, arg)
		}
	}
	return urls, files
}

// secretQuery are the names under which people put secrets into a URL.
var secretQuery = []string{"password", "passwd", "pass", "pwd", "secret", "token", "secret_key", "secret-key", "secretkey", "session_token"}

// withoutSecrets gives a text that may be shown in place of one that may be a URL with a password. What
// cannot be parsed may hide one anywhere.
func withoutSecrets(arg string) string {
	if !isURL(arg) {
		return arg
	}
	u, err := url.Parse(arg)
	if err != nil {
		return urlForm.FindString(arg) + "…"
	}
	if _, secret := u.User.Password(); secret {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for name := range query {
		if slices.Contains(secretQuery, strings.ToLower(name)) {
			query.Set(name, "removed")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}

// openServer opens the live source that a URL names. Its errors are faults of the command line, and do
// not show what may be a secret.
func (e *env) openServer(text string, o *liveFlags, decode ingest.DecodeOptions) (ingest.Server, error) {
	shown := withoutSecrets(text)
	i := slices.IndexFunc(e.schemes, func(s scheme) bool { return strings.HasPrefix(strings.ToLower(text), s.name+"://") })
	if i < 0 {
		return nil, usage(fmt.Errorf("%s: no such kind of URL: want one of %s", shown, e.schemeNames()))
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: is no URL that can be read", shown))
	}
	if shown != u.String() {
		return nil, usage(fmt.Errorf("%s: a password in an argument can be seen by everybody on this machine: give it as %s", shown, e.schemes[i].password))
	}
	server, err := e.schemes[i].open(u, ingest.LiveOptions{
		Now: e.now, Wait: wait, Getenv: e.getenv, ReadFile: e.readFile, LoadLimit: o.load.of,
		Formats: formats.Catalogue(), Decode: decode,
	})
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", shown, err))
	}
	return server, nil
}

func (e *env) schemeNames() string {
	names := []string{}
	for _, s := range e.schemes {
		names = append(names, s.name+"://")
	}
	return strings.Join(names, ", ")
}

// errFilesOnly is a URL given to a command that reads files.
var errFilesOnly = errors.New("is a live source: analyze, top, collect and doctor read those; collect makes a file of one")
