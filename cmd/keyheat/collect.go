package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// collectOptions are the flags of collect.
type collectOptions struct {
	live      liveFlags
	to        string
	overwrite bool
	goOn      bool
	every     value[time.Duration] // 0: the default
	quiet     bool
}

func newCollect(e *env) *cobra.Command {
	o := &collectOptions{}
	cmd := &cobra.Command{
		Use:   "collect URL",
		Short: "record what a running database tells, to be analysed later",
		Long: `collect writes what analyze would read of a URL into a file, for the time that --for says, without it until
interrupted. Analysed later with --no-exact the file gives the report that the live run would have given; without it the
keys that matter are counted exactly. It is an Arrow stream (docs/capture.md), of which a killed collect loses the last
seconds. With --append it goes on with the file, where the source tells how far it was read (streams of DynamoDB, traces
and logs of Cassandra): no request is there twice, and none that can still be read is left out.

To s3://bucket/prefix it writes a capture each minute, 00000001.arrow and so on. Each is there, whole, once it is
uploaded: a killed collect loses those records that came after the last one.` + exitHelp,
		Example: `  keyheat collect cassandra://reader@10.0.3.17/shop --for 5m --to capture.arrow
  keyheat analyze capture.arrow
  keyheat collect dynamodb://orders?region=eu-west-1 --to s3://traffic/orders/host1 --append`,
		Args: args(1, 1, "one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runCollect(cmd.Context(), e, cmd.OutOrStdout(), o, args[0])
		},
	}
	o.live.add(cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "", "`FILE` for the records, which must not be there yet; - is stdout, s3://bucket/prefix a folder for many")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the file of --to when it is there")
	cmd.Flags().BoolVar(&o.goOn, "append", false, "go on with the file of --to when it is there")
	o.every.add(cmd.Flags(), "every", "", "with --to s3://…, begin a new object each `TIME`, which is what a killed collect may lose (default 1m)", parseSpan)
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "nothing on stderr but errors")
	return cmd
}

// Validate reports every fault of the flags.
func (o *collectOptions) Validate() error {
	err := errors.Join(o.live.fault(), faults(&o.every))
	if o.to == "" {
		err = errors.Join(err, errors.New("--to FILE: is needed; - is stdout"))
	}
	if o.goOn && (o.overwrite || o.to == "-") {
		err = errors.Join(err, errors.New("--append: needs a file, and not --overwrite"))
	}
	switch object := dynamo.IsObject(o.to); {
	case object && o.overwrite:
		err = errors.Join(err, errors.New("--overwrite: objects in S3 are never replaced: take another prefix"))
	case !object && o.every.given:
		err = errors.Join(err, errors.New("--every: needs --to s3://bucket/prefix; a file is whole at any time"))
	}
	return err
}

func runCollect(ctx context.Context, e *env, stdout io.Writer, o *collectOptions, text string) error {
	server, err := e.openServer(text, &o.live, ingest.DecodeOptions{Location: time.UTC, Changes: true})
	if err != nil {
		return err
	}
	writing, stop := context.WithCancel(ctx)
	defer stop()
	r, err := openRecorder(e, stdout, o, text, stop)
	if err != nil {
		return err
	}
	e.announce(o.quiet, "recording", []string{text}, o.live.duration.of)
	parts := flushing(writing, r, func(ctx context.Context) error { return timed{server, o.live.duration.of}.Collect(ctx, r.to) })
	return o.tell(ctx, e, r.to, parts, r.close(parts))
}

// A recorder is where records go to.
type recorder struct {
	to    *capture.Writer
	every time.Duration // between two flushes
	flush func()
	close func(parts error) error // parts is what could not be read
}

// openRecorder opens what --to names. stop is called when writing fails.
func openRecorder(e *env, stdout io.Writer, o *collectOptions, source string, stop func()) (*recorder, error) {
	if dynamo.IsObject(o.to) {
		return openObjects(e, o, source, stop)
	}
	out, before, err := openCapture(e, stdout, o, source)
	if err != nil {
		return nil, err
	}
	w, err := before.Continue(out, source, stop)
	if err != nil {
		return nil, failed(errors.Join(fmt.Errorf("writing --to %s: %w", o.to, err), out.Close()))
	}
	return &recorder{w, flushEvery, w.Flush, func(parts error) error {
		written := errors.Join(w.Close(parts), out.Close())
		if _, inputs := w.Records(); inputs == 0 && o.to != "-" { // nothing is in it that is worth keeping
			written = errors.Join(written, e.remove(o.to))
		}
		return written
	}}, nil
}

// openCapture makes the file of --to, or opens it where the capture of a source in it ends.
func openCapture(e *env, stdout io.Writer, o *collectOptions, source string) (io.WriteCloser, *capture.Before, error) {
	none := &capture.Before{}
	switch {
	case o.to == "-" && e.outTerminal:
		return nil, nil, usage(errors.New("--to -: would write bytes to the terminal: give --to FILE, or a pipe"))
	case o.to == "-":
		return stdoutWriter{&untilDone{func() error { return nil }, stdout}}, none, nil
	case o.overwrite:
		out, err := e.create(o.to)
		return out, none, failed(err)
	}
	out, err := e.createNew(o.to)
	switch {
	case errors.Is(err, fs.ErrExist) && o.goOn:
		return continued(e, o.to, source)
	case errors.Is(err, fs.ErrExist):
		return nil, nil, usage(fmt.Errorf("--to %s: is there already: give --append to go on with it, --overwrite to replace it", o.to))
	}
	return out, none, failed(err)
}

// continued opens a capture behind its last whole batch, and cuts off what follows that.
func continued(e *env, name, source string) (io.WriteCloser, *capture.Before, error) {
	file, err := e.update(name)
	if err != nil {
		return nil, nil, failed(err)
	}
	before, err := capture.ReadBefore(bufio.NewReader(file), source)
	if err == nil {
		err = file.Truncate(before.End)
	}
	if err == nil {
		_, err = file.Seek(before.End, io.SeekStart)
	}
	if err != nil {
		return nil, nil, failed(errors.Join(fmt.Errorf("--append --to %s: %w", name, err), file.Close()))
	}
	return file, before, nil
}

// flushEvery is how long a record waits at most until it is in the file.
const flushEvery = 5 * time.Second

// flushing writes what was recorded again and again while collect runs.
func flushing(ctx context.Context, r *recorder, collect func(context.Context) error) error {
	ended := make(chan struct{})
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		tick := time.NewTicker(r.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.flush()
			case <-ended:
				return
			}
		}
	}()
	err := collect(ctx)
	close(ended)
	<-flushed
	return err
}

// tell says what was recorded, and gives what went wrong.
func (o *collectOptions) tell(ctx context.Context, e *env, w *capture.Writer, parts, written error) error {
	records, inputs := w.Records()
	if !o.quiet {
		fmt.Fprintf(e.stderr, "keyheat: recorded %d records of %d inputs\n", records, inputs)
	}
	errs := []error{failed(parts)}
	switch {
	case errors.Is(written, errReaderGone):
	case written != nil:
		errs = append(errs, failed(fmt.Errorf("writing --to %s: %w", o.to, written)))
	case ctx.Err() != nil && o.live.duration.of > 0:
		errs = append(errs, withCode(exitInterrupted, errors.New("interrupted: what was recorded until then is in the file")))
	case inputs == 0 && parts == nil:
		errs = append(errs, failed(errors.New("nothing was recorded: see keyheat doctor")))
	}
	return errors.Join(errs...)
}
