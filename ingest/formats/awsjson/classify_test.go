package awsjson

import "testing"

func TestKindsOfJSONAreToldApart(t *testing.T) {
	for text, want := range map[string]Kind{
		`{"Records":[{"eventID":"1","eventSource":"aws:dynamodb","dynamodb":{}}]}`:                      Stream,
		`[{"eventSource":"aws:dynamodb"}]`:                                                              Stream,
		`{"Records":[],"NextShardIterator":"arn:aws:dynamodb:eu-west-1:1:table/T/stream/x|1|A"}`:        Stream,
		`{"Records":[],"NextShardIterator":"AAAA","MillisBehindLatest":0}`:                              Other,
		`{"Records":[{"eventVersion":"1.1","userIdentity":{},"eventSource":"dynamodb.amazonaws.com"}]}`: Trail,
		`{"Records":[{"eventVersion":"1.1","eventSource":"s3.amazonaws.com","requestParameters":{}}]}`:  Trail,
		`{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","s3":{}}]}`:                           Other,
		`{"Item":{"pk":{"S":"a"}}}`:                                      Export,
		"{\"Metadata\":{\"WriteTimestampMicros\":1},\"Keys\":{}}":        Export,
		`{"Keys":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"}}}`:          Export,
		"\"x\": {\"N\": \"25\"}}}\n{\"Item\": {\"Id\": {\"S\": \"3\"}}}": Export,
		`{"Items":[{"pk":{"S":"a"}}],"Count":1}`:                         Scan,
		`{"Items":[],"Count":0,"ScannedCount":0}`:                        Scan,
		`{"Items":["book"],"total":1}`:                                   Other,
		`{"KeyLabels":["PartitionKey"]}`:                                 Insights,
		`{"MetricDataResults":[]}`:                                       Metrics,
		`{"Label":"x","Datapoints":[]}`:                                  Metrics,
		`[{"Id":"m0","MetricStat":{}}]`:                                  Metrics,
		`{"metric_stream_name":"s","metric_name":"n"}`:                   Metrics,
		`{"Table":{"TableName":"T","KeySchema":[]}}`:                     Description,
		`{"Metrics":[{"Namespace":"AWS/DynamoDB","MetricName":"n"}]}`:    Description,
		`{"ConsumedCapacity":{"TableName":"T"}}`:                         Description,
		`{"table":"orders","pk":"a","op":"read"}`:                        Other,
		`{"message":"hello"}`:                                            Other,
		"plain text {\"Item\":{}}\n":                                     Other,
		"":                                                               Other,
		"{":                                                              Other,
		"\xEF\xBB\xBF{\"Item\":{\"pk\":{\"S\":\"a\"}}}":                  Export,
	} {
		if got := Classify([]byte(text)); got != want {
			t.Errorf("%q: got kind %d, want %d", text, got, want)
		}
	}
}

func TestJSONAmidTextIsFound(t *testing.T) {
	const stream = "{\n  \"Records\": [\n    {\"eventID\": \"1\", \"eventSource\": \"aws:dynamodb\", \"dynamodb\": {}}]}"
	for text, want := range map[string]Kind{
		"#### INSERT\n\n```json\n" + stream + "\n```\n":                                            Stream,
		"module.exports = " + stream + "\n":                                                        Stream,
		"2026-11-02 10:00:01 INFO handler - got " + stream + "\n":                                  Stream,
		"  \"Keys\": {\"pk\": {\"S\": \"a\"}}}},\n    {\"eventSource\": \"aws:dynamodb\"}]}":       Stream,
		"    aws cloudwatch get-insight-rule-report\n\nOutput::\n\n    {\n  \"KeyLabels\": []}\n":  Insights,
		"$ aws dynamodb describe-table --table-name T\n{\n  \"Table\": {\"KeySchema\": []}}\n":     Description,
		"$ aws dynamodb scan\n{\"Items\":[],\"Count\":0,\"ScannedCount\":0}\n":                     Scan,
		"plain text {\"Item\":{}}\n":                                                               Export,
		"10:00:01 called with {\"ConsumedCapacity\":{\"TableName\":\"T\"}}\n":                      Other, // a log that has it by the way
		"Use [this](page) with {curly} words, or {\"Version\": \"2012-10-17\", \"Statement\": []}": Other,
		stream:  Other, // begins with it: Classify tells
		"":      Other,
		"{":     Other,
		"a {":   Other,
		"a {\"": Other,
	} {
		if got := ClassifyAmid([]byte(text)); got != want {
			t.Errorf("%q: got kind %d, want %d", text, got, want)
		}
	}
}
