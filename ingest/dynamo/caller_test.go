package dynamo

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go"
)

func TestRequestsKeepToTheirRateAndAreMadeAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := clock()
		o.LoadLimit = 10
		c := newCaller(o)
		var at []time.Duration
		begin, refusals := time.Now(), 3
		do := func(context.Context, *int, ...func(*int)) (*int, error) {
			at = append(at, time.Since(begin))
			if refusals > 0 {
				refusals--
				return nil, &smithy.GenericAPIError{Code: "ThrottlingException"}
			}
			return new(int), nil
		}
		for range 4 {
			if _, err := call(t.Context(), c, "test:Do", attempts, do, new(int)); err != nil {
				t.Fatal(err)
			}
		}
		for i := 1; i < len(at); i++ {
			if pause := at[i] - at[i-1]; pause < 100*time.Millisecond || i <= 3 && pause > 100*time.Millisecond<<i {
				t.Errorf("request %d comes %v after the one before", i, pause)
			}
		}
		if len(at) != 7 || c.throttled != 3 || c.asked["test:Do"] != 7 {
			t.Errorf("%d requests, %d refused, %d counted", len(at), c.throttled, c.asked["test:Do"])
		}
	})
}

func TestARequestThatFailsForGoodIsMadeOnce(t *testing.T) {
	n := 0
	do := func(context.Context, *int, ...func(*int)) (*int, error) {
		n++
		return nil, &smithy.GenericAPIError{Code: "ValidationException", Message: "no"}
	}
	c := newCaller(clock())
	_, err := call(t.Context(), c, "test:Do", attempts, do, new(int))
	if n != 1 || err == nil || err.Error() != "test:Do: api error ValidationException: no" {
		t.Errorf("%d requests, error %v", n, err)
	}
}

func TestTheEndOfTheContextEndsRequests(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	do := func(context.Context, *int, ...func(*int)) (*int, error) {
		cancel()
		return nil, &smithy.GenericAPIError{Code: "ThrottlingException"}
	}
	if _, err := call(ctx, newCaller(clock()), "test:Do", attempts, do, new(int)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
