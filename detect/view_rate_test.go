package detect

import "testing"

func TestRateScalesAndBounds(t *testing.T) {
	tenth := Rate{Num: 1, Den: 10}
	for _, c := range []struct {
		name                string
		rate                Rate
		amount, records     uint64
		scaled, atLeast, at uint64
	}{
		{"all requests are exact", Rate{}, 100, 100, 100, 100, 100},
		{"100 of one in ten: 1,000, between 1,000 -+ 196", tenth, 100, 100, 1000, 800, 1200},
		{"400 units in 100 records vary like 100", tenth, 400, 100, 4000, 3210, 4790},
		{"one record proves nothing", tenth, 1, 1, 10, 0, 30},
		{"none", tenth, 0, 0, 0, 0, 0},
		{"an unknown rate scales nothing", Rate{Den: 1}, 100, 100, 100, 80, 120},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.rate.Scale(c.amount); got != c.scaled {
				t.Errorf("scaled %d, want %d", got, c.scaled)
			}
			if got := c.rate.Low(c.amount, c.records); got != c.atLeast {
				t.Errorf("low %d, want %d", got, c.atLeast)
			}
			if got := c.rate.High(c.amount, c.records); got != c.at {
				t.Errorf("high %d, want %d", got, c.at)
			}
		})
	}
}

// Values by the textbook form of the interval, p + z²/2n -+ z sqrt(p(1-p)/n + z²/4n²) over 1 + z²/n, rounded down.
func TestWilsonLow(t *testing.T) {
	for _, c := range []struct {
		part, whole uint64
		want        Milli
	}{
		{50, 250, 155}, {30, 150, 143}, {0, 100, 0}, {100, 100, 963}, {1, 10, 17}, {0, 0, 0}, {200_000, 1_000_000, 199},
	} {
		if got := WilsonLow(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: got %d, want %d", c.part, c.whole, got, c.want)
		}
	}
}

func TestRatioAndShare(t *testing.T) {
	if got := Ratio(1, 3); got != 333 {
		t.Errorf("a third is %d", got)
	}
	if got := Ratio(1<<60, 1<<61); got != 500 {
		t.Errorf("half of large numbers is %d", got)
	}
	if got := ShareOf(Range{10, 300}, 200); got != (ShareRange{775, 50, 1000}) {
		t.Errorf("share %v", got)
	}
	if got := Whole(1000).Scaled(500); got != Whole(500) {
		t.Errorf("half of 1,000 is %d", got)
	}
}
