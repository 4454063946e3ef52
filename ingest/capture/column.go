package capture

import (
	"fmt"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// A column says how a part of a T stands in a row: what is empty or not known is null.
type column[T any] struct {
	put  func(w *columnar.StreamWriter, v *T) error
	take func(r *row, v *T) error
}

func bytesIn[T any](c int, of func(*T) *[]byte) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error {
			if b := *of(v); len(b) > 0 {
				return w.Bytes(c, b)
			}
			return nil
		},
		func(r *row, v *T) (err error) {
			*of(v), err = r.bytes(c)
			return err
		},
	}
}

func putText(w *columnar.StreamWriter, c int, s string) error {
	if s == "" {
		return nil
	}
	return w.Bytes(c, []byte(s))
}

// textIn is a column of texts that a source always gives alike.
func textIn[T any](c int, of func(*T) *string) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error { return putText(w, c, *of(v)) },
		func(r *row, v *T) (err error) {
			*of(v), err = r.constant(c)
			return err
		},
	}
}

func countIn[T any](c int, of func(*T) *uint64) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error {
			if n := *of(v); n != 0 {
				w.Count(c, n)
			}
			return nil
		},
		func(r *row, v *T) error {
			*of(v), _ = r.count(c)
			return nil
		},
	}
}

// valueIn is countIn of a number that is always known.
func valueIn[T any](c int, of func(*T) *uint64) column[T] {
	in := countIn(c, of)
	in.put = func(w *columnar.StreamWriter, v *T) error {
		w.Count(c, *of(v))
		return nil
	}
	return in
}

func flagIn[T any](c int, of func(*T) *bool) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error {
			if *of(v) {
				w.Flag(c, true)
			}
			return nil
		},
		func(r *row, v *T) error {
			*of(v) = r.at[c] >= 0 && r.batch.Flag(r.at[c], r.number)
			return nil
		},
	}
}

// momentIn is a column of times of which 0 is none.
func momentIn[T any](c int, of func(*T) *int64) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error {
			if t := *of(v); t != 0 {
				w.Moment(c, t)
			}
			return nil
		},
		func(r *row, v *T) error {
			*of(v), _ = r.moment(c)
			return nil
		},
	}
}

// A word is one of a few that are told apart: one without a name is null.
type word interface {
	~uint8
	String() string
}

func wordIn[T any, W word](c int, most W, of func(*T) *W) column[T] {
	return column[T]{
		func(w *columnar.StreamWriter, v *T) error {
			if text := (*of(v)).String(); text != "" {
				return w.Text(c, text)
			}
			return nil
		},
		func(r *row, v *T) error {
			text, ok := r.cell(c)
			*of(v) = 0
			if !ok {
				return nil
			}
			for x := W(0); x <= most; x++ {
				if x.String() == string(text) {
					*of(v) = x
					return nil
				}
			}
			return fmt.Errorf("%s %.40q", fields[c].Name, text)
		},
	}
}

// knownIn is a column of a measure that a record has or has not.
func knownIn(c int, get func(*ingest.Event) (uint64, bool), set func(*ingest.Event, uint64)) column[ingest.Event] {
	return column[ingest.Event]{
		func(w *columnar.StreamWriter, e *ingest.Event) error {
			if n, ok := get(e); ok {
				w.Count(c, n)
			}
			return nil
		},
		func(r *row, e *ingest.Event) error {
			if n, ok := r.count(c); ok {
				set(e, n)
			}
			return nil
		},
	}
}
