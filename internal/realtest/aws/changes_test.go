package aws

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// rename gives 60 customers a name each of their own, and then one name to 20 customers, three times. Beside it items hold a
// map, whose members the SDK gives in any order, and which does not change.
func (w *writer) rename(t *testing.T) {
	t.Helper()
	names := []string{}
	for i := range 60 {
		names = append(names, fmt.Sprintf("Name %d of its own", i))
	}
	for i := range 60 {
		names = append(names, fmt.Sprintf("Copied name %d", i/20))
	}
	for i, name := range names {
		key := map[string]types.AttributeValue{"customer": text(fmt.Sprintf("R%d", i%60)), "order": text("1")}
		address := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"street": text("A"), "town": text("B"), "zip": text("C"), "land": text("D")}}
		if i < 60 {
			item := map[string]types.AttributeValue{"customer": key["customer"], "order": key["order"], "a": address, "name": text("new"), "z": address}
			if _, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: item}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: &w.table, Key: key, UpdateExpression: aws.String("SET #n = :n"),
			ExpressionAttributeNames: map[string]string{"#n": "name"}, ExpressionAttributeValues: map[string]types.AttributeValue{":n": text(name)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// fanOut gives the answer about copies of values, and the report without the inputs, whose size differs.
func fanOut(t *testing.T, name string, args ...string) (answer string, tables any) {
	t.Helper()
	stdout, stderr, code := keyheat(t, append([]string{"analyze", name, "--format", "json"}, args...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r struct {
		Tables []struct {
			Index     string
			Checklist []struct{ Question, Because string }
		}
	}
	var whole map[string]any
	if err := json.Unmarshal([]byte(stdout), &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	for _, table := range r.Tables {
		for _, q := range table.Checklist {
			if q.Question == "write-fan-out" && table.Index == "" {
				answer = q.Because
			}
		}
	}
	return answer, whole["tables"]
}

func TestWhatWritesChangeIsKnownLiveAndInACapture(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Renamed")
	w.rename(t)
	w.close(t)
	url := w.address(ministack.url, "&from=trim-horizon")
	live, tables := fanOut(t, url)
	if !strings.HasPrefix(live, "one value of name was written to at least 1") && !strings.HasPrefix(live, "one value of name was written to at least 20") {
		t.Errorf("live: %s", live)
	}
	file := filepath.Join(t.TempDir(), "capture.arrow")
	if _, stderr, code := keyheat(t, "collect", url, "--to", file, "--quiet"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	replayed, again := fanOut(t, file, "--no-exact")
	if d := cmp.Diff(again, tables); d != "" || replayed != live {
		t.Errorf("of the capture: %s\ntables: of the capture (-), live (+):\n%s", replayed, d)
	}
	if held, err := os.ReadFile(file); err != nil || strings.Contains(string(held), "Copied name") {
		t.Errorf("the capture holds values: %v", err)
	}
}
