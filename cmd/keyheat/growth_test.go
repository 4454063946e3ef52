package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// How cost grows with what the input holds: docs/growth.md and its curves, which
// KEYHEAT_LONG=1 go test ./cmd/keyheat -run TestLongGrowth -timeout 60m -update writes anew.

// A volume says what records hold: a Zipf of 1.1 over the keys, which have a table each, evenly over the minutes.
type volume struct{ events, keys, tables, minutes, nodes int }

// usualVolume is what one thing at a time is varied in.
var usualVolume = volume{events: 1_000_000, keys: 100_000, tables: 8, minutes: 30, nodes: 6}

// A dimension is one thing that grows, over three orders of magnitude.
type dimension struct {
	name  string
	steps []int
	set   func(c *volume, n int)
}

var dimensions = []dimension{
	{"events", []int{10_000, 100_000, 1_000_000, 10_000_000}, func(c *volume, n int) { c.events = n }},
	{"keys", []int{1_000, 10_000, 100_000, 1_000_000}, func(c *volume, n int) { c.keys = n }},
	{"tables", []int{1, 10, 100, 1_000}, func(c *volume, n int) { c.tables = n }},
	{"minutes", []int{1, 10, 100, 1_000}, func(c *volume, n int) { c.minutes = n }},
	{"nodes", []int{1, 10, 100, 1_000}, func(c *volume, n int) { c.nodes = n }},
}

// write writes the records as CSV, about 75 bytes each.
func (c volume) write(w *bufio.Writer) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 1, uint64(c.keys-1))
	w.WriteString("ts,table,pk,op,bytes,node\n")
	line := []byte{}
	for i := range c.events {
		key := zipf.Uint64()
		line = strconv.AppendInt(line[:0], proofStart*1000+int64(i)*int64(c.minutes)*60_000/int64(c.events), 10)
		line = strconv.AppendUint(append(line, ",shop.table-"...), key%uint64(c.tables), 10)
		line = fmt.Appendf(line, ",customer-%016x,read,%d,10.0.%d.%d\n", key*0x9e3779b97f4a7c15, 100+key%4000, i%c.nodes/250, i%c.nodes%250)
		w.Write(line)
	}
}

// A grown is what one input cost.
type grown struct {
	volume
	at            int           // of the dimension
	keys, analyze measured      // the least CPU of some runs each
	once          time.Duration // CPU of analyze without its second pass
	profile       int           // bytes, as sketch writes it
}

// growth measures one input.
func (c volume) growth(t *testing.T, keyheat string, rounds int) grown {
	t.Helper()
	dir := t.TempDir()
	file := written(t, "traffic.csv", c.write)
	defer os.Remove(file)
	profile := filepath.Join(dir, "profile")
	spend(t, nil, keyheat, "sketch", "--quiet", "--to", profile, file)
	info, err := os.Stat(profile)
	if err != nil {
		t.Fatal(err)
	}
	g := grown{volume: c, profile: int(info.Size())}
	for i := range rounds {
		keys, _ := spend(t, nil, keyheat, "keys", "--quiet", file)
		once, _ := spend(t, nil, keyheat, "analyze", "--quiet", "--format", "json", "--no-exact", file)
		both, _ := spend(t, nil, keyheat, "analyze", "--quiet", "--format", "json", file)
		if i == 0 {
			g.keys, g.analyze, g.once = keys, both, once.cpu
		}
		g.keys, g.analyze, g.once = g.keys.cheaper(keys), g.analyze.cheaper(both), min(g.once, once.cpu)
	}
	return g
}

// cheaper gives the less CPU and the more memory of two runs.
func (m measured) cheaper(o measured) measured {
	m.cpu, m.rss = min(m.cpu, o.cpu), max(m.rss, o.rss)
	return m
}

// each gives a cost by event, in nanoseconds.
func (g grown) each(cost time.Duration) float64 { return float64(cost) / float64(g.events) }

// growths measures each step of some dimensions at so many thousandths of the full number of events.
func growths(t *testing.T, of []dimension, thousandths, rounds int) [][]grown {
	keyheat := filepath.Join(t.TempDir(), "keyheat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", keyheat, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	known := map[volume]grown{}
	all := make([][]grown, len(of))
	for i, d := range of {
		for _, n := range d.steps {
			c := usualVolume
			d.set(&c, n)
			c.events = c.events * thousandths / 1000
			g, ok := known[c]
			if !ok {
				g = c.growth(t, keyheat, rounds)
				known[c] = g
			}
			g.at = n
			all[i] = append(all[i], g)
			t.Logf("%s %d: keys %.0f ns an event, analyze once %.0f, twice %.0f; %d MiB, %d MiB; Profile %d KiB", d.name, n,
				g.each(g.keys.cpu), g.each(g.once), g.each(g.analyze.cpu), g.keys.rss>>20, g.analyze.rss>>20, g.profile>>10)
		}
	}
	return all
}

func TestGrowthAtAThousandth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and runs it twenty times")
	}
	all := growths(t, dimensions[:1], 1, 1)
	for _, g := range all[0] {
		if g.keys.cpu == 0 || g.analyze.rss > rssLimit || g.profile == 0 {
			t.Errorf("%d events: %+v", g.at, g)
		}
	}
	if svg := growthSVG(all); !strings.HasSuffix(svg, "</svg>\n") {
		t.Errorf("no picture: %q", svg)
	}
}

// TestLongGrowth measures at full size, and writes what docs tell of it.
func TestLongGrowth(t *testing.T) {
	if os.Getenv("KEYHEAT_LONG") == "" {
		t.Skip("takes 10 minutes and 1 GB of disk: set KEYHEAT_LONG=1")
	}
	all := growths(t, dimensions, 1000, 2)
	for i, d := range dimensions {
		for j, g := range all[i] {
			if g.analyze.rss > rssLimit {
				t.Errorf("%s %d: RSS %d MiB is over the budget", d.name, g.at, g.analyze.rss>>20)
			}
			if j == 0 {
				continue
			}
			if before := all[i][j-1]; g.analyze.cpu > 12*before.analyze.cpu {
				t.Errorf("%s: ten times as many cost %.1f times as much", d.name, float64(g.analyze.cpu)/float64(before.analyze.cpu))
			}
		}
	}
	if !*update {
		return
	}
	for name, text := range map[string]string{"growth.md": growthTables(all), "growth.svg": growthSVG(all)} {
		if err := os.WriteFile(filepath.Join("../../docs", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
