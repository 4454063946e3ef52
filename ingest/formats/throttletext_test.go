package formats

import "testing"

func TestRecordsOfApplicationLogsBeginWithAHead(t *testing.T) {
	for _, c := range []struct {
		line string
		want bool
	}{
		{"2026-11-02 10:00:01 ERROR x", true},
		{"    2026-11-02 10:00:01 ERROR x", true},
		{"\tERROR x", true},
		{"> 2026-11-02 10:00:01 x", true},
		{"app_1  | 2026-11-02 10:00:01 x", true},
		{"/var/log/app.log:17:2026-11-02 10:00:01 x", true},
		{"app-0 app WARN [worker] x", true},
		{"Nov  2 10:00:01 app1 app[12]: x", true},
		{"put failed: ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was exceeded.", true},
		{"2026-11-02 10:00:03 System.AggregateException: One or more errors occurred.", true},

		{"", false},
		{"x", false},
		{"\tat com.a.B.c(B.java:1)", false},
		{"app_1  | \tat com.a.B.c(B.java:1)", false},
		{"2026-11-02T10:00:01.345Z stdout F \tat com.a.B.c(B.java:1)", false},
		{"2026-11-02T10:00:01.345Z app Caused by: com.a.BException: x", false},
		{"app_1  | com.a.BException: x", false},
		{"com.a.BException: x", false},
		{"Nov  2 10:00:01 app1 app[12]:   code = x", false},
		{"  time: 2026-11-02T10:00:07.392Z,", false},
		{`  "time": "2026-11-02T10:00:07.392Z",`, false},
		{"Traceback (most recent call last):", false},
		{"  File \"app.py\", line 1", false},
	} {
		if got := beginsLogRecord([]byte(c.line)); got != c.want {
			t.Errorf("%q: got %v, want %v", c.line, got, c.want)
		}
	}
}
