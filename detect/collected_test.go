package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestStreamsThatWereRecordedTwiceAreNamed(t *testing.T) {
	const minute = int64(60e9)
	in := func(name string, first, last int64) InputStats {
		return InputStats{Name: name, Format: "dynamodb-stream", First: first * minute, Last: last * minute}
	}
	part := func(recording string, number uint64, first, last int64) InputStats {
		s := in("dynamodb://a/1", first, last)
		s.Recording = ingest.Recording{Name: recording, Part: number}
		return s
	}
	for _, c := range []struct {
		name   string
		inputs []InputStats
		want   []Doubled
	}{
		{"captures of one recording, whose shards were read at different times", []InputStats{part("s3://t/h1/", 1, 1, 9), part("s3://t/h1/", 2, 2, 7), part("s3://t/h1/", 3, 5, 6)}, nil},
		{"two recordings of one stream", []InputStats{part("s3://t/h1/", 1, 1, 9), part("s3://t/h1/", 2, 2, 7), part("s3://t/h2/", 1, 5, 6)}, []Doubled{{"dynamodb://a/1", Span{300, 361}}}},
		{"a short one before and within a long one", []InputStats{part("s3://t/h2/", 1, 1, 6), part("s3://t/h1/", 1, 4, 9), part("s3://t/h1/", 2, 5, 8)},
			[]Doubled{{"dynamodb://a/1", Span{240, 361}}, {"dynamodb://a/1", Span{300, 361}}}},
		{"one recording after the other", []InputStats{part("s3://t/h1/", 1, 1, 4), part("s3://t/h1/", 2, 2, 5), part("s3://t/h2/", 1, 5, 9)}, nil},
		{"a capture that is there twice", []InputStats{part("s3://t/h1/", 1, 3, 4), part("s3://t/h1/", 2, 3, 9), part("s3://t/h1/", 1, 3, 4)}, []Doubled{{"dynamodb://a/1", Span{180, 241}}}},
		{"one of a single second that is there twice", []InputStats{part("s3://t/h1/", 1, 3, 3), part("s3://t/h1/", 1, 3, 3)}, []Doubled{{"dynamodb://a/1", Span{180, 181}}}},
		{"two collectors", []InputStats{in("dynamodb://orders/shard-1", 1, 5), in("dynamodb://orders/shard-1", 4, 9)}, []Doubled{{"dynamodb://orders/shard-1", Span{240, 301}}}},
		{"one within the other", []InputStats{in("dynamodb://a/1", 1, 9), in("dynamodb://a/1", 2, 3), in("dynamodb://a/1", 5, 6)},
			[]Doubled{{"dynamodb://a/1", Span{120, 181}}, {"dynamodb://a/1", Span{300, 361}}}},
		{"one after the other", []InputStats{in("dynamodb://a/1", 1, 5), in("dynamodb://a/1", 5, 9)}, nil},
		{"unlike streams", []InputStats{in("dynamodb://a/1", 1, 5), in("dynamodb://a/2", 1, 5)}, nil},
		{"files of two hosts", []InputStats{in("/var/log/system.log", 1, 5), in("/var/log/system.log", 1, 5)}, nil},
		{"without times", []InputStats{in("dynamodb://a/1", 0, 0), in("dynamodb://a/1", 0, 0)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Profile{Inputs: c.inputs}
			if diff := cmp.Diff(p.Doubled(), c.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestCapturesThatAreMissingAreTold(t *testing.T) {
	in := func(recording string, part uint64) InputStats {
		return InputStats{Recording: ingest.Recording{Name: recording, Part: part}}
	}
	for _, c := range []struct {
		name   string
		inputs []InputStats
		want   []Missing
	}{
		{"all, in any order and several inputs of each", []InputStats{in("a", 2), in("a", 1), in("a", 2), in("b", 1), in("", 0)}, nil},
		{"the first, as when only those of a day are read", []InputStats{in("a", 7), in("a", 8)}, nil},
		{"some between others", []InputStats{in("b", 9), in("b", 2), in("a", 1), in("a", 3), in("b", 3)}, []Missing{{"a", 2, 2}, {"b", 4, 8}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Profile{Inputs: c.inputs}
			if diff := cmp.Diff(p.Missing(), c.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestNodesOfTheTopologyThatSentNothingAreNamed(t *testing.T) {
	facts := []FactStats{{Node: "10.0.0.1", Name: ingest.FactNodeState}, {Node: "10.0.0.2", Name: ingest.FactNodeState}, {Node: "10.0.0.3", Name: ingest.FactDatacenter}}
	for _, c := range []struct {
		name    string
		profile Profile
		nodes   []string
		of      int
	}{
		{"one of three", Profile{Facts: facts, Inputs: []InputStats{{Node: "10.0.0.1"}}, Observers: []Observer{{Node: "10.0.0.3"}}}, []string{"10.0.0.2"}, 3},
		{"none", Profile{Facts: facts[:1], Inputs: []InputStats{{Node: "10.0.0.1"}}}, nil, 1},
		{"names of another kind", Profile{Facts: facts, Inputs: []InputStats{{Node: "db-1"}}}, nil, 0},
		{"no topology", Profile{Inputs: []InputStats{{Node: "10.0.0.1"}}}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes, of := c.profile.Unseen()
			if diff := cmp.Diff(nodes, c.nodes); diff != "" || of != c.of {
				t.Errorf("of %d, want %d (-got +want):\n%s", of, c.of, diff)
			}
		})
	}
}
