package rules

import (
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestHotNode(t *testing.T) {
	nodes := func(minutes int, each ...uint64) *detect.View {
		v := aView(minutes, aTarget(ingest.Cassandra, 1000, aKey("a", times(minutes, 0)...)))
		for i, n := range each {
			v.Nodes = append(v.Nodes, detect.NodeView{Name: fmt.Sprint("n", i), Requests: times(minutes, n)})
		}
		return v
	}
	for _, c := range []struct {
		name string
		view func() *detect.View
		want string
	}{
		{"1.75 times the median for ten minutes with 1,000 requests", func() *detect.View { return nodes(10, 175, 100, 100) }, "medium possible"},
		{"1.74 times the median", func() *detect.View { return nodes(10, 174, 100, 100) }, ""},
		{"nine minutes", func() *detect.View { return nodes(9, 400, 100, 100) }, ""},
		{"1,000 requests", func() *detect.View { return nodes(10, 100, 57, 57) }, "medium possible"},
		{"999 requests", func() *detect.View {
			v := nodes(10, 100, 57, 57)
			v.Nodes[0].Requests[9] = 99
			return v
		}, ""},
		{"two nodes", func() *detect.View { return nodes(10, 400, 100) }, ""},
		{"even nodes", func() *detect.View { return nodes(10, 100, 100, 100) }, ""},
		{"of four nodes the larger middle counts", func() *detect.View { return nodes(10, 350, 201, 100, 100) }, ""},
		{"a key explains it", func() *detect.View {
			v := nodes(10, 400, 100, 100)
			v.Targets[0].Keys = []*detect.KeyView{aKey("a", times(10, 226)...)}
			return v
		}, ""},
		{"a key does not quite explain it", func() *detect.View {
			v := nodes(10, 400, 100, 100)
			v.Targets[0].Keys = []*detect.KeyView{aKey("a", times(10, 225)...)}
			return v
		}, "medium possible"},
		{"the upper count of a key explains it", func() *detect.View {
			v := nodes(10, 400, 100, 100)
			k := aKey("a", times(10, 0)...)
			for i := range k.Panes {
				k.Panes[i].Requests = detect.Range{High: 226}
			}
			v.Targets[0].Keys = []*detect.KeyView{k}
			return v
		}, ""},
		{"a node whose log begins late is left out", func() *detect.View {
			v := nodes(10, 400, 100, 100)
			for i := range 5 {
				v.Nodes[2].Requests[i] = 0
			}
			return v
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := level(judged(t, &HotNode, c.view())); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := missing(&HotNode, nodes(10, 400, 100)); len(got) != 1 || got[0] != "nodes" {
		t.Errorf("missing %v, want nodes", got)
	}
}
