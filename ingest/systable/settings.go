package systable

import (
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// A setting says what a name of cassandra.yaml or scylla.yaml sets.
type setting struct {
	fact string
	read func(value string) (string, bool)
}

var settings = map[string]setting{
	"tombstone_warn_threshold":                        {ingest.FactTombstoneWarn, numberSetting},
	"tombstone_failure_threshold":                     {ingest.FactTombstoneFail, numberSetting},
	"query_tombstone_page_limit":                      {ingest.FactTombstonePageLimit, numberSetting},
	"compaction_large_partition_warning_threshold_mb": {ingest.FactPartitionWarn, megabytesSetting},
	"compaction_large_partition_warning_threshold":    {ingest.FactPartitionWarn, bytesSetting},
	"partition_size_warn_threshold":                   {ingest.FactPartitionWarn, bytesSetting},
	"compaction_tombstone_warning_threshold":          {ingest.FactPartitionTombsWarn, numberSetting},
	"partition_tombstones_warn_threshold":             {ingest.FactPartitionTombsWarn, numberSetting},
	"compaction_rows_count_warning_threshold":         {ingest.FactPartitionRowsWarn, numberSetting},
	"slow_query_log_timeout_in_ms":                    {ingest.FactSlowQuery, numberSetting},
	"slow_query_log_timeout":                          {ingest.FactSlowQuery, millisSetting},
	"partition_size_fail_threshold":                   {ingest.FactPartitionFail, bytesSetting},
	"partition_tombstones_fail_threshold":             {ingest.FactPartitionTombsFail, numberSetting},
	"local_read_size_warn_threshold":                  {ingest.FactLocalReadWarn, bytesSetting},
	"local_read_size_fail_threshold":                  {ingest.FactLocalReadFail, bytesSetting},
	"page_size_warn_threshold":                        {ingest.FactPageWarn, numberSetting},
	"page_size_fail_threshold":                        {ingest.FactPageFail, numberSetting},
	"partition_keys_in_select_warn_threshold":         {ingest.FactKeysInSelectWarn, numberSetting},
	"partition_keys_in_select_fail_threshold":         {ingest.FactKeysInSelectFail, numberSetting},
	"in_select_cartesian_product_warn_threshold":      {ingest.FactCartesianWarn, numberSetting},
	"in_select_cartesian_product_fail_threshold":      {ingest.FactCartesianFail, numberSetting},
	"column_value_size_warn_threshold":                {ingest.FactCellWarn, bytesSetting},
	"column_value_size_fail_threshold":                {ingest.FactCellFail, bytesSetting},
	"collection_size_warn_threshold":                  {ingest.FactCollectionWarn, bytesSetting},
	"collection_size_fail_threshold":                  {ingest.FactCollectionFail, bytesSetting},
	"unlogged_batch_across_partitions_warn_threshold": {ingest.FactBatchWarn, numberSetting},
	"read_thresholds_enabled":                         {ingest.FactReadThresholds, plainSetting},
	"min_tracked_partition_size":                      {ingest.FactMinTrackedPartition, bytesSetting},
	"num_tokens":                                      {ingest.FactTokens, numberSetting},
	"partitioner":                                     {ingest.FactPartitioner, classSetting},
}

// IsSetting reports whether a name of cassandra.yaml or scylla.yaml is one that is looked at.
func IsSetting(name string) bool {
	_, known := settings[name]
	return known
}

// SettingFact tells of a setting that is looked at, by its name and value in cassandra.yaml, scylla.yaml or
// system_views.settings; the rest of the fact is f. False: it is not looked at, or has no such value.
func SettingFact(to ingest.Sink, f ingest.Fact, name, value string) bool {
	s, known := settings[name]
	if !known {
		return false
	}
	text, ok := s.read(strings.Trim(value, `"'`))
	if !ok {
		return false
	}
	f.Name, f.Value = s.fact, []byte(text)
	to.Fact(&f)
	return true
}

// off reports whether a limit is not set: null and -1.
func off(value string) bool { return value == "null" || value == "" || strings.HasPrefix(value, "-") }

func plainSetting(value string) (string, bool) { return value, value != "" && value != "null" }

func classSetting(value string) (string, bool) {
	return plainSetting(value[strings.LastIndexByte(value, '.')+1:])
}

func numberSetting(value string) (string, bool) {
	if off(value) {
		return "0", true
	}
	n, ok := Count([]byte(value))
	return strconv.FormatUint(n, 10), ok
}

func bytesSetting(value string) (string, bool) {
	if off(value) {
		return "0", true
	}
	n, ok := Bytes([]byte(value))
	return strconv.FormatUint(n, 10), ok
}

func megabytesSetting(value string) (string, bool) { return bytesSetting(value + "MiB") }

// millisSetting reads 500ms, 10s, 2m, 1h and 1d.
func millisSetting(value string) (string, bool) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		return strconv.FormatUint(n*24*3600*1000, 10), err == nil
	}
	d, err := time.ParseDuration(value)
	return strconv.FormatInt(d.Milliseconds(), 10), err == nil
}
