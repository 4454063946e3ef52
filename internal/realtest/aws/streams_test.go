package aws

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	scaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// reopen switches the stream on again: it is another one then.
func (w *writer) reopen(t *testing.T) {
	t.Helper()
	time.Sleep(10 * time.Millisecond) // streams are told apart by when they were made
	if _, err := w.client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &w.table, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}); err != nil {
		t.Fatal(err)
	}
}

// ministack knows the last stream alone: that of the older ones is tested with a fake.
func TestARecordingGoesOnWithTheStreamThatWasSwitchedOnAgain(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Reopened")
	file := t.TempDir() + "/capture.arrow"
	collect := func() {
		t.Helper()
		if _, stderr, code := keyheat(t, "collect", w.address(ministack.url, "&from=trim-horizon"), "--to", file, "--append", "--quiet"); code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	w.put(t, 500)
	w.close(t)
	collect()
	w.reopen(t)
	w.put(t, 700)
	w.close(t)
	collect()
	collect()
	r, _ := analyze(t, file)
	w.check(t, r)
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "gap") {
		t.Errorf("notes:\n%s", notes)
	}
}

// What each write does to an index is told from the images, as for a file beside the table's description.
func TestWritesInIndexesAreTold(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Indexed")
	w.put(t, 500)
	updates, deletes := w.change(t, 20, 10) // an update of the status takes an entry away and makes another
	w.close(t)
	r, said := analyze(t, w.address(ministack.url, "&from=trim-horizon"))
	w.check(t, r)
	got := map[string]uint64{}
	for _, table := range r.Tables {
		for _, k := range table.TopKeys {
			if table.Index == "byStatus" {
				got[k.Key] = k.Requests.Value
			}
		}
	}
	// Each put makes an entry, each update takes it away and makes another, each delete takes one away.
	if d := cmp.Diff(got, map[string]uint64{"new": 500 + updates + deletes, "paid": updates}); d != "" || said != "" {
		t.Errorf("stderr %q, writes in the index: got (-), want (+):\n%s", said, d)
	}
}

func TestDoctorTellsOfAutoScaling(t *testing.T) {
	url := moto.at(t)
	c := dynamodb.NewFromConfig(settings(t, url))
	provision(t, c, "scaled", 10, 20)
	_, err := applicationautoscaling.NewFromConfig(settings(t, url)).RegisterScalableTarget(t.Context(), &applicationautoscaling.RegisterScalableTargetInput{
		ServiceNamespace: scaling.ServiceNamespaceDynamodb, ResourceId: aws.String("table/scaled"), ScalableDimension: scaling.ScalableDimensionDynamoDBTableWriteCapacityUnits,
		MinCapacity: aws.Int32(20), MaxCapacity: aws.Int32(300), RoleARN: aws.String("arn:aws:iam::123456789012:role/scaling"),
	})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := keyheat(t, "doctor", fmt.Sprintf("dynamodb://scaled?region=%s&endpoint=%s", region, url), "--format", "json")
	if code != 0 || !strings.Contains(stdout, "auto scaling of writes of the table from 20 to 300 units") {
		t.Errorf("exit %d, stderr %q:\n%s", code, stderr, stdout)
	}
}
