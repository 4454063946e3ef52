package dynamo

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
)

// wire writes the SDK's values as JSON with the names that the API gives them, which is also what the
// AWS command line prints and what formats read.
type wire struct {
	protocol  *awsjson.Protocol
	operation *smithy.OperationSchema
}

func newWire() wire {
	return wire{
		protocol: awsjson.New10(schemas.DynamoDBStreams_20120810),
		// Any operation with an input will do: only the value's own schema reaches the text.
		operation: smithy.NewOperationSchema(schemas.GetRecords, schemas.GetRecordsInput, schemas.GetRecordsOutput),
	}
}

// slack is what a record's bytes must have behind them: ingest.Record.
const slack = 64

// object appends a value to dst, which holds nothing or the beginning of an object, {"Name":…, to which the
// value's members are added.
func (w wire) object(dst []byte, value smithy.Serializable) ([]byte, error) {
	req := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	if err := w.protocol.SerializeRequest(context.Background(), w.operation, value, req); err != nil {
		return dst, fmt.Errorf("writing an answer as JSON: %w", err)
	}
	text, err := io.ReadAll(req.GetStream())
	if err != nil {
		return dst, err
	}
	if len(dst) > 0 {
		text = text[1:] // the bracket
		if len(text) > 1 {
			dst = append(dst, ',')
		}
	}
	dst = append(dst, text...)
	return append(dst, make([]byte, slack)...)[:len(dst)], nil
}
