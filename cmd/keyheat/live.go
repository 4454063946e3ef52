package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/ingest"
)

// liveFlags are the flags of commands that read live sources.
type liveFlags struct {
	duration value[time.Duration] // 0: until interrupted
	load     value[float64]       // requests a second; 0: the source's default
	offered  bool
}

func (f *liveFlags) add(flags *pflag.FlagSet) {
	f.offered = true
	f.duration.add(flags, "for", "", "read a URL for `TIME`, as 5m; without it, until interrupted", parseSpan)
	f.addLoad(flags)
}

func (f *liveFlags) addLoad(flags *pflag.FlagSet) {
	f.load.add(flags, "load-limit", "", "send each node of a URL at most `NUMBER` requests a second (default: what docs say of the source)", parseLoad)
}

func (f *liveFlags) fault() error {
	if !f.offered {
		return nil
	}
	return faults(&f.duration, &f.load)
}

// parseSpan reads a duration of at least a second; nothing is 0.
func parseSpan(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := parseAgo(text)
	if err != nil || d < time.Second {
		return 0, errors.New("must be a duration of at least 1s, like 5m")
	}
	return d, nil
}

func parseLoad(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= 1e6) {
		return 0, errors.New("must be a number of requests a second over 0, like 5")
	}
	return n, nil
}

// checkURLs gives a fault of flags that do not fit the arguments.
func (f *liveFlags) checkURLs(urls []string) error {
	switch {
	case len(urls) > 0 && !f.offered:
		return usage(fmt.Errorf("%s: %w", withoutSecrets(urls[0]), errFilesOnly))
	case len(urls) == 0 && f.duration.given:
		return usage(fmt.Errorf("--for %s: needs a URL: files are read to their end", f.duration.text))
	case len(urls) == 0 && f.load.given:
		return usage(fmt.Errorf("--load-limit %s: needs a URL", f.load.text))
	}
	return nil
}

// openLive opens the live sources that the URLs name. The error joins what is wrong with each.
func (e *env) openLive(urls []string, f *liveFlags, decode ingest.DecodeOptions) ([]ingest.Source, error) {
	sources, errs := []ingest.Source{}, []error{f.checkURLs(urls)}
	if errs[0] != nil {
		return nil, errs[0]
	}
	for _, text := range urls {
		server, err := e.openServer(text, f, decode)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sources = append(sources, ingest.Source{Name: text, Size: -1, Named: true, Live: timed{server, f.duration.of}})
	}
	return sources, errors.Join(errs...)
}

// A timed is a Live that ends after a time.
type timed struct {
	ingest.Live
	time time.Duration // 0: with the context alone
}

// Collect implements ingest.Live.
func (t timed) Collect(ctx context.Context, to ingest.Streams) error {
	if t.time == 0 {
		return t.Live.Collect(ctx, to)
	}
	ctx, cancel := context.WithTimeout(ctx, t.time)
	defer cancel()
	return t.Live.Collect(ctx, to)
}

// announce says on a terminal what is waited for.
func (e *env) announce(quiet bool, doing string, urls []string, d time.Duration) {
	if quiet || !e.errTerminal || len(urls) == 0 {
		return
	}
	end := "until Ctrl-C"
	if d > 0 {
		end = "for " + d.String() + ", Ctrl-C ends it sooner"
	}
	fmt.Fprintf(e.stderr, "keyheat: %s %s %s\n", doing, visible(strings.Join(urls, ", ")), end)
}
