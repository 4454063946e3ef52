package cassandra

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"github.com/keyheat/keyheat/ingest/cql"
)

// randomValues make values of each type that a key may have.
var randomValues = map[string]func(r *rand.Rand) any{
	"ascii":     func(r *rand.Rand) any { return randomText(r, 0x20, 0x7f) },
	"text":      func(r *rand.Rand) any { return randomText(r, 0x01, 0x2fff) },
	"blob":      func(r *rand.Rand) any { return randomBytes(r, 1+r.IntN(40)) },
	"boolean":   func(r *rand.Rand) any { return r.IntN(2) == 1 },
	"tinyint":   func(r *rand.Rand) any { return int8(r.Uint32()) },
	"smallint":  func(r *rand.Rand) any { return int16(r.Uint32()) },
	"int":       func(r *rand.Rand) any { return int32(r.Uint32()) },
	"bigint":    func(r *rand.Rand) any { return int64(r.Uint64()) },
	"varint":    func(r *rand.Rand) any { return randomInt(r) },
	"decimal":   func(r *rand.Rand) any { return decimal{randomInt(r), int32(r.IntN(60) - 20)} },
	"float":     func(r *rand.Rand) any { return float32(r.NormFloat64() * 1e6) },
	"double":    func(r *rand.Rand) any { return r.NormFloat64() * 1e12 },
	"uuid":      func(r *rand.Rand) any { return randomUUID(r, 4) },
	"timeuuid":  func(r *rand.Rand) any { return randomUUID(r, 1) },
	"timestamp": func(r *rand.Rand) any { return time.UnixMilli(r.Int64N(8e12) - 4e12).UTC() },
	"date":      func(r *rand.Rand) any { return time.Unix(r.Int64N(4e9)-2e9, 0).UTC() },
	"time":      func(r *rand.Rand) any { return time.Duration(r.Int64N(int64(24 * time.Hour))) },
	"inet":      func(r *rand.Rand) any { return net.IP(randomBytes(r, 4+12*r.IntN(2))) },
	"frozen<list<int>>": func(r *rand.Rand) any {
		return []int32{int32(r.Uint32()), int32(r.Uint32())}[:r.IntN(3)]
	},
	"frozen<set<text>>":      func(r *rand.Rand) any { return []string{"a" + randomText(r, 0x20, 0x7f), "b"}[:1+r.IntN(2)] },
	"frozen<map<text, int>>": func(r *rand.Rand) any { return map[string]int32{randomText(r, 0x20, 0x7f): int32(r.Uint32())} },
}

// A decimal is unscaled × 10^-scale, stored as the scale and a varint.
type decimal struct {
	unscaled *big.Int
	scale    int32
}

// MarshalCQL gives the stored form.
func (d decimal) MarshalCQL(gocql.TypeInfo) ([]byte, error) {
	digits, err := gocql.Marshal(gocql.NewNativeType(4, gocql.TypeVarint, ""), d.unscaled)
	return append(binary.BigEndian.AppendUint32(nil, uint32(d.scale)), digits...), err
}

func randomText(r *rand.Rand, low, high int) string {
	text := make([]rune, 1+r.IntN(30))
	for i := range text {
		text[i] = rune(low + r.IntN(high-low))
	}
	return string(text)
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func randomInt(r *rand.Rand) *big.Int {
	n := new(big.Int).SetBytes(randomBytes(r, 1+r.IntN(20)))
	if r.IntN(2) == 0 {
		n.Neg(n)
	}
	return n
}

func randomUUID(r *rand.Rand, version byte) gocql.UUID {
	var u gocql.UUID
	binary.BigEndian.PutUint64(u[:], r.Uint64())
	binary.BigEndian.PutUint64(u[8:], r.Uint64())
	u[6], u[8] = u[6]&0x0f|version<<4, u[8]&0x3f|0x80
	return u
}

// A raw is a value as it is stored.
type raw []byte

// UnmarshalCQL keeps the bytes.
func (r *raw) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	*r = bytes.Clone(data)
	return nil
}

const tokenKeys = 10_000

func TestTokensAreThoseOfTheServer(t *testing.T) {
	s := connect(t, address(t), superuser)
	keyspace(t, s, "tokens", 1)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	all := slices.Sorted(maps.Keys(randomValues))
	for i, typ := range all {
		t.Run(typ, func(t *testing.T) { checkTokens(t, s, r, fmt.Sprintf("tokens.t%d", i), typ) })
	}
	t.Run("all as one key", func(t *testing.T) { checkTokens(t, s, r, "tokens.whole", all...) })
}

// checkTokens stores random keys and compares the server's token of each with the one of its bytes, and
// with the one of its text.
func checkTokens(t *testing.T, s *gocql.Session, r *rand.Rand, table string, types ...string) {
	names, defs := make([]string, len(types)), make([]string, len(types))
	for i, typ := range types {
		names[i] = fmt.Sprintf("k%d", i)
		defs[i] = names[i] + " " + typ
	}
	columns := strings.Join(names, ", ")
	run(t, s, fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY ((%s)))", table, strings.Join(defs, ", "), columns))
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", table, columns, strings.Repeat(", ?", len(types)-1))
	store(t, s, insert, func() []any {
		values := make([]any, len(types))
		for i, typ := range types {
			values[i] = randomValues[typ](r)
		}
		return values
	})
	stored, cells, token := make([]raw, len(types)), make([]any, 0, len(types)+1), int64(0)
	for i := range stored {
		cells = append(cells, &stored[i])
	}
	rows := s.Query(fmt.Sprintf("SELECT %s, token(%s) FROM %s", columns, columns, table)).PageSize(1000).Iter()
	seen, wrong := 0, 0
	for ; rows.Scan(append(cells, &token)...); seen++ {
		if why := tokenFault(types, stored, token); why != "" && wrong < 5 {
			wrong++
			t.Errorf("%x: %s", stored, why)
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d different keys", seen)
	if least := 2; seen < least { // a boolean has no more
		t.Errorf("%d keys read, want at least %d", seen, least)
	}
}

// tokenFault says what differs from the server's token, empty when nothing does.
func tokenFault(types []string, stored []raw, want int64) string {
	parts, texts := make([][]byte, len(types)), make([][]byte, len(types))
	for i := range stored {
		text, err := cql.AppendText(nil, types[i], stored[i])
		if err != nil {
			return err.Error()
		}
		parts[i], texts[i] = stored[i], text
	}
	if got := cql.Token(cql.AppendPartitionKey(nil, parts...)); got != want {
		return fmt.Sprintf("token %d, the server's is %d", got, want)
	}
	if got, err := cql.TokenOf(types, texts); err != nil || got != want {
		return fmt.Sprintf("as %s: token %d, the server's is %d, %v", texts, got, want, err)
	}
	return ""
}

// store inserts keys in batches.
func store(t *testing.T, s *gocql.Session, insert string, next func() []any) {
	t.Helper()
	const batch = 50
	for range tokenKeys / batch {
		b := s.NewBatch(gocql.UnloggedBatch)
		for range batch {
			b.Query(insert, next()...)
		}
		if err := s.ExecuteBatch(b); err != nil {
			t.Fatal(err)
		}
	}
}
