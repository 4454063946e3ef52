package nightly

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// A Sender sends a text. Its error must not hold the target's URL: that has secrets.
type Sender struct {
	Send func(ctx context.Context, to *Target, text string) error
	// Wait ends after a time, or with the context.
	Wait func(ctx context.Context, d time.Duration)
}

const (
	attempts  = 3
	firstWait = 2 * time.Second // before the second attempt; doubled before the next
)

// tell sends what changed at the last of the nights to those whom it concerns, and notes it when all of
// them were told; else the next run tries again.
func (r *Runner) tell(ctx context.Context, store *Store, j *Job, nights []*Night) error {
	if len(nights) == 0 {
		return nil
	}
	last := nights[len(nights)-1]
	errs := []error{}
	told := false
	for _, to := range r.Config.Targets {
		text := r.messageFor(j, to, nights, store.Dir(last))
		if text == "" {
			continue
		}
		told = true
		if err := r.send(ctx, to, text); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: telling %s: %w", j.Name, last.Date, to.Name, err))
		}
	}
	if told && len(errs) == 0 {
		errs = append(errs, store.notified(last))
	}
	return errors.Join(errs...)
}

// messageFor gives what a target is told of the last of the nights. That a night which had failed
// failed again is no news.
func (r *Runner) messageFor(j *Job, to *Target, nights []*Night, dir string) string {
	last := nights[len(nights)-1]
	if last.Failed == "" {
		before := []Growth{}
		t := trendOf(j, nights)
		if good := reported(nights); len(good) > 1 {
			before = growths(good[:len(good)-1])
		}
		return t.messageTo(j, to, before, r.shower(to), dir)
	}
	if last.Again || !slices.Contains(j.Notify, to) {
		return ""
	}
	return clip(fmt.Sprintf("keyheat nightly · %s · %s · no report: %s", j.Name, last.Date, visible(last.Failed)), maxLine)
}

// reported gives the nights that have a report.
func reported(nights []*Night) []*Night {
	return slices.DeleteFunc(slices.Clone(nights), func(n *Night) bool { return n.Failed != "" })
}

// shower gives how a target sees keys.
func (r *Runner) shower(to *Target) keyShower {
	return func(form []byte) string {
		switch {
		case to.ShowKeys:
			return keyText(form)
		case r.Mask != nil:
			return keyText(r.Mask(form))
		}
		return hidden
	}
}

// send tries a few times.
func (r *Runner) send(ctx context.Context, to *Target, text string) error {
	wait := firstWait
	for n := 1; ; n++ {
		err := r.Send.Send(ctx, to, text)
		if err == nil {
			return nil
		}
		if n == attempts || ctx.Err() != nil {
			return fmt.Errorf("%w (tried %d times)", err, n)
		}
		r.Send.Wait(ctx, wait)
		wait *= 2
	}
}

// CheckService gives what is wrong with the URL of a service, without repeating it: it has secrets.
func CheckService(url string) error {
	if _, err := router.New(nil, url); err != nil {
		scheme, _, _ := strings.Cut(url, ":")
		switch {
		case errors.Is(err, router.ErrUnknownService):
			return fmt.Errorf("there is no service %q", clip(visible(scheme), 20))
		default:
			return fmt.Errorf("is no URL that the service %q takes", clip(visible(scheme), 20))
		}
	}
	return nil
}

// Shout gives a sender by shoutrrr that waits so long for an answer. A service that does not answer in
// time may still have taken the text. Errors say what happened in words of our own: those of services
// repeat tokens.
func Shout(timeout time.Duration) func(context.Context, *Target, string) error {
	return func(_ context.Context, to *Target, text string) error {
		service, err := router.New(nil, to.URL)
		if err != nil {
			return CheckService(to.URL)
		}
		service.Timeout = timeout
		return shortly(errors.Join(service.Send(text, &types.Params{})...))
	}
}

var status = regexp.MustCompile(`\b[345]\d\d\b`)

// shortly gives the kind of an error. Services hand on the text of their causes only.
func shortly(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, k := range []struct{ has, says string }{
		{"timed out", "the service did not answer in time"},
		{"deadline exceeded", "the service did not answer in time"},
		{"no such host", "the name of the service is not known"},
		{"connection refused", "no connection to the service"},
		{"connection reset", "the service broke off"},
		{"malformed HTTP", "the service answered with what is no HTTP"},
	} {
		if strings.Contains(text, k.has) {
			return errors.New(k.says)
		}
	}
	if code := status.FindString(text); code != "" {
		return errors.New("the service answered with status " + code)
	}
	return errors.New("the service did not take the message")
}
