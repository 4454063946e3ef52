package aws

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// commandLine is the AWS command line that is installed when the machine has none.
const commandLine = "awscli==1.46.2"

// awsCLI gives the AWS command line: the machine's, else one in a virtual environment of its own.
var awsCLI = sync.OnceValues(func() (string, error) {
	if path, err := exec.LookPath("aws"); err == nil {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "keyheat", "aws-cli")
	path := filepath.Join(dir, "bin/aws")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	for _, command := range [][]string{{"python3", "-m", "venv", "--clear", dir}, {filepath.Join(dir, "bin/pip"), "install", "-q", "--disable-pip-version-check", commandLine}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", command[0], err, bytes.TrimSpace(out))
		}
	}
	return path, nil
})

// pasteable runs keyheat analyze --ddl on a folder and gives the calls of a kind of proposal, those that undo
// it apart.
func pasteable(t *testing.T, dir, kind string) (calls, undo []string) {
	t.Helper()
	out, stderr, code := keyheat(t, "analyze", "--quiet", "--ddl", "--format", "json", dir)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r := struct {
		Findings []struct {
			Proposals []struct{ Kind, Script string }
		}
	}{}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		for _, p := range f.Proposals {
			if p.Kind != kind || len(calls) > 0 {
				continue
			}
			for line := range strings.Lines(p.Script) {
				switch line = strings.TrimSpace(line); {
				case strings.HasPrefix(line, "aws "):
					calls = append(calls, line)
				case strings.HasPrefix(line, "# aws "):
					undo = append(undo, strings.TrimPrefix(line, "# "))
				}
			}
		}
	}
	if len(calls) == 0 {
		t.Fatalf("no proposal of kind %s with calls:\n%s", kind, out)
	}
	return calls, undo
}

// paste runs calls by a shell, as a person would.
func paste(t *testing.T, url string, calls []string) {
	t.Helper()
	cli, err := awsCLI()
	if err != nil {
		missing(t, "no AWS command line: install the packages python3 and python3-venv, and let pip reach its index: %v", err)
	}
	for _, call := range calls {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(call, "aws ", cli+" --endpoint-url "+url+" --region "+region+" ", 1))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", call, err, out)
		}
	}
}

func describeTable(t *testing.T, c *dynamodb.Client, name string) *types.TableDescription {
	t.Helper()
	d, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	return d.Table
}

// provision makes the table that a fixture tells of.
func provision(t *testing.T, c *dynamodb.Client, name string, read, write int64) {
	t.Helper()
	_, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{TableName: &name,
		AttributeDefinitions:  []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}, {AttributeName: aws.String("sk"), AttributeType: "S"}},
		KeySchema:             []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}, {AttributeName: aws.String("sk"), KeyType: "RANGE"}},
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name}) })
}

// The calls of capacity do what the proposal says, and their undo takes it back.
func TestTheCallsToPasteRun(t *testing.T) {
	url := moto.at(t)
	c := dynamodb.NewFromConfig(settings(t, url))
	provision(t, c, "jobs", 100, 500)
	const short = root + "/fixtures/remedies/short-table"

	calls, undo := pasteable(t, short, "provisioned-capacity")
	paste(t, url, withoutInsights(calls))
	if got := *describeTable(t, c, "jobs").ProvisionedThroughput.WriteCapacityUnits; got != 799 {
		t.Errorf("%d write units after the change, want 799", got)
	}
	paste(t, url, undo)
	if got := *describeTable(t, c, "jobs").ProvisionedThroughput.WriteCapacityUnits; got != 500 {
		t.Errorf("%d write units after the undo, want 500", got)
	}

	calls, undo = pasteable(t, short, "on-demand")
	paste(t, url, withoutInsights(calls))
	if got := describeTable(t, c, "jobs").BillingModeSummary; got == nil || got.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("billing mode after the change: %v, want on demand", got)
	}
	paste(t, url, undo)
	if got := describeTable(t, c, "jobs"); *got.ProvisionedThroughput.WriteCapacityUnits != 500 {
		t.Errorf("%d write units after the undo, want 500", *got.ProvisionedThroughput.WriteCapacityUnits)
	}
}

// withoutInsights leaves out Contributor Insights, which moto does not have.
func withoutInsights(calls []string) []string {
	var out []string
	for _, call := range calls {
		if !strings.Contains(call, "contributor-insights") {
			out = append(out, call)
		}
	}
	return out
}

// ministack has Contributor Insights.
func TestTheCallsOfContributorInsightsRun(t *testing.T) {
	url := ministack.at(t)
	c := dynamodb.NewFromConfig(settings(t, url))
	provision(t, c, "jobs", 100, 500)
	calls, _ := pasteable(t, root+"/fixtures/remedies/short-table", "provisioned-capacity")
	paste(t, url, calls)
	got, err := c.DescribeContributorInsights(t.Context(), &dynamodb.DescribeContributorInsightsInput{TableName: aws.String("jobs")})
	if err != nil || got.ContributorInsightsStatus != types.ContributorInsightsStatusDisabled && got.ContributorInsightsStatus != types.ContributorInsightsStatusDisabling {
		t.Errorf("Contributor Insights after all calls: %v, %v, want disabled", got, err)
	}
}

// Warm throughput and a time to live.
func TestOtherCallsAreTakenByTheCommandLine(t *testing.T) {
	url := moto.at(t)
	c := dynamodb.NewFromConfig(settings(t, url))
	provision(t, c, "feed", 1, 1)
	provision(t, c, "orders", 1, 1)
	calls, _ := pasteable(t, root+"/fixtures/remedies/short-on-demand", "warm-throughput")
	paste(t, url, withoutInsights(calls))
	calls, _ = pasteable(t, root+"/fixtures/remedies/hot-tenant", "ttl-deletes")
	paste(t, url, withoutInsights(calls))
	ttl, err := c.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("orders")})
	if err != nil || ttl.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusEnabled || *ttl.TimeToLiveDescription.AttributeName != "expires_at" {
		t.Errorf("time to live: %+v, %v, want enabled", ttl, err)
	}
}
