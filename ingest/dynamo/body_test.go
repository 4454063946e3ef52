package dynamo

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// A bodyKeeper keeps the body of the last request, as a transport does that answered before it looked whether there
// is more of it.
type bodyKeeper struct{ body io.ReadCloser }

func (k *bodyKeeper) Do(r *http.Request) (*http.Response, error) {
	k.body = r.Body
	return nil, errors.New("no answer")
}

func TestTheEndOfABodyIsNoErrorToATransportThatLooksForItLate(t *testing.T) {
	newFakeAWS(t, grownStream(1))
	cfg, err := (&address{region: "eu-west-1"}).config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, objects := newFakeS3(t, map[string]string{})
	ofObjects, err := objects.load()
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(http *bodyKeeper) error{
		"of a table": func(keeper *bodyKeeper) error {
			cfg.HTTPClient = keeper
			_, err := dynamodb.NewFromConfig(cfg).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("Orders")})
			return err
		},
		"of an object": func(keeper *bodyKeeper) error {
			ofObjects.HTTPClient = keeper
			_, err := s3.NewFromConfig(ofObjects).PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("logs"), Key: aws.String("a"), Body: strings.NewReader("text")})
			return err
		},
	} {
		keeper := &bodyKeeper{}
		if err := ask(keeper); err == nil || keeper.body == nil {
			t.Errorf("%s: error %v, body %v", name, err, keeper.body)
			continue
		}
		if n, err := io.Copy(io.Discard, keeper.body); n != 0 || err != nil {
			t.Errorf("%s: %d bytes after its end, error %v", name, n, err)
		}
	}
}
