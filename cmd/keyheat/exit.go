package main

import (
	"context"
	"errors"
	"slices"
)

// The exit codes of every command; see exitHelp.
const (
	exitRan         = 0
	exitFindings    = 1
	exitUsage       = 2
	exitFailed      = 3
	exitBadRecords  = 4
	exitInterrupted = 130
)

const exitHelp = `

Exit status:
  0    ran, with findings or without
  1    findings at or over --fail-on
  2    wrong use of the command line
  3    an input or a service failed, or nothing was recognised (stdout is empty then)
  4    more bad records than --max-bad; the report is written and says so
  130  interrupted; what was seen until then is reported
When several apply: 130, 2, 3, 4, 1.`

// exitError is an error that ends the process with a code.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e *exitError) Error() string { return e.err.Error() }

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.err }

// usage makes err a fault of the command line; nil stays nil.
func usage(err error) error { return withCode(exitUsage, err) }

// failed makes err a failure of an input, output or service; nil stays nil.
func failed(err error) error { return withCode(exitFailed, err) }

// failedOrStopped is failed, and an interrupt when that is why: nothing was written then.
func failedOrStopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	return failed(err)
}

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// precedence orders exit codes: of several the first counts.
var precedence = []int{exitInterrupted, exitUsage, exitFailed, exitBadRecords, exitFindings}

// codeOf gives the exit code of what a command returned. Errors without a code are failures.
func codeOf(err error) int {
	if err == nil {
		return exitRan
	}
	codes := codesIn(err)
	for _, code := range precedence {
		if slices.Contains(codes, code) {
			return code
		}
	}
	return exitFailed
}

// codesIn gives the codes of all errors joined into err.
func codesIn(err error) []int {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		codes := []int{}
		for _, e := range joined.Unwrap() {
			codes = append(codes, codesIn(e)...)
		}
		return codes
	}
	if coded, ok := err.(*exitError); ok {
		return []int{coded.code}
	}
	if errors.Is(err, context.Canceled) {
		return []int{exitInterrupted}
	}
	if inner := errors.Unwrap(err); inner != nil {
		return codesIn(inner)
	}
	return []int{exitFailed}
}
