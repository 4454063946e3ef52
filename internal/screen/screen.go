// Package screen shows the last minutes of traffic on a terminal while they pass, or as plain text. It is
// handed what it shows, the keys that are typed and the terminal's size as messages; it must not know a
// clock, a file or where the traffic comes from. It alone imports the library for terminals.
package screen

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/watch"
)

// A Source is what is looked at.
type Source interface {
	Look(q watch.Query) *watch.Board
}

// Options say what is shown, and how.
type Options struct {
	Title string // what is watched; printable
	Color bool
	// Table and Key give names that can be printed: what comes from outside is escaped, or masked.
	Table func(t detect.Target) string
	Key   func(key []byte) string
	// ReadLimit and WriteLimit are what one partition of DynamoDB can serve, units a second.
	ReadLimit, WriteLimit detect.Milli
	// Page gives all that is known of a key since the start, as lines of at most width columns; it may be slow.
	Page func(t detect.Target, key []byte, width int) []string
	// Save writes a report and gives a sentence on what became of it; it may be slow.
	Save func() string

	findings []Finding
}

// A Finding is what the rules say of a table or a key, in one line.
type Finding struct {
	Target   detect.Target
	Key      []byte
	HasKey   bool
	Severity detect.Severity
	Text     string // printable
}

// String gives the severity and the text.
func (f *Finding) String() string { return f.Severity.String() + ": " + f.Text }

// style is the colour of a finding.
func (f *Finding) style() string {
	switch f.Severity {
	case detect.Critical, detect.High:
		return red
	case detect.Medium:
		return yellow
	}
	return ""
}

// finding gives the first finding of a row: of a table also those of its keys.
func (o *Options) finding(r *watch.Row) *Finding {
	for i := range o.findings {
		f := &o.findings[i]
		if f.Target == r.Target && (r.Key == nil || f.HasKey && string(f.Key) == string(r.Key)) {
			return f
		}
	}
	return nil
}

func (o *Options) rowName(r *watch.Row) string {
	if r.Key == nil {
		return o.Table(r.Target)
	}
	return o.Key(r.Key)
}

// The messages of a Program, beside keys and sizes.
type (
	// Refresh makes it look again.
	Refresh struct{}
	// Findings replace those before; they come in order of weight.
	Findings []Finding
	// Status is a word on the source: how far it was read, or that it ended. Printable.
	Status string
	// saved is what Options.Save gave.
	saved string
	// page is what Options.Page gave.
	page struct {
		of    place
		lines []string
	}
)

// A Program is a screen that runs.
type Program struct{ tea *tea.Program }

// framesPerSecond bounds how often the terminal is written to.
const framesPerSecond = 10

// New makes a Program on a terminal. environ holds its TERM and what else tells of its abilities, as
// name=value. The Program ends with the context, or when q or Ctrl-C is typed.
func New(ctx context.Context, src Source, o Options, in io.Reader, out io.Writer, environ []string) *Program {
	return &Program{tea.NewProgram(newModel(src, o), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(environ), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))}
}

// Send hands over a message. It does nothing once the Program has ended.
func (p *Program) Send(msg any) { p.tea.Send(msg) }

// Run shows the screen until its end. interrupted says that Ctrl-C was typed.
func (p *Program) Run() (interrupted bool, err error) {
	last, err := p.tea.Run()
	m, _ := last.(*model)
	return m != nil && m.interrupted, err
}
