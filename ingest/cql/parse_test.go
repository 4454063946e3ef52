package cql

import (
	"fmt"
	"strings"
	"testing"
)

// show is a statement in one line.
func show(s *Statement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s", s.Keyspace, s.Table)
	for _, r := range s.Where {
		fmt.Fprintf(&b, " | %s %d", strings.Join(r.Columns, ","), r.Op)
		if r.Token {
			b.WriteString(" token")
		}
		for _, v := range r.Values {
			fmt.Fprintf(&b, " %q", v.Text)
			if v.Kind == Marker {
				fmt.Fprintf(&b, "#%d", v.Marker)
			}
		}
	}
	if s.HasLimit {
		fmt.Fprintf(&b, " | limit %d", s.Limit)
	}
	if s.Cut {
		b.WriteString(" | cut")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		client      bool
		want, shape string
	}{
		{
			name: "whole scan, from a public log of Cassandra 3.11", text: "SELECT * FROM gateway_stage.cluster_events LIMIT 100",
			want: `gateway_stage.cluster_events | limit 100`, shape: "SELECT * FROM gateway_stage.cluster_events LIMIT 100",
		},
		{
			name:  "comma list, from a public log of Cassandra 3.0",
			text:  "SELECT * FROM grid.timeseries_index WHERE systemid, bucket, partition = 30001, 159846, 0702 AND key >= 1583576698492 AND key <= 1599128698492 LIMIT 5000",
			want:  `grid.timeseries_index | systemid,bucket,partition 1 "30001" "159846" "0702" | key 6 "1583576698492" | key 4 "1599128698492" | limit 5000`,
			shape: "SELECT * FROM grid.timeseries_index WHERE systemid, bucket, partition = ?, ?, ? AND key >= ? AND key <= ? LIMIT 5000",
		},
		{
			name:  "timestamps with blanks and a token range, from a public log of DSE 6.0",
			text:  "SELECT * FROM ks.table WHERE created >= 2019-01-14 08:40-0700 AND created <= 2019-01-14 08:53-0700 AND token(id) > -8928794067120290761 AND token(id) <= -8477769136471599289",
			want:  `ks.table | created 6 "2019-01-14 08:40-0700" | created 4 "2019-01-14 08:53-0700" | id 5 token "-8928794067120290761" | id 4 token "-8477769136471599289"`,
			shape: "SELECT * FROM ks.table WHERE created >= ? AND created <= ? AND token(id) > ? AND token(id) <= ?",
		},
		{
			name:  "token of a value, from a public log of Cassandra 5.0",
			text:  "SELECT score FROM city_ny.checkup WHERE token(idvenue) >= token(52729697) AND score > 30 LIMIT 100 ALLOW FILTERING",
			want:  `city_ny.checkup | idvenue 6 token "token(52729697)" | score 5 "30" | limit 100`,
			shape: "SELECT score FROM city_ny.checkup WHERE token(idvenue) >= ? AND score > ? LIMIT 100 ALLOW FILTERING",
		},
		{
			name: "doubled quotes, from a capture of Cassandra 5.0", text: "SELECT * FROM shop.odd_keys WHERE k = 'WHERE k = ''z'' AND n = 1' LIMIT 5000 ALLOW FILTERING",
			want: `shop.odd_keys | k 1 "WHERE k = 'z' AND n = 1" | limit 5000`, shape: "SELECT * FROM shop.odd_keys WHERE k = ? LIMIT 5000 ALLOW FILTERING",
		},
		{
			name: "blanks around a value, from a capture of Cassandra 4.0", text: "SELECT * FROM shop.odd_keys WHERE k =  lead and trail  LIMIT 5000",
			want: `shop.odd_keys | k 1 " lead and trail " | limit 5000`, shape: "SELECT * FROM shop.odd_keys WHERE k = ? LIMIT 5000",
		},
		{
			name: "line feed in a value, from a capture of Cassandra 4.0", text: "SELECT * FROM shop.odd_keys WHERE k = line1\nline2 LIMIT 5000",
			want: `shop.odd_keys | k 1 "line1\nline2" | limit 5000`, shape: "SELECT * FROM shop.odd_keys WHERE k = ? LIMIT 5000",
		},
		{
			name: "quote in a value, from a capture of Cassandra 4.0", text: "SELECT * FROM shop.odd_keys WHERE k = it's LIMIT 5000",
			want: `shop.odd_keys | k 1 "it's" | limit 5000`, shape: "SELECT * FROM shop.odd_keys WHERE k = ? LIMIT 5000",
		},
		{
			name: "words of CQL in a value", text: "SELECT * FROM a.b WHERE k = x LIMIT 5 or AND y LIMIT 10",
			want: `a.b | k 1 "x LIMIT 5 or AND y" | limit 10`, shape: "SELECT * FROM a.b WHERE k = ? LIMIT 10",
		},
		{
			name: "tuple of the coordinator, from a capture of Cassandra 5.0", text: "SELECT * FROM shop.orders_by_day WHERE (region, day) = ('us-east', '2026-11-20')",
			want: `shop.orders_by_day | region,day 1 "us-east" "2026-11-20"`, shape: "SELECT * FROM shop.orders_by_day WHERE (region, day) = (?, ?)",
		},
		{
			name: "lists of rows of 3.x", text: "SELECT * FROM a.b WHERE k, l = 1, x y AND (c, d) IN ((1, it's), (2, z)) ORDER BY (c DESC, d ASC) LIMIT 5",
			want: `a.b | k,l 1 "1" "x y" | c,d 7 "1" "it's" "2" "z" | limit 5`, shape: "SELECT * FROM a.b WHERE k, l = ?, ? AND (c, d) IN (?) ORDER BY c DESC, d ASC LIMIT 5",
		},
		{
			name: "empty relation of 3.0", text: "SELECT * FROM a.b WHERE k = 7 AND () = ()",
			want: `a.b | k 1 "7"`, shape: "SELECT * FROM a.b WHERE k = ?",
		},
		{
			name: "wrapped and cut by its author, from a public thread", text: "SELECT * FROM ops_lab.tomb_warn WHERE p = 1\nLIMIT 100 …",
			want: `ops_lab.tomb_warn | p 1 "1" | cut`, shape: "SELECT * FROM ops_lab.tomb_warn WHERE p = ?",
		},
		{
			name: "cut in the key, from a public thread", text: "SELECT * FROM apmwatch.trace_tt_slow_point_partial WHERE agent_rollup, transaction_type = .....",
			want:  `apmwatch.trace_tt_slow_point_partial | agent_rollup,transaction_type 1 "" | cut`,
			shape: "SELECT * FROM apmwatch.trace_tt_slow_point_partial WHERE agent_rollup, transaction_type = ?, ?",
		},
		{
			name: "cut behind WHERE, from a public log of DSE 6.8", text: "SELECT * FROM keyspace1.standard1 WHERE ",
			want: `keyspace1.standard1 | cut`, shape: "SELECT * FROM keyspace1.standard1",
		},
		{
			name: "bind markers in a driver's log, from a public thread", text: "SELECT * FROM job_run_by_cluster_v2 WHERE cluster_name = ? limit ?",
			want: `.job_run_by_cluster_v2 | cluster_name 1 ""#0`, shape: "SELECT * FROM job_run_by_cluster_v2 WHERE cluster_name = ? LIMIT ?",
		},
		{
			name: "client of a shell, from a public thread", client: true, text: "select * from shop.odd_keys where k = 'line1\nline2' limit 1;",
			want: `shop.odd_keys | k 1 "line1\nline2" | limit 1`, shape: "SELECT * FROM shop.odd_keys WHERE k = ? LIMIT 1",
		},
		{
			name: "client's names are folded", client: true, text: `SELECT Count(*) , "Id" FROM Shop."Odd" /* why */ WHERE A=? AND "B" IN ( ?, 'x''y' , 3)   LIMIT :max`,
			want: `shop.Odd | a 1 ""#0 | B 7 ""#1 "x'y" "3"`, shape: `SELECT count(*), "Id" FROM shop.Odd WHERE a = ? AND "B" IN (?) LIMIT ?`,
		},
		{
			name: "insert", client: true, text: "INSERT INTO shop.cart_by_user (user_id, item_id, qty, note) VALUES (?, ?, 1, {'a': 'b'}) IF NOT EXISTS USING TTL 60 AND TIMESTAMP ?;",
			want:  `shop.cart_by_user | user_id 1 ""#0 | item_id 1 ""#1 | qty 1 "1" | note 1 "{'a': 'b'}"`,
			shape: "INSERT INTO shop.cart_by_user (user_id, item_id, qty, note) VALUES (?, ?, ?, ?) IF NOT EXISTS USING ttl ? AND timestamp ?",
		},
		{
			name: "insert of JSON", client: true, text: `INSERT INTO a.b JSON '{"K": "it''s", "\"N\"": 7}'`,
			want: `a.b | k 1 "it's" | N 1 "7"`, shape: "INSERT INTO a.b JSON ?",
		},
		{
			name: "update", client: true, text: "UPDATE a.b USING TTL 5 SET v = v + {'x': 1}, m['k'] = ?, n = n - 1 WHERE k = :id AND c=2 IF EXISTS",
			want: `a.b | k 1 "id"#1 | c 1 "2"`, shape: "UPDATE a.b USING ttl ? SET v = v + ?, m[?] = ?, n = n - ? WHERE k = ? AND c = ? IF EXISTS",
		},
		{
			name: "delete", client: true, text: "DELETE v, m['x'] FROM a.b USING TIMESTAMP 9 WHERE k = now() AND (c, d) > (1, 2)",
			want: `a.b | k 1 "now()" | c,d 5 "1" "2"`, shape: "DELETE v, m[?] FROM a.b USING timestamp ? WHERE k = ? AND (c, d) > (?, ?)",
		},
		{
			name: "functions and other operators", client: true, text: "SELECT a FROM b WHERE k = 1 AND s CONTAINS KEY 'x' AND v LIKE '%a' AND w IS NOT NULL AND t > minTimeuuid('2020-01-01') PER PARTITION LIMIT 2 ALLOW FILTERING BYPASS CACHE",
			want:  `.b | k 1 "1" | s 11 "x" | v 14 "%a" | w 16 | t 5 "minTimeuuid('2020-01-01')"`,
			shape: "SELECT a FROM b WHERE k = ? AND s CONTAINS KEY ? AND v LIKE ? AND w IS NOT NULL AND t > ? PER PARTITION LIMIT 2 ALLOW FILTERING BYPASS cache",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Parser{Client: c.client}
			s, err := p.Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(s); got != c.want {
				t.Errorf("statement:\n got %s\nwant %s", got, c.want)
			}
			if got := string(s.AppendShape(nil)); got != c.shape {
				t.Errorf("shape:\n got %s\nwant %s", got, c.shape)
			}
		})
	}
}

func TestParseBatch(t *testing.T) {
	p := Parser{Client: true}
	s, err := p.Parse([]byte("BEGIN UNLOGGED BATCH USING TIMESTAMP 5 INSERT INTO a.b (k, v) VALUES (1, 'x;y'); insert into a.b(k,v) values(?,?) UPDATE a.c SET v = ? WHERE k = 3; DELETE FROM a.c WHERE k = ?; APPLY BATCH;"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(s.AppendShape(nil)), "BEGIN UNLOGGED BATCH USING timestamp ? INSERT INTO a.b (k, v) VALUES (?, ?); UPDATE a.c SET v = ? WHERE k = ?; DELETE FROM a.c WHERE k = ?; APPLY BATCH"; got != want {
		t.Errorf("shape:\n got %s\nwant %s", got, want)
	}
	if s.Kind != Batch || len(s.Statements) != 4 || s.Markers != 4 || s.Cut || s.Partitions(nil) != 4 {
		t.Errorf("got kind %d, %d statements, %d markers, cut %v", s.Kind, len(s.Statements), s.Markers, s.Cut)
	}
	if got := s.Statements[3].Where[0].Values[0].Marker; got != 3 {
		t.Errorf("marker of the last statement: got %d, want 3", got)
	}
}

func TestParseRefusesProse(t *testing.T) {
	var p Parser
	for _, text := range []string{"", "selection of a key", "we SELECT rows", "(see tombstone_warn_threshold)"} {
		if s, err := p.Parse([]byte(text)); err == nil {
			t.Errorf("%q was read as %s", text, show(s))
		}
	}
}

func TestParseCutByServer(t *testing.T) {
	var p Parser
	text := "SELECT * FROM shop.odd_keys WHERE k = '" + strings.Repeat("k", 512-39)
	s, err := p.Parse([]byte(text))
	if err != nil || !s.Cut {
		t.Fatalf("got %v, cut %v, want a cut statement", err, s.Cut)
	}
	if _, known := s.Key(nil, nil); known {
		t.Error("a cut value was taken for a key")
	}
}
