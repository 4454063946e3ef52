package formats

import (
	"regexp"
	"sync"
)

// pattern gives a regular expression that is compiled when it is first used: a run reads one or two formats, and
// all patterns together take a millisecond and 800 KiB of the start.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
