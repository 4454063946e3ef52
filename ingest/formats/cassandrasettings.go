package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// CassandraSettings is cassandra.yaml or scylla.yaml.
var CassandraSettings = ingest.Format{
	Name:     "cassandra-settings",
	Title:    "cassandra.yaml, scylla.yaml",
	Coverage: ingest.StateOnly,
	Carries:  []string{"settings"},
	Doc: `The file of settings of a node of any version of Cassandra, DSE or ScyllaDB
(https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html). Taken are the
limits at which the server warns or refuses, and what it traces and logs.`,
	Sequential: true,
	Sniff:      sniffSettings,
	New:        func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return settingsFile{}, nil },
}

type settingsFile struct{}

// Decode reads a line.
func (settingsFile) Decode(rec *ingest.Record, to ingest.Sink) {
	name, value, ok := yamlPair(rec.Data)
	if !ok || !systable.SettingFact(to, ingest.Fact{At: rec.At}, name, value) {
		to.Skip("setting that is not looked at")
	}
}

// commonSettings stand in every file.
var commonSettings = map[string]bool{
	"cluster_name": true, "seed_provider": true, "commitlog_sync": true, "listen_address": true, "endpoint_snitch": true,
	"rpc_address": true, "data_file_directories": true, "commitlog_directory": true, "native_transport_port": true,
	"storage_port": true, "authenticator": true, "hinted_handoff_enabled": true,
}

func sniffSettings(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	known := 0
	log := sniffLines(head, func(line []byte) bool {
		name, _, ok := yamlPair(line)
		if set := systable.IsSetting(name); ok && (set || commonSettings[name]) {
			known++
		}
		return known > 1
	})
	return certainOr(!log && known > 1, "settings of a node", "no settings such as \"tombstone_warn_threshold: 1000\"")
}
