package dynamo

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
)

func TestARecordIsWrittenAsAFunctionGetsItInOneOrder(t *testing.T) {
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	rec := &types.Record{
		EventID: aws.String("1f"), EventName: types.OperationTypeModify, EventSource: aws.String("aws:dynamodb"),
		UserIdentity: &types.Identity{PrincipalId: aws.String("dynamodb.amazonaws.com"), Type: aws.String("Service")},
		Dynamodb: &types.StreamRecord{
			ApproximateCreationDateTime: aws.Time(time.Unix(1793610000, 25e7)),
			Keys:                        map[string]types.AttributeValue{"pk": &types.AttributeValueMemberN{Value: "7"}},
			OldImage:                    map[string]types.AttributeValue{},
			NewImage: map[string]types.AttributeValue{
				"z": s("<&\u2028\x00"), "y": &types.AttributeValueMemberB{Value: []byte{0xff}}, "x": &types.AttributeValueMemberBOOL{Value: true},
				"w": &types.AttributeValueMemberNULL{Value: true}, "v": &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
				"u": &types.AttributeValueMemberNS{Value: []string{"2"}}, "t": &types.AttributeValueMemberBS{Value: [][]byte{{1}}},
				"m": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"d": s("1"), "c": s("2"), "b": s("3"), "a": s("4")}},
				"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("b"), s("a")}},
			},
		},
	}
	const want = `{"eventSourceARN":"arn","eventID":"1f","eventName":"MODIFY","eventSource":"aws:dynamodb","userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"},` +
		`"dynamodb":{"ApproximateCreationDateTime":1793610000.250000000,"Keys":{"pk":{"N":"7"}},"NewImage":{` +
		`"l":{"L":[{"S":"b"},{"S":"a"}]},"m":{"M":{"a":{"S":"4"},"b":{"S":"3"},"c":{"S":"2"},"d":{"S":"1"}}},` +
		`"t":{"BS":["AQ=="]},"u":{"NS":["2"]},"v":{"SS":["b","a"]},"w":{"NULL":true},"x":{"BOOL":true},"y":{"B":"/w=="},"z":{"S":"\u003c\u0026\u2028\u0000"}}}}`
	for range 20 {
		got, err := appendRecord(nil, "arn", rec)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(got), want); d != "" || cap(got) < len(got)+slack {
			t.Fatalf("with %d bytes behind it (-got +want):\n%s", cap(got)-len(got), d)
		}
	}
	rec.Dynamodb.NewImage["m"] = &types.UnknownUnionMember{Tag: "Z"}
	if _, err := appendRecord(nil, "arn", rec); err == nil || !strings.Contains(err.Error(), "type that is not known") {
		t.Errorf("error %v", err)
	}
}
