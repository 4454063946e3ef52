// Package aws tests live tables and objects against stand-ins of AWS that nobody here wrote: ministack and moto,
// which the tests start from PyPI, and microburst, a proxy that makes them fail. It holds nothing but tests.
package aws
