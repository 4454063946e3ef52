package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

func ordersKeys() *report.KeyTable {
	t := &report.KeyTable{By: report.Requests}
	orders := detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	index := detect.Target{Store: ingest.DynamoDB, Table: "orders", Index: "by day"}
	for i, k := range [][]byte{[]byte("CUSTOMER#42"), []byte("CUSTOMER#7"), ingest.AppendKey(nil, []byte("a b"), nil), {0xde, 0xad, 0xff}, []byte("\x1b[2J\t=1+1"), []byte("表の鍵")} {
		row := report.KeyRow{Target: orders, Key: k, Amount: detect.Range{Low: 51_006, High: 51_034}, Share: detect.ShareRange{Value: 26, Low: 25, High: 26}, PeakPerSecond: 133}
		switch i {
		case 0:
			row.Amount, row.Share, row.PeakPerSecond = stored(812_331), detect.ShareRange{Value: 406, Low: 406, High: 406}, 1840
		case 2:
			row.Target, row.PeakPerSecond = index, 0
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func paneKeys() *report.KeyTable {
	t := ordersKeys()
	t.By, t.PerPane, t.Milli = report.Cost, true, true
	for i := range t.Rows {
		at := clock(9, int64(10+i/2))
		t.Rows[i].Pane, t.Rows[i].PeakPerSecond = detect.PaneSpan{Start: at, End: at + 60}, 0
	}
	return t
}

func TestKeysLookAsReviewed(t *testing.T) {
	for name, table := range map[string]*report.KeyTable{"keys": ordersKeys(), "keys-panes": paneKeys(), "keys-none": {By: report.Bytes}} {
		for _, width := range []int{60, 80, 120} {
			page := rendered(t, keysText, table, Options{Width: width})
			checkPage(t, page, width)
			golden(t, fmt.Sprintf("%s.%d.txt", name, width), page)
		}
		golden(t, name+".plain.txt", rendered(t, keysText, table, Options{Width: 60, Plain: true}))
		golden(t, name+".csv", rendered(t, keysCSV, table, Options{}))
		golden(t, name+".json", rendered(t, keysJSON, table, Options{}))
	}
}

func TestPlainKeysHaveTheSameFieldsInEachRow(t *testing.T) {
	for _, table := range []*report.KeyTable{ordersKeys(), paneKeys()} {
		lines := strings.Split(strings.TrimSpace(string(rendered(t, keysText, table, Options{Plain: true}))), "\n")
		want := len(strings.Fields(lines[0]))
		for _, l := range lines {
			if got := len(strings.Fields(l)); got != want {
				t.Errorf("%d fields, want %d: %s", got, want, l)
			}
			if strings.Contains(l, ",0") {
				t.Errorf("a number has separators: %s", l)
			}
		}
	}
}

func TestCSVHoldsNoFormula(t *testing.T) {
	table := &report.KeyTable{By: report.Requests}
	for _, k := range []string{"=cmd|' /C calc'!A0", "+1", "-1", "@x", "\t=1", "\r=1", "plain", "a,\"b\"\nc"} {
		table.Rows = append(table.Rows, report.KeyRow{Target: detect.Target{Table: k, Index: k}, Key: []byte(k), Amount: stored(1)})
	}
	rows, err := csv.NewReader(bytes.NewReader(rendered(t, keysCSV, table, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			t.Errorf("row %d has %d cells, want %d", i, len(row), len(rows[0]))
		}
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("cell %q is a formula", cell)
			}
		}
	}
}

func TestMaskedKeysShowNoKey(t *testing.T) {
	for _, o := range KeysCatalogue() {
		if page := string(rendered(t, o, ordersKeys(), Options{Mask: testMask})); strings.Contains(page, "CUSTOMER") {
			t.Errorf("%s shows a key:\n%s", o.Name, page)
		}
	}
	for _, o := range KeyCatalogue() {
		if page := string(rendered(t, o, cartsKey(), Options{Mask: testMask})); strings.Contains(page, "tenant-42") {
			t.Errorf("%s shows a key:\n%s", o.Name, page)
		}
	}
}

// cartsKey is a key that the second pass counted.
func cartsKey() *report.KeyReport {
	r := incident()
	k := &report.KeyReport{Version: "0.1.0", Inputs: r.Inputs, Target: r.Tables[0].Target, Key: []byte("tenant-42"), Held: true, Rank: 1,
		Requests: stored(3_410_000), Cost: stored(7_000_000_000), CostMilli: true, Share: detect.ShareRange{Value: 630, Low: 630, High: 630},
		PeakSecond: clock(10, 19) + 7, PeakPerSec: 1840, PaneSeconds: 60, Panes: r.Panes, Findings: r.Findings[1:2],
		Positions: []ingest.Position{{Byte: 12, Line: 1}, {Input: 1, Byte: 99}},
		Exact:     &detect.ExactKey{Nodes: []detect.NodeCount{{Node: "10.0.3.17", Requests: 2_000_000}, {Node: "10.0.3.18", Requests: 1_410_000}}, Ascending: 90, Ordered: 100}}
	for _, n := range ramp(92, 40, 0, 60_000) {
		k.PerPane = append(k.PerPane, detect.KeyPane{Requests: stored(n)})
	}
	k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = 410_000
	k.Exact.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)] = 3_000_000
	k.Exact.Totals[detect.Throttle+detect.Counter(ingest.ThrottledKeyRange)] = 212
	return k
}

func TestOneKeyLooksAsReviewed(t *testing.T) {
	small := &report.KeyReport{Version: "0.1.0", Target: detect.Target{Table: "orders"}, Key: []byte(strings.Repeat("long ", 40)), Requests: detect.Range{High: 812}, Share: detect.ShareRange{High: 1}}
	sketched := cartsKey()
	sketched.Exact, sketched.Requests, sketched.Findings = nil, detect.Range{Low: 3_300_000, High: 3_520_000}, nil
	for name, k := range map[string]*report.KeyReport{"key": cartsKey(), "key-small": small, "key-sketched": sketched} {
		for _, width := range []int{60, 80, 120} {
			page := rendered(t, keyText, k, Options{Width: width})
			checkPage(t, page, width)
			golden(t, fmt.Sprintf("%s.%d.txt", name, width), page)
		}
		page := rendered(t, keyJSON, k, Options{})
		if !json.Valid(page) {
			t.Errorf("%s: not JSON", name)
		}
		golden(t, name+".json", page)
	}
}
