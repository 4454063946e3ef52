package awsjson

import (
	"bytes"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// reasons are texts of a refusal for rate and what they tell, the more telling first. The first ones are
// parts of the words of ThrottlingReasons, {Table|Index}{Read|Write}{...Exceeded}; then messages of
// DynamoDB; then names of its exceptions, which tell no reason.
var reasons = []struct {
	text   []byte
	reason ingest.Throttle
}{
	{[]byte("KeyRangeThroughputExceeded"), ingest.ThrottledKeyRange},
	{[]byte("AccountLimitExceeded"), ingest.ThrottledAccount},
	{[]byte("MaxOnDemandThroughputExceeded"), ingest.ThrottledMaximum},
	{[]byte("IndexReadProvisionedThroughputExceeded"), ingest.ThrottledIndex},
	{[]byte("IndexWriteProvisionedThroughputExceeded"), ingest.ThrottledIndex},
	{[]byte("TableReadProvisionedThroughputExceeded"), ingest.ThrottledTable},
	{[]byte("TableWriteProvisionedThroughputExceeded"), ingest.ThrottledTable},
	{[]byte("provisioned throughput for one or more global secondary indexes"), ingest.ThrottledIndex},
	{[]byte("current capacity for one or more global secondary indexes"), ingest.ThrottledIndex},
	{[]byte("provisioned throughput for the index"), ingest.ThrottledIndex},
	{[]byte("level of configured provisioned throughput"), ingest.ThrottledTable},
	{[]byte("maximum OnDemandThroughput configured"), ingest.ThrottledMaximum},
	{[]byte("Throughput exceeds the current"), ingest.ThrottledUnknown}, // capacity of your table or index: scaling, or a hot key
	{[]byte("RequestLimitExceeded"), ingest.ThrottledAccount},
	{[]byte("Throughput exceeds the current throughput limit for your account"), ingest.ThrottledAccount},
}

// exceptions name a refusal for rate without a reason; other services throw them as well.
var exceptions = listOf(
	"ProvisionedThroughputExceeded", "ThrottlingException", "ThrottlingError", "ThrottledException",
)

// Reason gives why DynamoDB refused a request for rate, from the name, the message or the reasons of the
// error that text holds; NotThrottled when it was not refused for rate.
func Reason(text []byte) ingest.Throttle {
	if bytes.Contains(text, []byte("throughput limit for your account")) {
		return ingest.ThrottledAccount
	}
	for _, r := range reasons {
		if bytes.Contains(text, r.text) {
			return r.reason
		}
	}
	for _, e := range exceptions {
		if bytes.Contains(text, e) {
			return ingest.ThrottledUnknown
		}
	}
	return ingest.NotThrottled
}

// ForIndex gives why a request that names no index was refused, when it was an index of its table that could not take it: its
// key range or its own maximum say nothing of the table's. The quota of the account is that of both.
func ForIndex(reason ingest.Throttle, text []byte) ingest.Throttle {
	own := reason == ingest.ThrottledKeyRange || reason == ingest.ThrottledMaximum
	if own && (bytes.Contains(text, []byte("IndexWrite")) || bytes.Contains(text, []byte("IndexRead"))) {
		return ingest.ThrottledIndex
	}
	return reason
}

// ReasonsFor gives the table and the index that ThrottlingReasons name, as the first of them does.
func ReasonsFor(text []byte) (table, index []byte) {
	i := bytes.Index(text, []byte("hrottlingReasons"))
	if i < 0 {
		return nil, nil
	}
	return Resource(text[i:])
}

// said are texts that only an error of DynamoDB has, not a page that explains it.
var said = listOf(
	"level of configured provisioned throughput for", "Throughput exceeds the current capacity", "Throughput exceeds the maximum OnDemandThroughput",
	"Throughput exceeds the current throughput limit for your account", "ThroughputExceeded'", `ThroughputExceeded"`, `ThroughputExceeded\"`,
	"AccountLimitExceeded'", `AccountLimitExceeded"`, `AccountLimitExceeded\"`, "throughput for your account",
)

// named are names of errors, which are one when they come with a message or in an object.
var named = listOf("ProvisionedThroughputExceeded", "ThrottlingException", "RequestLimitExceeded")

// Refused reports whether text holds an error by which DynamoDB refused a request for rate.
func Refused(text []byte) bool {
	if bytes.Contains(text, []byte("Throughput")) || bytes.Contains(text, []byte("throughput")) || bytes.Contains(text, []byte("AccountLimit")) {
		for _, s := range said {
			if bytes.Contains(text, s) {
				return true
			}
		}
	}
	return canceledForRate(text) || slices.ContainsFunc(named, func(name []byte) bool { return throws(text, name) }) && ofDynamoDB(text)
}

// canceledForRate reports whether text holds the error of a transaction of which a part was refused for rate: the reasons are
// listed at its end, [None, ThrottlingError], or in objects, {"Code":"ThrottlingError", …}.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func canceledForRate(text []byte) bool {
	_, list, found := bytes.Cut(text, []byte("ancellation"))
	if !found {
		return false
	}
	if _, after, found := bytes.Cut(list, []byte("specific reasons [")); found {
		inside, _, _ := bytes.Cut(after, []byte("]"))
		return slices.ContainsFunc(exceptions, func(name []byte) bool { return bytes.Contains(inside, name) })
	}
	return slices.ContainsFunc(exceptions, func(name []byte) bool { return throws(list, name) })
}

// CollectionFull reports whether text holds the error of a write that an item collection at its limit refused.
func CollectionFull(text []byte) bool { return throws(text, collectionLimit) }

// Complains reports whether text holds an error that DynamoDB alone has and that is none for rate.
func Complains(text []byte) bool {
	return slices.ContainsFunc(otherErrors, func(name []byte) bool { return throws(text, name) })
}

var (
	collectionLimit = []byte("ItemCollectionSizeLimitExceeded")
	otherErrors     = append(listOf("ConditionalCheckFailed", "TransactionConflict", "TransactionCanceled", "TransactionInProgress"), collectionLimit)
)

// throws reports whether text holds the error of that name as one that happened.
func throws(text, name []byte) bool {
	for rest := text; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		if rest = bytes.TrimPrefix(rest[i+len(name):], []byte("Exception")); thrown(rest) {
			return true
		}
	}
}

// thrown reports whether what follows the name of an error makes it one that happened: ": message",
// ") when calling", a closing quote, a member of an object.
func thrown(after []byte) bool {
	return len(after) > 0 && (after[0] == ':' || after[0] == ')' || after[0] == '"' || after[0] == '\'' || after[0] == '\\' || after[0] == '(' || after[0] == '{')
}

// ofDynamoDB reports whether an error whose name other services use as well is DynamoDB's.
func ofDynamoDB(text []byte) bool {
	for _, word := range []string{"dynamodb", "DynamoDb", "DynamoDB", "Dynamo", "PutItem", "UpdateItem", "GetItem", "DeleteItem", "WriteItem"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// NamedTable gives the table that text names as a member: tableName=Orders, "TableName": "Orders".
func NamedTable(text []byte) []byte {
	for _, label := range []string{"TableName", "tableName", "table_name"} {
		i := bytes.Index(text, []byte(label))
		if i < 0 {
			continue
		}
		rest := bytes.TrimLeft(text[i+len(label):], `"'\`)
		if len(rest) == 0 || rest[0] != ':' && rest[0] != '=' {
			continue
		}
		if table, _ := name(bytes.TrimLeft(rest[1:], ` "'\`)); len(table) > 2 {
			return table
		}
	}
	return nil
}

// attemptWords stand before the number of attempts that an SDK made, or of retries, which are one less: of Python, of
// Java, of Go, of JavaScript as it prints an error and as JSON.
var attemptWords = []struct {
	text    []byte
	retries bool
}{
	{[]byte("(reached max retries: "), true},
	{[]byte("SDK Attempt Count: "), false},
	{[]byte("exceeded maximum number of attempts, "), false},
	{[]byte("attempts: "), false},
	{[]byte(`"attempts":`), false},
}

// mostRetries is more than any SDK is told to do.
const mostRetries = 100

// Retries gives how many attempts an SDK made at a request after the first, before it gave up with the error that text
// holds; 0 when it does not say.
func Retries(text []byte) uint64 {
	for _, w := range attemptWords {
		i := bytes.Index(text, w.text)
		if i < 0 {
			continue
		}
		n := uint64(0)
		for _, c := range bytes.TrimLeft(text[i+len(w.text):], " ") {
			if c -= '0'; c > 9 || n > mostRetries {
				break
			}
			n = 10*n + uint64(c)
		}
		if !w.retries {
			n = max(n, 1) - 1
		}
		if n <= mostRetries {
			return n
		}
	}
	return 0
}

// listOf makes byte slices of texts that are searched for: made at each search, longer ones cost memory.
func listOf(texts ...string) (list [][]byte) {
	for _, t := range texts {
		list = append(list, []byte(t))
	}
	return list
}
