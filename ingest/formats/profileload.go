package formats

import (
	"github.com/keyheat/keyheat/ingest"
)

// ProfileLoad is the busiest partitions as the samplers of Cassandra 4.0 on list them.
var ProfileLoad = ingest.Format{
	Name:     "nodetool-profileload",
	Title:    "nodetool profileload or toppartitions of Cassandra 4.0 on",
	Coverage: ingest.Selected,
	Carries:  []string{"key", "operation", "count with its error", "tombstones", "rows of partitions", "sizes of writes"},
	Doc: `Text of nodetool profileload, and of toppartitions from 4.0 on: a list for each sampler, of one node and a few
seconds (https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/profileload.html):

    Frequency of reads by partition:
       Table       Partition       Count +/-
       shop.orders cust-42:2024-05 12873 0

    Partitions read with the most tombstones:
       Table     Partition Tombstones
       shop.jobs queue-7   9800

Lists of reads, writes and CAS contentions (rounds that lightweight transactions lost) are counts, at most as much
too high as the last number says. The list of tombstones is one of single reads; that of rows says what a partition
has at least, that of mutations how large one write to it was. SSTables a read and slow texts, which tell no table, are
passed over. A print-out may hold several runs.`,
	Sequential: true,
	Sniff:      sniffProfileLoad,
	New:        newProfileLoad,
}

func sniffProfileLoad(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	titles := 0
	log := sniffLines(head, func(line []byte) bool {
		if samplerKindOf(line) != noList {
			titles++
		}
		return titles > 0
	})
	return certainOr(!log && titles > 0, "lists of samplers", "no title such as \"Frequency of reads by partition:\"")
}
