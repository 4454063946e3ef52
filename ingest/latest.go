package ingest

import (
	"context"
	"errors"
)

// ErrLatestOfStream says that the end of a stream is not known before it was read.
var ErrLatestOfStream = errors.New("the end of the standard input is not known beforehand: give an absolute time, as 2026-06-04T10:00:00Z")

// Latest gives the time of the latest event of the sources, in Unix nanoseconds UTC.
func Latest(ctx context.Context, src []Source, o Options) (unixNano int64, ok bool, err error) {
	return 0, false, errors.ErrUnsupported
}
