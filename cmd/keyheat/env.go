package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
	"github.com/keyheat/keyheat/internal/nightly"
)

// env is everything a command may know of the process it runs in. Tests make their own.
type env struct {
	args   []string // without the program's name
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	outTerminal bool // stdout is a terminal
	inTerminal  bool // stdin is one
	errTerminal bool // stderr is a terminal
	width       int  // columns of the terminal; 0: unknown

	getenv   func(string) string
	now      func() time.Time
	files    ingest.Files
	readFile func(name string) ([]byte, error)
	create   func(name string) (io.WriteCloser, error)
	// createNew is create for a file that is not there yet: the error is fs.ErrExist otherwise.
	createNew func(name string) (io.WriteCloser, error)
	// update opens a file that is there for reading and writing.
	update func(name string) (updatable, error)
	remove func(name string) error
	// spool keeps what a stream gives where it can be read at any place, until remove.
	spool func(r io.Reader) (f ingest.File, remove func() error, err error)
	// limitMemory tells the runtime how many bytes the heap may take.
	limitMemory func(bytes int64)
	cpus        int
	random      func(p []byte) // fills p with bytes that nobody can guess
	buildInfo   func() (*debug.BuildInfo, bool)

	schemes []scheme        // of live sources
	objects *dynamo.Objects // in S3

	screen   io.Writer                     // the terminal that stdout is, by itself
	terminal func() (io.ReadCloser, error) // where keys are typed when stdin is something else
	environ  func() []string

	state  nightly.Disk
	lock   func(dir string) (release func() error, err error) // of a state directory
	sender nightly.Sender
}

// An updatable is a file of which the end is written anew.
type updatable interface {
	io.ReadWriteSeeker
	io.Closer
	Truncate(size int64) error
}

// notifyTimeout is how long a service may take to answer.
const notifyTimeout = 10 * time.Second

func processEnv() *env {
	return &env{
		args:        os.Args[1:],
		stdin:       os.Stdin,
		stdout:      os.Stdout,
		stderr:      os.Stderr,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		inTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		width:       terminalWidth(),
		getenv:      os.Getenv,
		now:         time.Now,
		files:       disk{},
		readFile:    os.ReadFile,
		create:      func(name string) (io.WriteCloser, error) { return os.Create(name) },
		createNew: func(name string) (io.WriteCloser, error) {
			return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		},
		update:      func(name string) (updatable, error) { return os.OpenFile(name, os.O_RDWR, 0) },
		remove:      os.Remove,
		spool:       spool,
		limitMemory: func(bytes int64) { debug.SetMemoryLimit(bytes) },
		cpus:        runtime.GOMAXPROCS(0),
		random:      func(p []byte) { rand.Read(p) }, // never fails, see crypto/rand
		buildInfo:   debug.ReadBuildInfo,
		schemes:     schemes(),
		screen:      os.Stdout,
		terminal:    func() (io.ReadCloser, error) { return os.Open("/dev/tty") },
		environ:     os.Environ,
		state:       stateDisk{},
		lock:        lockState,
		sender:      nightly.Sender{Send: nightly.Shout(notifyTimeout), Wait: wait},
	}
}

// wait ends after d, or with the context.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// terminalWidth gives the columns of the terminal at stdout, else of COLUMNS, else 0.
func terminalWidth() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return w
	}
	w, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || w < 0 {
		return 0
	}
	return w
}

// quietPipe is stdout for readers that leave early, like head: once they are gone, what is written to
// it is dropped without an error, so that other outputs are still written and the exit code is kept.
type quietPipe struct {
	w    io.Writer
	gone bool
}

// Write implements io.Writer.
func (q *quietPipe) Write(p []byte) (int, error) {
	if q.gone {
		return len(p), nil
	}
	n, err := q.w.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		q.gone = true
		return len(p), nil
	}
	return n, err
}
