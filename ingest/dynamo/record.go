package dynamo

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// A wireRecord is a stream record with the names that the API gives it. The SDK writes the attributes of an image in any
// order, anew each time; here they stand in order of their names, as a format that compares two images needs them.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html
type wireRecord struct {
	Stream string        `json:"eventSourceARN"`
	ID     string        `json:"eventID,omitempty"`
	Name   string        `json:"eventName"`
	Source string        `json:"eventSource,omitempty"`
	User   *wireIdentity `json:"userIdentity,omitempty"`
	Change wireChange    `json:"dynamodb"`
}

type wireIdentity struct {
	Principal string `json:"principalId"`
	Type      string `json:"type"`
}

type wireChange struct {
	Time     json.Number `json:"ApproximateCreationDateTime,omitempty"`
	Keys     wireItem    `json:"Keys,omitempty"`
	NewImage wireItem    `json:"NewImage,omitempty"`
	OldImage wireItem    `json:"OldImage,omitempty"`
}

// A wireItem is attributes by name, each an object of one member: its type.
type wireItem map[string]map[string]any

// appendRecord appends a record of a stream to dst, as a Lambda function gets it, and leaves the slack behind it.
func appendRecord(dst []byte, stream string, rec *types.Record) ([]byte, error) {
	d := rec.Dynamodb
	out := wireRecord{Stream: stream, ID: aws.ToString(rec.EventID), Name: string(rec.EventName), Source: aws.ToString(rec.EventSource)}
	if u := rec.UserIdentity; u != nil {
		out.User = &wireIdentity{aws.ToString(u.PrincipalId), aws.ToString(u.Type)}
	}
	if t := d.ApproximateCreationDateTime; t != nil {
		out.Change.Time = seconds(*t)
	}
	for _, x := range []struct {
		from map[string]types.AttributeValue
		to   *wireItem
	}{{d.Keys, &out.Change.Keys}, {d.NewImage, &out.Change.NewImage}, {d.OldImage, &out.Change.OldImage}} {
		item, err := wireItemOf(x.from)
		if err != nil {
			return dst, err
		}
		*x.to = item
	}
	text, err := json.Marshal(&out)
	if err != nil {
		return dst, fmt.Errorf("writing a record as JSON: %w", err)
	}
	dst = append(dst, text...)
	return append(dst, make([]byte, slack)...)[:len(dst)], nil
}

// seconds writes a time as Unix seconds, with a fraction where it has one.
func seconds(t time.Time) json.Number {
	whole := fmt.Sprint(t.Unix())
	if n := t.Nanosecond(); n != 0 && t.Unix() >= 0 {
		whole += fmt.Sprintf(".%09d", n)
	}
	return json.Number(whole)
}

func wireItemOf(attributes map[string]types.AttributeValue) (wireItem, error) {
	if attributes == nil {
		return nil, nil
	}
	item := wireItem{}
	for name, value := range attributes {
		v, err := wireValue(value)
		if err != nil {
			return nil, err
		}
		item[name] = v
	}
	return item, nil
}

func wireValue(value types.AttributeValue) (map[string]any, error) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}, nil
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}, nil
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}, nil
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}, nil
	case *types.AttributeValueMemberNULL:
		return map[string]any{"NULL": v.Value}, nil
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}, nil
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}, nil
	case *types.AttributeValueMemberBS:
		return map[string]any{"BS": v.Value}, nil
	case *types.AttributeValueMemberM:
		item, err := wireItemOf(v.Value)
		return map[string]any{"M": item}, err
	case *types.AttributeValueMemberL:
		list := make([]map[string]any, len(v.Value))
		for i := range v.Value {
			var err error
			if list[i], err = wireValue(v.Value[i]); err != nil {
				return nil, err
			}
		}
		return map[string]any{"L": list}, nil
	}
	return nil, fmt.Errorf("an attribute of a type that is not known: %T", value)
}
