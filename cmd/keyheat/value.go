package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// A value is a flag that keeps its fault for Validate, so that one run reports all faults at once.
type value[T any] struct {
	of    T // what the last text means; valid when Validate found no fault
	given bool

	name  string
	text  string
	err   error
	parse func(string) (T, error)
}

// add registers the flag with its default, which must parse.
func (v *value[T]) add(flags *pflag.FlagSet, name, def, about string, parse func(string) (T, error)) {
	v.name, v.text, v.parse = name, def, parse
	if v.of, v.err = parse(def); v.err != nil {
		panic(fmt.Sprintf("default of --%s: %v", name, v.err))
	}
	flags.Var(v, name, about)
}

// Set implements pflag.Value.
func (v *value[T]) Set(text string) error {
	v.given, v.text = true, text
	v.of, v.err = v.parse(text)
	return nil
}

// String implements pflag.Value.
func (v *value[T]) String() string { return v.text }

// Type implements pflag.Value; the usage text names the argument.
func (v *value[T]) Type() string { return "VALUE" }

func (v *value[T]) fault() error {
	if v.err == nil {
		return nil
	}
	return fmt.Errorf("--%s %s: %w", v.name, v.text, v.err)
}

// A values is a flag that may be given several times.
type values[T any] struct {
	of []T

	name   string
	texts  []string
	faults []error
	parse  func(string) (T, error)
}

func (v *values[T]) add(flags *pflag.FlagSet, name, about string, parse func(string) (T, error)) {
	v.name, v.parse = name, parse
	flags.Var(v, name, about)
}

// Set implements pflag.Value.
func (v *values[T]) Set(text string) error {
	of, err := v.parse(text)
	if err != nil {
		v.faults = append(v.faults, fmt.Errorf("--%s %s: %w", v.name, text, err))
		return nil
	}
	v.of, v.texts = append(v.of, of), append(v.texts, text)
	return nil
}

// String implements pflag.Value.
func (v *values[T]) String() string { return strings.Join(v.texts, ",") }

// Type implements pflag.Value; the usage text names the argument.
func (v *values[T]) Type() string { return "VALUE" }

func (v *values[T]) fault() error { return errors.Join(v.faults...) }

type faulty interface{ fault() error }

// faults gives what is wrong with each of the flags, as one error.
func faults(of ...faulty) error {
	errs := []error{}
	for _, f := range of {
		errs = append(errs, f.fault())
	}
	return errors.Join(errs...)
}

// oneOf parses a flag with fixed words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if text == w {
				return w, nil
			}
		}
		return "", fmt.Errorf("must be one of %s", strings.Join(words, ", "))
	}
}
