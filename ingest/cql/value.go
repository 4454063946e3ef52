package cql

import "errors"

// ErrValue is returned for a text that is no value of the type.
var ErrValue = errors.New("no value of this type")

// AppendValue appends the bytes in which Cassandra stores the value of the CQL type that the text
// prints: a CQL literal, or the form in which servers print keys (section "keys as printed").
func AppendValue(dst []byte, typ string, literal []byte) ([]byte, error) { return dst, ErrValue }

// TextOf is the printed form of a stored value, the inverse of AppendValue; hex for what has no
// printed form of its own.
func AppendText(dst []byte, typ string, value []byte) ([]byte, error) { return dst, ErrValue }
