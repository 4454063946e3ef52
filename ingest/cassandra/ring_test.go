package cassandra

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplicasOfTokens(t *testing.T) {
	node := func(name, dc, rack string, tokens ...int64) *member {
		return &member{name: name, dc: dc, rack: rack, tokens: tokens}
	}
	members := []*member{
		node("a", "eu", "r1", -900, 500), node("b", "eu", "r1", -500), node("c", "eu", "r2", 0, 900), node("d", "us", "r1", 100), node("e", "us", "r1", 700),
	}
	r := newRing(members, map[string]replication{
		"one":   replicationOf("{'class': 'org.apache.cassandra.locator.SimpleStrategy', 'replication_factor': '1'}"),
		"three": replicationOf("{'class': 'SimpleStrategy', 'replication_factor': '3'}"),
		"eu":    replicationOf("{'class': 'org.apache.cassandra.locator.NetworkTopologyStrategy', 'eu': '2'}"),
		"all":   replicationOf("{'class': 'NetworkTopologyStrategy', 'eu': '3', 'us': '1'}"),
		"local": replicationOf("{'class': 'org.apache.cassandra.locator.LocalStrategy'}"),
	}, nil)
	tests := map[string]struct {
		keyspace string
		token    int64
		want     string
	}{
		"the owner of a range has its end":    {"one", -500, "b"},
		"between two":                         {"one", -499, "c"},
		"over the greatest: the least":        {"one", 901, "a"},
		"three in the order of the ring":      {"three", 50, "d a e"},
		"one data centre":                     {"eu", 50, "a c"},
		"a rack that has one comes last":      {"eu", -901, "a c"},
		"more replicas than racks":            {"all", -901, "a c b d"},
		"no replicas of a local keyspace":     {"local", 0, ""},
		"a keyspace that nobody has heard of": {"none", 0, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, m := range r.replicas(tc.keyspace, tc.token) {
				got = append(got, m.name)
			}
			if d := cmp.Diff(strings.Join(got, " "), tc.want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}
