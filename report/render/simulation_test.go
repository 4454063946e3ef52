package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// simulated is a table with a hot key, under two other keys, one of which has a hostile name.
func simulated() *detect.Simulation {
	whole := func(n uint64) detect.Bounds { return detect.Exactly(detect.Whole(n)) }
	peak := detect.Within(detect.Whole(236), detect.Whole(201), detect.Whole(301))
	loose := peak
	loose.Open = true
	return &detect.Simulation{
		Target: detect.Target{Store: ingest.DynamoDB, Table: "orders"}, Span: detect.Span{Start: clock(9, 10), End: clock(9, 41)},
		WriteLimit: 1_000_000, ReadLimit: 3_000_000, Requests: 2_000_000, Reads: 580_000, Best: 1, Notes: []string{"inputs not read to their end: 1"},
		Keys: []detect.Simulated{
			{Key: "key", Distinct: whole(9541), TopShare: detect.Exactly(406), Effective: 6320, Gini: 812, Peak: whole(1840), PeakWrite: whole(1840),
				SecondsOver: whole(402), Largest: whole(38 << 30), Stored: true, SingleReads: detect.Exactly(1000), FanoutMean: whole(1), FanoutP99: whole(1),
				ReadUnits: detect.Exactly(500), Replayed: 2_000_000, Keeps: []string{"hot-partition"}},
			{Key: "key, shard(8)", Distinct: detect.Within(detect.Whole(71_000), detect.Whole(69_100), detect.Whole(72_900)),
				TopShare: detect.Within(51, 49, 54), Effective: 49_000, Gini: 640, Peak: peak, PeakWrite: peak,
				SecondsOver: whole(0), Largest: detect.Within(detect.Whole(5<<30), detect.Whole(4<<30), detect.Whole(6<<30)), Stored: true,
				SingleReads: detect.Exactly(0), FanoutMean: detect.Exactly(1280), FanoutP99: whole(8), ReadUnits: detect.Within(4000, 3500, 4000),
				Replayed: 2_000_000, Removes: []string{"hot-partition"}, Assumed: []string{"random shards follow from the places of records; bounds hold for another drawing"}},
			{Key: "bad\x1b[31m, bucket(day, ts)", Distinct: whole(31), Peak: loose, SecondsOver: detect.Bounds{Known: true, Open: true},
				NotReplayed: []detect.NotReplayed{{Why: "without bad\x1b[31m", Requests: 1_000_000}}, Replayed: 1_000_000,
				Keeps: []string{"hot-partition"}, Adds: []string{"moving-hot-key"}},
		},
	}
}

// proposed is a table of which nothing is wrong.
func proposed() *detect.Simulation {
	return &detect.Simulation{Auto: true, Keys: []detect.Simulated{{Key: "key"}}}
}

func TestSimulationsLookAsReviewed(t *testing.T) {
	for name, s := range map[string]*detect.Simulation{"simulation": simulated(), "simulation-empty": proposed()} {
		for _, width := range []int{80, 100} {
			golden(t, fmt.Sprintf("%s.%d.txt", name, width), rendered(t, simulationText, s, Options{Width: width}))
		}
		golden(t, name+".json", rendered(t, simulationJSON, s, Options{}))
	}
}

func TestASimulationHoldsNoCommandsForTerminals(t *testing.T) {
	if text := rendered(t, simulationText, simulated(), Options{}); bytes.ContainsRune(text, '\x1b') {
		t.Errorf("the text has an escape:\n%q", text)
	}
}

func TestSimulationsFitTheirSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SimulationSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("simulation.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("simulation.json")
	if err != nil {
		t.Fatal(err)
	}
	page := rendered(t, simulationJSON, simulated(), Options{})
	for _, s := range [][]byte{page, rendered(t, simulationJSON, proposed(), Options{})} {
		if err := validate(schema, s); err != nil {
			t.Error(err)
		}
	}
	for _, broken := range []struct{ from, to string }{
		{`"keyheat.simulation/1"`, `"keyheat.simulation/2"`},
		{`"top_share": 0.406`, `"top_share": "0.406"`},
		{`"read_fanout"`, `"fanout"`},
		{`"not_replayed": 1000000`, `"not_replayed": -1`},
	} {
		text := strings.Replace(string(page), broken.from, broken.to, 1)
		if text == string(page) || validate(schema, []byte(text)) == nil {
			t.Errorf("the schema accepts %s in place of %s", broken.to, broken.from)
		}
	}
	var parsed, written map[string]any
	if err := json.Unmarshal(SimulationSchema(), &parsed); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(page, &written); err != nil {
		t.Fatal(err)
	}
	candidate := parsed["$defs"].(map[string]any)["candidate"].(map[string]any)["properties"].(map[string]any)
	for name := range written["candidates"].([]any)[0].(map[string]any) {
		if candidate[name] == nil {
			t.Errorf("the schema does not describe %s", name)
		}
	}
}
