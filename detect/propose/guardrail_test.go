package propose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestGuardrailsHaveTheNamesOfTheirVersion(t *testing.T) {
	for _, c := range []struct {
		name, rule, version string
		facts               map[string]string
		shape               string
		want                string
	}{
		{"5.0 says nothing of large partitions unless told", "large-partition", "5.0.2", nil, "",
			"cassandra.yaml: partition_size_warn_threshold: 100MiB; later partition_size_fail_threshold: 2048MiB; read_thresholds_enabled: true; local_read_size_warn_threshold: 100MiB"},
		{"4.1 warns of large partitions by itself, and of large reads not", "large-partition", "4.1.3", nil, "",
			"cassandra.yaml: read_thresholds_enabled: true; local_read_size_warn_threshold: 100MiB"},
		{"4.0 was set to warn later", "large-partition", "4.0.11", map[string]string{ingest.FactPartitionWarn: "1048576000"}, "",
			"cassandra.yaml: compaction_large_partition_warning_threshold_mb: 100"},
		{"4.1 was set to warn later, too", "large-partition", "4.1.3", map[string]string{ingest.FactPartitionWarn: "0", ingest.FactLocalReadWarn: "1"}, "",
			"cassandra.yaml: compaction_large_partition_warning_threshold: 100MiB"},
		{"all of it is set", "large-partition", "5.0.2", map[string]string{ingest.FactPartitionWarn: "104857600", ingest.FactLocalReadWarn: "104857600"}, "", ""},
		{"a failure that is set below stays, without a warning above it", "large-partition", "5.0.2",
			map[string]string{ingest.FactPartitionFail: "8388608", ingest.FactLocalReadWarn: "1"}, "", ""},
		{"tombstones of partitions in 5.0", "tombstone-partition", "5.0.2", nil, "",
			"cassandra.yaml: partition_tombstones_warn_threshold: 10000; later partition_tombstones_fail_threshold: 100000"},
		{"tombstones of partitions in 4.1", "tombstone-partition", "4.1.3", nil, "", "cassandra.yaml: compaction_tombstone_warning_threshold: 10000"},
		{"4.0 cannot tell of them", "tombstone-partition", "4.0.11", nil, "", ""},
		{"limits of reads that were raised are put back", "tombstone-dense-read", "4.0.11",
			map[string]string{ingest.FactTombstoneWarn: "50000", ingest.FactTombstoneFail: "500000"}, "",
			"cassandra.yaml: tombstone_warn_threshold: 1000; later tombstone_failure_threshold: 100000"},
		{"lists of keys", "fan-out", "4.1.3", nil, "SELECT * FROM t WHERE a IN ?",
			"cassandra.yaml: partition_keys_in_select_warn_threshold: 10; later partition_keys_in_select_fail_threshold: 100"},
		{"two lists multiply", "fan-out", "4.1.3", map[string]string{ingest.FactKeysInSelectWarn: "5"}, "SELECT * FROM t WHERE a IN ? AND b IN ?",
			"cassandra.yaml: in_select_cartesian_product_warn_threshold: 10; later in_select_cartesian_product_fail_threshold: 100"},
		{"batches are warned of at ten", "fan-out", "5.0.2", nil, "BEGIN UNLOGGED BATCH", ""},
		{"unless that was raised", "fan-out", "5.0.2", map[string]string{ingest.FactBatchWarn: "500"}, "BEGIN UNLOGGED BATCH",
			"cassandra.yaml: unlogged_batch_across_partitions_warn_threshold: 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := situationOf(ingest.Cassandra, c.rule)
			s.version(c.version)
			for name, value := range c.facts {
				s.v.Facts = append(s.v.Facts, detect.FactStats{Name: name, Value: value})
			}
			s.f.Subject.Shape = c.shape
			got := ""
			for _, p := range Guardrail.Propose(s.v, s.f) {
				got += p.Change
			}
			if d := cmp.Diff(got, c.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

func TestAGuardrailSaysWhatIsSetNowAndWhenToFail(t *testing.T) {
	s := situationOf(ingest.Cassandra, "large-partition")
	s.version("5.0.2")
	s.v.Facts = append(s.v.Facts, detect.FactStats{Name: ingest.FactLocalReadWarn, Value: "1"})
	steps := strings.Join(Guardrail.Propose(s.v, s.f)[0].Steps, "\n")
	for _, want := range []string{
		"nodetool setguardrailsconfig partition_size_threshold null 100MiB",
		"partition_size_fail_threshold: 2048MiB is safe at any time: when a partition is written it logs an error and refuses nothing",
		"what is set now is not told of partition_size_warn_threshold: the default of 5.0.2 stands for it; get it with cqlsh",
		"undo: partition_size_warn_threshold: null, partition_size_fail_threshold: null",
	} {
		if !strings.Contains(steps, want) {
			t.Errorf("%q is not in the steps:\n%s", want, steps)
		}
	}
}
