package cql

import "testing"

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"4.0", "SELECT * FROM shop.orders_by_day WHERE region, day = us-east, 2026-11-20 AND order_id > cb16dd96-ec9d-11f1-b756-17592b04f12f LIMIT 5000"},
		{"5.0", "SELECT * FROM shop.jobs WHERE queue = 'mail-out' LIMIT 10 ALLOW FILTERING"},
	} {
		text := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			var p Parser
			var shape []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s, err := p.Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				shape = s.AppendShape(shape[:0])
			}
		})
	}
}

func BenchmarkKeyByToken(b *testing.B) {
	text, token, other := []byte("SELECT * FROM shop.jobs WHERE queue = 'mail-out' LIMIT 10 ALLOW FILTERING"), int64(-723131647711362390), int64(1)
	for _, c := range []struct {
		name  string
		token *int64
	}{{"right", &token}, {"wrong", &other}} {
		b.Run(c.name, func(b *testing.B) {
			var p Parser
			b.ReportAllocs()
			for b.Loop() {
				s, err := p.Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				if _, known := s.Key(nil, c.token); known != (c.token == &token) {
					b.Fatal(known)
				}
			}
		})
	}
}

func BenchmarkToken(b *testing.B) {
	key := []byte("000765752d776573740000048000512900")
	b.SetBytes(int64(len(key)))
	for b.Loop() {
		Token(key)
	}
}

func TestUsualStatementsCostNoMemory(t *testing.T) {
	token := int64(-723131647711362390)
	for _, text := range []string{
		"SELECT * FROM shop.jobs WHERE queue = 'mail-out' LIMIT 10 ALLOW FILTERING",
		"SELECT * FROM shop.jobs WHERE queue = mail-out LIMIT 10",
		"SELECT a, b FROM shop.t WHERE k, l = us-east, 2026-11-20 AND c > 5 ORDER BY (c DESC) LIMIT 5000",
	} {
		var p Parser
		var shape []byte
		b := []byte(text)
		run := func() {
			s, err := p.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			shape = s.AppendShape(shape[:0])
			s.Key(nil, nil)
			s.Scan(nil)
			if len(s.Where[0].Columns) == 1 {
				s.Key(nil, &token)
			}
		}
		run()
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%s: got %g allocations, want 0", text, got)
		}
	}
}
