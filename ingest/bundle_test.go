package ingest

import "testing"

func TestNodesOfBundlesAreNamedByTheirPaths(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Shop-diagnostics-2026/nodes/10.0.0.1/logs/cassandra/system.log", "10.0.0.1"},
		{"bundle.tar.gz/Shop/nodes/10.0.0.2/nodetool/cfstats", "10.0.0.2"},
		{`Shop\nodes\10.0.0.3\conf\cassandra\cassandra.yaml`, "10.0.0.3"},
		{"diag-10.0.0.4.tar.gz/10.0.0.4/driver/schema", "10.0.0.4"},
		{"diag/db-4/logs/cassandra/debug.log", "db-4"},
		{"10.0.0.4.tar.gz/nodetool/status", "10.0.0.4"},
		{"ds/db-5_artifacts_2026_06_04_0930_1780565400/logs/system.log", "db-5"},
		{"ds/db-6_artifacts_2026_06_04_0930_1780565400.tar.gz/db-6_artifacts_2026_06_04_0930_1780565400/nodetool/info.txt", "db-6"},
		{"logs/2001:db8::7/system.log", "2001:db8::7"},
		{"/var/log/cassandra/system.log", ""},
		{"nodetool/cfstats", ""},
		{"./nodetool/cfstats", ""},
		{"nodes/readme.txt", ""},
		{"shop/driver", ""},
		{"app/logs/server.log", ""},
		{"system.log", ""},
	} {
		if got := nodeOf(c.name); got != c.want {
			t.Errorf("%s: node %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBundlesTellWhenTheyWereCollected(t *testing.T) {
	for _, c := range []struct {
		name string
		want int64
	}{
		{"ds/db-5_artifacts_2026_06_04_0930_1780565400/nodetool/tablestats.txt", 1780565400e9},
		{"ds/db-6_artifacts_2026_06_04_0930_1780565400.tar.gz/db-6_artifacts_2026_06_04_0930_1780565400/nodetool/info.txt", 1780565400e9},
		{"ds/db-5_artifacts_2026_06_04_0930_17/nodetool/tablestats.txt", 0},
		{"nodes/10.0.0.1/nodetool/cfstats", 0},
	} {
		if got := (&Input{Name: c.name}).Taken(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
