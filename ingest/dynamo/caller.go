package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"

	"github.com/keyheat/keyheat/ingest"
)

const (
	// usualLoad is the most requests a second in all. AWS names no limit for GetRecords; a shard is asked
	// four times a second at most.
	usualLoad = 100
	// A request is made again after firstDelay, doubled with each time up to lastDelay, less up to a half
	// by chance, so that readers that were refused together do not come back together.
	firstDelay = 100 * time.Millisecond
	lastDelay  = 20 * time.Second
	// attempts is how often a request is made before its error counts: for some minutes.
	attempts = 16
	// firstAttempts is the same for the first request of a run, where the error is most likely the user's.
	firstAttempts = 4
)

// A caller makes requests to AWS: at most so many a second in all, again when they are refused for their
// rate or fail in passing, and counts what was asked.
type caller struct {
	options  ingest.LiveOptions
	interval time.Duration
	passing  *retry.Standard

	mu        sync.Mutex
	next      time.Time
	asked     map[string]uint64 // requests by action of IAM: dynamodb:DescribeTable
	refused   map[string]bool   // actions that the user may not do
	throttled uint64
}

func newCaller(o ingest.LiveOptions) *caller {
	load := o.LoadLimit
	if load <= 0 {
		load = usualLoad
	}
	return &caller{
		options: o, interval: time.Duration(float64(time.Second) / load), passing: retry.NewStandard(),
		asked: map[string]uint64{}, refused: map[string]bool{},
	}
}

// call makes a request until it succeeds, fails for good or was made often enough.
func call[I, O, P any](
	ctx context.Context, c *caller, action string, often int, do func(context.Context, *I, ...func(*P)) (*O, error), in *I,
) (*O, error) {
	for n := 1; ; n++ {
		if err := c.turn(ctx, action); err != nil {
			return nil, err
		}
		out, err := do(ctx, in)
		if err == nil {
			return out, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.count(action, err)
		if n >= often || !c.passes(err) {
			return nil, fmt.Errorf("%s: %w", action, err)
		}
		c.options.Wait(ctx, delay(n))
	}
}

// turn waits until a request may be made.
func (c *caller) turn(ctx context.Context, action string) error {
	c.mu.Lock()
	c.asked[action]++
	now := c.options.Now()
	at := c.next
	if at.Before(now) {
		at = now
	}
	c.next = at.Add(c.interval)
	c.mu.Unlock()
	if at.After(now) {
		c.options.Wait(ctx, at.Sub(now))
	}
	return ctx.Err()
}

// delay gives how long to wait after n requests that failed.
func delay(n int) time.Duration {
	d := lastDelay
	if n < 9 {
		d = min(firstDelay<<(n-1), lastDelay)
	}
	return d - time.Duration(rand.Int64N(int64(d/2)))
}

// passes reports whether the same request may succeed later.
func (c *caller) passes(err error) bool {
	var network net.Error
	var api smithy.APIError
	return throttle(err) || errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer || errors.As(err, &network) || c.passing.IsErrorRetryable(err)
}

// code gives the name that AWS gave the error, without a prefix; empty when it is none of AWS.
func code(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	name := api.ErrorCode()
	return name[strings.LastIndexByte(name, '#')+1:]
}

// throttle reports whether a request was refused for the rate of requests. CloudWatch spells it without
// the last word, and DynamoDB Streams calls too many readers of a shard a limit.
func throttle(err error) bool {
	switch code(err) {
	case "ThrottlingException", "Throttling", "RequestLimitExceeded", "ProvisionedThroughputExceededException",
		"LimitExceededException", "LimitExceeded", "TooManyRequestsException":
		return true
	}
	return false
}

// denied reports whether a request was refused since the user may not make it.
func denied(err error) bool {
	switch code(err) {
	case "AccessDeniedException", "AccessDenied", "UnauthorizedOperation", "NotAuthorized":
		return true
	}
	return false
}

func (c *caller) count(action string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if throttle(err) {
		c.throttled++
	}
	if denied(err) {
		c.refused[action] = true
	}
}

// actions gives what was asked, and what of it the user may not do, by name.
func (c *caller) actions() (asked, refused []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.asked)), slices.Sorted(maps.Keys(c.refused))
}

// tell notes how often requests were refused for their rate.
func (c *caller) tell(to ingest.Streams) {
	c.mu.Lock()
	n := c.throttled
	c.mu.Unlock()
	if n > 0 {
		to.Note(fmt.Sprintf("AWS refused %d requests of keyheat for their rate; they were made again", n))
	}
}
