package cql

// Token is the token that Cassandra's Murmur3Partitioner and Scylla give to a serialised partition key.
func Token(key []byte) int64 { return 0 }

// AppendPartitionKey appends the serialised partition key with these stored component values: a single
// component stands for itself, several each get their length before and a zero byte behind.
func AppendPartitionKey(dst []byte, components ...[]byte) []byte { return dst }

// SplitPartitionKey is the inverse of AppendPartitionKey for a key of n components.
func SplitPartitionKey(key []byte, n int) (components [][]byte, ok bool) { return nil, false }

// TokenOf is the token of the partition key with components of these types that the literals print.
func TokenOf(types []string, literals [][]byte) (int64, error) { return 0, ErrValue }
