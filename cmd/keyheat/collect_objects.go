package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/keyheat/keyheat/ingest/capture"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

const (
	// objectEvery is how long an object takes records at most: a request to write each minute costs some dollars a year.
	objectEvery = time.Minute
	// objectBytes is how large an object becomes at most, but for what comes between two looks at it.
	objectBytes = 64 << 20
)

// An objectRecorder writes captures into a folder of S3, one after the other: each is uploaded, whole, before the next
// begins.
type objectRecorder struct {
	recording *dynamo.Recording
	writer    *capture.Writer
	object    *dynamo.Upload
	written   atomic.Int64 // bytes of the object
	ticks     int          // since it began
	every     int          // ticks that it takes at most
}

// openObjects begins the next capture of the recording that --to names.
func openObjects(e *env, o *collectOptions, source string, stop func()) (*recorder, error) {
	recording, last, err := e.objects.Recording(o.to)
	if err != nil {
		return nil, failed(err)
	}
	before, err := beforeObjects(o, recording, last, source)
	if err != nil {
		return nil, err
	}
	every := cmp.Or(o.every.of, objectEvery)
	tick := min(every, flushEvery)
	r := &objectRecorder{recording: recording, every: int(every / tick)}
	r.begin(last + 1)
	if r.writer, err = before.Next(r, source, recording.Name(), stop); err != nil {
		r.object.Abort()
		return nil, failed(fmt.Errorf("writing --to %s: %w", o.to, err))
	}
	return &recorder{r.writer, tick, r.flush, r.close}, nil
}

// beforeObjects reads how far the last capture of a recording goes.
func beforeObjects(o *collectOptions, from *dynamo.Recording, last uint64, source string) (*capture.Before, error) {
	if last == 0 {
		return &capture.Before{}, nil
	}
	if !o.goOn {
		return nil, usage(fmt.Errorf("--to %s: holds captures already: give --append to go on with them, or take another prefix", o.to))
	}
	file, err := from.Open(last)
	if err != nil {
		return nil, failed(err)
	}
	before, err := capture.ReadBefore(file, source)
	if err == nil && before.Part() != last {
		err = fmt.Errorf("is not the capture of number %d of a recording", last)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, failed(fmt.Errorf("--append --to %s: %w", o.to, err))
	}
	return before, nil
}

func (r *objectRecorder) begin(number uint64) {
	r.object, r.ticks = r.recording.Create(number), 0
	r.written.Store(0)
}

// Write implements io.Writer.
func (r *objectRecorder) Write(p []byte) (int, error) {
	n, err := r.object.Write(p)
	r.written.Add(int64(n))
	return n, err
}

// flush hands over what was recorded, and goes on to the next object when it is time.
func (r *objectRecorder) flush() {
	if r.ticks++; r.ticks >= r.every || r.written.Load() >= objectBytes {
		r.writer.Turn(r.next)
		return
	}
	r.writer.Flush()
}

// next waits until the object is there, and begins another.
func (r *objectRecorder) next(number uint64) (io.Writer, error) {
	if err := notTaken(r.object.Close()); err != nil {
		return nil, err
	}
	r.begin(number)
	return r, nil
}

// notTaken explains that an object was there already.
func notTaken(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: another collector writes there; give each a prefix of its own", err)
	}
	return err
}

// close ends the last object.
func (r *objectRecorder) close(parts error) error {
	blank := parts == nil && r.writer.Blank()
	err := r.writer.Close(parts)
	if blank || err != nil {
		r.object.Abort()
		return err
	}
	return notTaken(r.object.Close())
}
