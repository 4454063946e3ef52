package aws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// dynamodbLens is the peer that tells how many partitions a table has, from PyPI.
const dynamodbLens = "dynamodb-lens==25.8.dev1"

// lensPython gives the Python of a virtual environment that has the peer.
var lensPython = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "keyheat", dynamodbLens)
	path, ready := filepath.Join(dir, "bin/python"), filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return path, nil
	}
	for _, command := range [][]string{{"python3", "-m", "venv", "--clear", dir}, {filepath.Join(dir, "bin/pip"), "install", "-q", "--disable-pip-version-check", dynamodbLens}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", command[0], err, bytes.TrimSpace(out))
		}
	}
	return path, os.WriteFile(ready, nil, 0o644)
})

// peerPartitions gives what the peer says of a table, and by which of its methods.
func peerPartitions(t *testing.T, address, table string) (partitions uint64, method string) {
	t.Helper()
	python, err := lensPython()
	if err != nil {
		missing(t, "no dynamodb-lens: install the packages python3 and python3-venv, and let pip reach its index: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-m", "dynamodb_lens.cli", "--table_name", table)
	cmd.Env = append(os.Environ(), "AWS_DEFAULT_REGION="+region, "AWS_ENDPOINT_URL="+address)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var said struct {
		Summary struct {
			Estimations struct {
				Partitions       uint64
				EstimationMethod string
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		t.Fatalf("dynamodb-lens: %v\n%s\n%s", err, out, &errs)
	}
	return said.Summary.Estimations.Partitions, said.Summary.Estimations.EstimationMethod
}

// The peer prints one number as fact; keyheat the sources that each of its numbers comes from. Where it reads the same, it
// is the same number: open shards and a new on-demand table as they are, capacity doubled, since it takes tables for ready
// to serve twice their load, of which the service's limits say nothing.
func TestPartitionsAreThoseOfThePeerBySource(t *testing.T) {
	server := ministack.at(t)
	c := dynamodb.NewFromConfig(settings(t, server))
	table := func(name string, in dynamodb.CreateTableInput) {
		in.TableName = &name
		in.AttributeDefinitions = []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}}
		in.KeySchema = []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}}
		if _, err := c.CreateTable(t.Context(), &in); err != nil {
			t.Fatal(err)
		}
	}
	table("LensNew", dynamodb.CreateTableInput{BillingMode: types.BillingModePayPerRequest})
	table("LensStream", dynamodb.CreateTableInput{BillingMode: types.BillingModePayPerRequest, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly}})
	table("LensReads", dynamodb.CreateTableInput{ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(10000), WriteCapacityUnits: aws.Int64(2500)}})
	table("LensWrites", dynamodb.CreateTableInput{ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(100), WriteCapacityUnits: aws.Int64(6001)}})
	for _, tt := range []struct {
		table, method string
		times         uint64 // the peer's number is that of our source so many times
		source        string
	}{
		{"LensNew", "OnDemandBaseSpecs", 1, "about %d by on demand"},
		{"LensStream", "StreamOpenShards", 1, "about %d by open shards"},
		{"LensReads", "CurrentProvisionedRCU", 2, "at least %d by provisioned"},
		{"LensWrites", "CurrentProvisionedWCU", 2, "at least %d by provisioned"},
	} {
		t.Run(tt.table, func(t *testing.T) {
			t.Parallel()
			peer, method := peerPartitions(t, server, tt.table)
			r, _ := analyze(t, "dynamodb://"+tt.table+"?region="+region+"&endpoint="+url.QueryEscape(server), "--for", "15s")
			notes := strings.Join(r.Notes, "\n")
			if want := fmt.Sprintf(tt.source, peer/tt.times); method != tt.method || !strings.Contains(notes, want) {
				t.Errorf("the peer says %d by %s (want %s); no %q in\n%s", peer, method, tt.method, want, notes)
			}
		})
	}
}
