// Package speed holds the tests that guard the speed of the hot path: what each part costs, in CPU time, as a
// multiple of a fixed loop that the same process runs in between. It has nothing but tests.
package speed
