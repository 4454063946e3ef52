package awsjson

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePartitionKeyIsNamedOnlyWhereSomethingTellsIt(t *testing.T) {
	for _, c := range []struct {
		name, partition string
		attrs           []string
		hash, sort      int
	}{
		{"one attribute is the partition key", "", []string{"anything"}, 0, -1},
		{"pk and sk", "", []string{"sk", "pk"}, 1, 0},
		{"in capitals", "", []string{"PK", "SK"}, 0, 1},
		{"one of two tells", "", []string{"customer", "timestamp"}, 0, 1},
		{"with a name before it", "", []string{"order_sk", "order_pk"}, 1, 0},
		{"two ordinary names tell nothing", "", []string{"Artist", "SongTitle"}, -1, -1},
		{"a date may be either", "", []string{"date", "id"}, -1, -1},
		{"two of one role tell nothing", "", []string{"ts", "version"}, -1, -1},
		{"the user tells", "SongTitle", []string{"Artist", "SongTitle"}, 1, 0},
		{"the user tells of another table", "id", []string{"Artist", "SongTitle"}, -1, -1},
		{"names that only end alike", "", []string{"task", "apk"}, -1, -1},
		{"no attribute", "", nil, -1, -1},
		{"three attributes", "", []string{"pk", "sk", "x"}, -1, -1},
	} {
		var attrs []Attribute
		for _, name := range c.attrs {
			attrs = append(attrs, Attribute{Name: []byte(name)})
		}
		if hash, sort := Roles(attrs, c.partition); hash != c.hash || sort != c.sort {
			t.Errorf("%s: got %d and %d, want %d and %d", c.name, hash, sort, c.hash, c.sort)
		}
	}
}

func TestItemsTellTheirKeysByNamesThatOnlyKeysHave(t *testing.T) {
	for _, c := range []struct{ name, head, partition, sort string }{
		{"an export", `{"Item":{"GSI1PK":{"S":"x"},"PK":{"S":"a"},"SK":{"S":"b"}}}`, "PK", "SK"},
		{"a scan", `{"Items":[{"a":{"S":"x"}},{"partition_key":{"S":"a"}}],"Count":2}`, "partition_key", ""},
		{"names that tell nothing", `{"Item":{"id":{"S":"x"},"date":{"S":"y"}}}`, "", ""},
		{"cut off", `{"Item":{"pk":{"S":"x`, "pk", ""},
	} {
		partition, sort := KeyNames([]byte(c.head))
		if string(partition) != c.partition || string(sort) != c.sort {
			t.Errorf("%s: got %q and %q, want %q and %q", c.name, partition, sort, c.partition, c.sort)
		}
	}
}

func TestResourceNamesTellTableAndIndex(t *testing.T) {
	for text, want := range map[string][2]string{
		"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders":                                     {"Orders", ""},
		"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders/index/by-Status.2":                   {"Orders", "by-Status.2"},
		"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders/stream/2026-11-02T08:00:00.123|1|AA": {"Orders", ""},
		`[{ reason: 'x', resource: 'arn:aws:dynamodb:table/test-table' }]`:                         {"test-table", ""},
		"stream-ARN": {"", ""},
		"arn:aws:kinesis:us-east-1:444455556666:stream/orders": {"", ""},
		"":       {"", ""},
		"Orders": {"", ""},
	} {
		table, index := Resource([]byte(text))
		if diff := cmp.Diff([2]string{string(table), string(index)}, want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", text, diff)
		}
	}
}
