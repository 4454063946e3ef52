// Package cassandra tests keyheat on a real Apache Cassandra, which the tests fetch from Maven's central
// repository and start on loopback. It holds nothing but tests.
package cassandra
