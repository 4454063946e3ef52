package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestTheExitCodeOfAnError(t *testing.T) {
	plain := errors.New("x")
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"none", nil, exitRan},
		{"an error without a code is a failure", plain, exitFailed},
		{"a fault of the command line", usage(plain), exitUsage},
		{"wrapping keeps the code", fmt.Errorf("doing: %w", usage(plain)), exitUsage},
		{"findings alone", withCode(exitFindings, plain), exitFindings},
		{"bad records go before findings", errors.Join(withCode(exitFindings, plain), withCode(exitBadRecords, plain)), exitBadRecords},
		{"a failed input goes before bad records", errors.Join(withCode(exitBadRecords, plain), failed(plain)), exitFailed},
		{"wrong use goes before a failed input", errors.Join(failed(plain), usage(plain)), exitUsage},
		{"an interrupt goes before all", errors.Join(usage(plain), withCode(exitInterrupted, plain)), exitInterrupted},
		{"a cancelled context is an interrupt", fmt.Errorf("reading: %w", context.Canceled), exitInterrupted},
		{"joined errors are searched to the bottom", failed(errors.Join(io.EOF)), exitFailed},
		{"joins inside joins", errors.Join(errors.Join(withCode(exitFindings, plain)), nil), exitFindings},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := codeOf(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
