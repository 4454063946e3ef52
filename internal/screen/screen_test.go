package screen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/watch"
)

// boards is a Source of rows that stand still.
type boards struct{ rows []watch.Row }

// Look gives the rows that the query asks for, as a Watch does.
func (s *boards) Look(q watch.Query) *watch.Board {
	at := time.Date(2026, 6, 4, 10, 42, 10, 0, time.UTC)
	b := &watch.Board{Now: at, Clock: at, Latest: at.Add(-2 * time.Second), Live: true, Window: 10 * time.Minute, Rate: time.Minute}
	for _, r := range s.rows {
		inTable := q.Target != nil && r.Target == *q.Target && (q.Key == nil || string(q.Key) == string(r.Key))
		if (q.Target == nil) == (r.Key == nil) && (r.Key == nil || inTable) && (q.Keep == nil || q.Keep(&r)) {
			b.Rows = append(b.Rows, r)
		}
		if r.Key == nil && (q.Target == nil || *q.Target == r.Target) {
			b.Total = r
		}
	}
	for i := range b.Rows { // few: any way of sorting does
		for j := i; j > 0 && q.Order(&b.Rows[j], &b.Rows[j-1]) < 0; j-- {
			b.Rows[j], b.Rows[j-1] = b.Rows[j-1], b.Rows[j]
		}
	}
	if q.Limit > 0 && len(b.Rows) > q.Limit {
		b.More, b.Rows = len(b.Rows)-q.Limit, b.Rows[:q.Limit]
	}
	return b
}

var ordersTable = detect.Target{Store: ingest.DynamoDB, Table: "orders"}

func row(key string, reads, writes, throttled uint64) watch.Row {
	r := watch.Row{Target: ordersTable}
	if key != "" {
		r.Key = []byte(key)
	}
	for m, n := range map[watch.Measure]uint64{watch.Reads: reads, watch.Writes: writes, watch.WriteMilli: writes, watch.Throttled: throttled} {
		r.PerSecond[m] = detect.Range{Low: n * 1000, High: n * 1000}
	}
	for m := range r.Series {
		r.Series[m] = make([]uint64, watch.Slots)
		for i := range r.Series[m] {
			r.Series[m][i] = r.PerSecond[m].Low / 1000 * uint64(i) / watch.Slots
		}
	}
	return r
}

func options() Options {
	return Options{
		Title: "dynamodb://orders", Table: func(t detect.Target) string { return t.Table }, Key: func(key []byte) string { return string(key) },
		ReadLimit: 3000_000, WriteLimit: 1000_000,
		Page: func(_ detect.Target, key []byte, width int) []string {
			return []string{fmt.Sprintf("all of %s in %d columns", key, width)}
		},
		Save: func() string { return "saved x.html" },
	}
}

var incident = &boards{[]watch.Row{row("", 490, 1901, 212), row("CUSTOMER#42", 12, 1840, 210), row("CUSTOMER#7", 478, 61, 2)}}

// press hands keys to a model and runs what they ask for.
func press(m *model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "backspace":
			msg = tea.KeyPressMsg{Code: tea.KeyBackspace}
		}
		if _, cmd := m.Update(msg); cmd != nil {
			m.Update(cmd())
		}
	}
}

func TestThePictureOfAnIncidentAt80Columns(t *testing.T) {
	m := newModel(incident, options())
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 12})
	m.Update(Findings{{Target: ordersTable, Key: []byte("CUSTOMER#42"), HasKey: true, Severity: detect.Critical, Text: "hot-partition: over the limit for 402 seconds; appended in time order: a split will not help"}})
	press(m, "enter")
	want := strings.Split(strings.TrimPrefix(`
keyheat top  dynamodb://orders › orders                    10:42:10 UTC  lag 2 s
a second: reads 490 ▁▂▃▄▅▆▇█  writes 1,901 ▁▂▃▄▅▆▇█  throt. 212 ▁▂▃▄▅▆▇█
  KEY             reads writes    WCU  limit ▼share throt.  last 10 min
▸ CUSTOMER#42        12  1,840  1,840  184 %   77 %    210  ▁▁▂▂▂▃▃▄▄▄▅▅▆▆▆▇▇███
  CUSTOMER#7        478     61     61  6.1 %   23 %      2  ▁▁▁▁▁▁▁▁▂▂▂▂▂▂▂▂▂▃▃▃




critical: hot-partition: over the limit for 402 seconds; appended in time order:
a split will not help
Enter open  Esc back  < > sort  / filter  w save report  p pause  ? help  q quit`, "\n"), "\n")
	got := m.frame()
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestNoLineIsWiderAndNoPictureHigherThanTheTerminal(t *testing.T) {
	wide := &boards{append([]watch.Row{row("長い鍵"+strings.Repeat("é", 90), 1, 2, 3)}, incident.rows...)}
	for _, keys := range [][]string{nil, {"enter"}, {"enter", "enter"}, {"?"}, {"enter", "/", "4", "2"}, {"w"}} {
		for width := 1; width < 200; width += 7 {
			for height := 1; height < 50; height += 6 {
				m := newModel(wide, options())
				m.Update(tea.WindowSizeMsg{Width: width, Height: height})
				m.Update(Findings{{Target: ordersTable, Severity: detect.Low, Text: strings.Repeat("word ", 99)}})
				press(m, keys...)
				lines := m.frame()
				if len(lines) > height {
					t.Fatalf("%v: %d lines at %dx%d", keys, len(lines), width, height)
				}
				for _, line := range lines {
					if widthOf(line) > width {
						t.Fatalf("%v: %d columns at %dx%d: %q", keys, widthOf(line), width, height, line)
					}
				}
			}
		}
	}
}

func TestKeysChangeWhatIsShown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		keys   []string
		want   []string
		absent []string
	}{
		{"enter opens a table", []string{"enter"}, []string{"▸ CUSTOMER#42", "CUSTOMER#7"}, nil},
		{"enter again opens a key", []string{"enter", "enter"}, []string{"writes  1,840/s", "184 % of what a partition serves", "all of CUSTOMER#42 in 100 columns"}, []string{"CUSTOMER#7"}},
		{"escape goes back to the row", []string{"enter", "down", "enter", "esc"}, []string{"▸ CUSTOMER#7"}, nil},
		{"a letter sorts", []string{"enter", "R"}, []string{"▼reads", "▸ CUSTOMER#7"}, nil},
		{"a sort by name", []string{"enter", "K"}, []string{"KEY ▼"}, []string{"▼share"}},
		{"a mark stays on its row when it is sorted anew", []string{"enter", "down", "R"}, []string{"▸ CUSTOMER#7"}, nil},
		{"> goes to the column at the right", []string{"enter", ">"}, []string{"▼throt."}, nil},
		{"< goes to the left, and stops at the name", []string{"enter", "<", "<", "<", "<", "<", "<", "<", "<", "<"}, []string{"KEY ▼"}, nil},
		{"a filter hides rows", []string{"enter", "/", "#", "7", "enter"}, []string{"filter /#7", "▸ CUSTOMER#7"}, []string{"CUSTOMER#42"}},
		{"a filter does not mind case", []string{"enter", "/", "c", "u", "s", "enter"}, []string{"CUSTOMER#42"}, nil},
		{"a filter can be corrected", []string{"enter", "/", "x", "backspace", "4"}, []string{"CUSTOMER#42"}, []string{"CUSTOMER#7"}},
		{"a filter that matches nothing says so", []string{"enter", "/", "z"}, []string{"nothing matches the filter"}, nil},
		{"escape takes a filter off", []string{"enter", "/", "z", "esc"}, []string{"CUSTOMER#42"}, nil},
		{"q in a filter is text", []string{"enter", "/", "q"}, []string{"/q▏"}, nil},
		{"? explains", []string{"?"}, []string{"requests refused for rate"}, nil},
		{"any key closes help", []string{"?", "q"}, []string{"▸ orders"}, []string{"Any key"}},
		{"w saves", []string{"w"}, []string{"saved x.html"}, nil},
		{"p pauses", []string{"p"}, []string{"PAUSED"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(incident, options())
			m.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
			press(m, tt.keys...)
			text := strings.Join(m.frame(), "\n")
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not shown:\n%s", want, text)
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(text, absent) {
					t.Errorf("%q is shown:\n%s", absent, text)
				}
			}
		})
	}
}

func TestQuitAndInterruptAreToldApart(t *testing.T) {
	for key, want := range map[rune]bool{'q': false, 'c': true} {
		m := newModel(incident, options())
		msg := tea.KeyPressMsg{Code: key, Text: string(key)}
		if key == 'c' {
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		_, cmd := m.Update(msg)
		if cmd == nil {
			t.Fatalf("%c does not end the screen", key)
		}
		if _, ends := cmd().(tea.QuitMsg); !ends || m.interrupted != want {
			t.Errorf("%c: ends %v, interrupted %v, want %v", key, ends, m.interrupted, want)
		}
	}
}

func TestAPauseKeepsThePicture(t *testing.T) {
	src := &boards{incident.rows[:1]}
	m := newModel(src, options())
	press(m, "p")
	src.rows = nil
	m.Update(Refresh{})
	if len(m.board.Rows) != 1 {
		t.Error("a refresh changed what is paused")
	}
	press(m, "p")
	if len(m.board.Rows) != 0 {
		t.Error("the end of the pause shows nothing new")
	}
}

func TestColoursAreOptional(t *testing.T) {
	for _, color := range []bool{true, false} {
		o := options()
		o.Color = color
		m := newModel(incident, o)
		m.Update(Findings{{Target: ordersTable, Severity: detect.High, Text: "x"}})
		if got := strings.Contains(strings.Join(m.frame(), "\n"), "\x1b["); got != color {
			t.Errorf("colours %v, want %v", got, color)
		}
	}
}

func TestPlainPicturesHoldNoControlCharacters(t *testing.T) {
	text := Plain(incident, options(), Findings{{Target: ordersTable, Severity: detect.High, Text: "hot"}}, "ended", 120, 1)
	for _, want := range []string{"ended", "orders", "KEY of orders", "CUSTOMER#42", "high: hot"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told:\n%s", want, text)
		}
	}
	if strings.Contains(text, "CUSTOMER#7") {
		t.Errorf("the limit of one row does not hold:\n%s", text)
	}
	if bytes.ContainsFunc([]byte(text), func(r rune) bool { return r < ' ' && r != '\n' || r == utf8.RuneError }) {
		t.Errorf("control characters in %q", text)
	}
}

func TestNumbersFitTheirColumn(t *testing.T) {
	for milli, want := range map[uint64]string{
		0: "0", 1: "<0.01", 9: "<0.01", 10: "0.01", 500: "0.5", 994: "0.99", 995: "1", 1500: "1.5", 9949: "9.9", 9950: "10",
		999_499: "999", 999_500: "1,000", 1_840_000: "1,840", 9_999_499: "9,999", 9_999_500: "10.0k", 99_949_000: "99.9k",
		99_950_000: "100k", 999_499_000: "999k", 999_500_000: "1.0M", 1 << 63: "9.2P",
	} {
		if got := number(milli); got != want {
			t.Errorf("%d thousandths are %q, want %q", milli, got, want)
		}
	}
	for milli := uint64(1); milli < 1<<62; milli = milli*3/2 + 1 {
		for _, text := range []string{number(milli), size(milli)} {
			if widthOf(text) > figureWidth {
				t.Errorf("%q is wider than a column", text)
			}
		}
	}
}

func TestEstimatesSayThatTheyAreNone(t *testing.T) {
	for _, tt := range []struct {
		low, high           uint64
		estimate, bothSides string
	}{
		{1_840_000, 1_840_000, "1,840", "1,840"},
		{1_830_000, 1_850_000, "1,840", "1,840 (1,830–1,850)"},
		{100_000, 200_000, "~150", "150 (100–200)"},
		{0, 12_000, "≤12", "at most 12"},
	} {
		r := detect.Range{Low: tt.low, High: tt.high}
		if got := estimate(r, number); got != tt.estimate {
			t.Errorf("%v is %q in a column, want %q", r, got, tt.estimate)
		}
		if got := bounds(r, number); got != tt.bothSides {
			t.Errorf("%v is %q, want %q", r, got, tt.bothSides)
		}
	}
}
