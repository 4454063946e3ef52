package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

const (
	// settled is how old a period of a metric is before it is read: until then datapoints may still come.
	settled = 3 * time.Minute
	// Metrics of the time before reading began, from the end of the stream and from its beginning: they tell
	// since when something is so.
	historyOfLatest  = 3 * time.Hour
	historyOfHorizon = streamKeeps
	// mostHistory is how long minutes are kept
	// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html).
	mostHistory = 15 * 24 * time.Hour
	// mostReport is the longest time of a report of Contributor Insights.
	mostReport = 24 * time.Hour
)

// A series is something that is measured in periods, of which each is read once.
type series struct {
	what   string
	period time.Duration
	every  time.Duration // a request, at most so often
	most   time.Duration // of one request
	next   time.Time     // the first period that was not read
	sink   ingest.Sink
	read   func(ctx context.Context, from, to time.Time) error
}

// measure reads metrics and reports until the context ends, or what is read beside them did.
func (s *Server) measure(ctx context.Context, done <-chan struct{}, c *caller, api metricsAPI, t *table, to ingest.Streams) error {
	r := &metricsReader{server: s, calls: c, api: api, table: t, note: to.Note}
	r.sink = to.Open(ingest.LiveInput{Name: s.input(t.region, "metrics"), Format: s.formats[formatMetrics]})
	begin := s.measuredFrom()
	all := []*series{
		{what: "metrics of a minute", period: time.Minute, every: time.Minute, most: mostHistory, sink: r.sink, read: r.minutes},
		{what: "metrics of five minutes", period: slowly * time.Second, every: slowly * time.Second, most: mostHistory, sink: r.sink, read: r.slow},
	}
	if t.insightsOn() {
		r.keys = to.Open(ingest.LiveInput{Name: s.input(t.region, "contributor-insights"), Format: s.formats[formatInsights]})
		all = append(all, &series{what: "Contributor Insights", period: time.Minute, every: slowly * time.Second, most: mostReport, sink: r.keys, read: r.readInsights})
	}
	for _, one := range all {
		one.begin(begin)
	}
	var errs []error
	for len(all) > 0 {
		all = slices.DeleteFunc(all, func(one *series) bool {
			err := one.advance(ctx, s.options.Now().Add(-settled))
			if err != nil && ctx.Err() == nil {
				errs = append(errs, fmt.Errorf("%s: %w", one.what, err))
			}
			return err != nil
		})
		if !s.pause(ctx, done, time.Minute) {
			break
		}
	}
	return refusedIsNoted(errs, to)
}

// refusedIsNoted makes what the user may not read a remark: the stream says enough without it.
func refusedIsNoted(errs []error, to ingest.Streams) error {
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool {
		if denied(err) {
			to.Note(fmt.Sprintf("not read: %v", err))
		}
		return denied(err)
	})...)
}

// pause waits, and reports whether there is a reason to go on.
func (s *Server) pause(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	s.options.Wait(ctx, d)
	return ctx.Err() == nil
}

// measuredFrom gives from when on metrics are read.
func (s *Server) measuredFrom() time.Time {
	now := s.options.Now()
	switch o := s.address.from; {
	case o.horizon:
		return now.Add(-historyOfHorizon)
	case o.since.IsZero():
		return now.Add(-historyOfLatest)
	default:
		if oldest := now.Add(-mostHistory); o.since.Before(oldest) {
			return oldest
		}
		return o.since
	}
}

// begin sets where reading begins: where that of an earlier run ended, if there was one.
func (s *series) begin(at time.Time) {
	s.next = at.Truncate(s.period)
	if last, err := time.Parse(time.RFC3339, positionsOf(s.sink).Position(s.what)); err == nil {
		s.next = last
	}
}

// advance reads the whole periods up to a time.
func (s *series) advance(ctx context.Context, until time.Time) error {
	until = until.Truncate(s.period)
	if until.Sub(s.next) < s.every {
		return nil
	}
	from := s.next
	if until.Sub(from) > s.most {
		from = until.Add(-s.most)
	}
	s.next = until
	err := s.read(ctx, from, until)
	if err == nil {
		positionsOf(s.sink).Reached(s.what, until.UTC().Format(time.RFC3339))
	}
	return err
}

func (r *metricsReader) minutes(ctx context.Context, from, to time.Time) error {
	return r.read(ctx, minutely, from, to)
}

func (r *metricsReader) slow(ctx context.Context, from, to time.Time) error {
	return r.read(ctx, slowly, from, to)
}
