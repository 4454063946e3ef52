package ingest

import (
	"context"
	"errors"
)

type run struct{}

func newRun([]Source, Options, Handler) *run { return &run{} }

func (*run) run(context.Context) (*Result, error) { return nil, errors.ErrUnsupported }
