package propose

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// Guardrail makes the store warn of the next one.
var Guardrail = detect.Remedy{
	Kind:  "guardrail",
	Title: "Have the store warn of the next one",
	Rules: []string{"large-partition", "tombstone-dense-read", "tombstone-partition", "large-item", "fan-out"},
	Doc: `Most guardrails of Cassandra are off until they are set. A warning at twice the size to aim at comes while there is time; a limit
from which a request is refused is set when nothing is over it any more.

**Gate.** A certain finding of at least *medium* on Cassandra whose version is told. The value that is set now comes from cassandra.yaml, nodetool
getguardrailsconfig or system_views.settings; where none is given, the default of the version stands for it, and the proposal says so.
Nothing is proposed where the store warns there already.

**Formula.** Names and defaults as in Config.java of 4.0, 4.1, 5.0 and 6.0.

| of a finding of | setting | warn | fail |
|---|---|---|---|
| large-partition | partition_size (5.0; compaction_large_partition_warning_threshold in 4.1, with _mb in 4.0: 100 MiB) | 2 x time-bucket.partition-bytes | large-partition.high-bytes |
| | local_read_size (4.1, needs read_thresholds_enabled) | 2 x time-bucket.partition-bytes | none: it would end reads that are served today |
| | page_size (4.1), where reads give smaller-page.rows rows | smaller-page.rows | none: drivers ask for 5,000 unless told |
| tombstones | partition_tombstones (5.0; compaction_tombstone_warning_threshold in 4.1: 100,000) | tombstone-partition.medium | tombstone-partition.high |
| | tombstone_warn_threshold, tombstone_failure_threshold, where they were raised | 1,000 | 100,000 |
| large-item | column_value_size (5.0), collection_size (4.1) | half of cassandra.mutation-bytes | cassandra.mutation-bytes |
| fan-out | partition_keys_in_select (4.1), of more than one IN in_select_cartesian_product as well | fan-out.partitions | fan-out.wide |
| | unlogged_batch_across_partitions_warn_threshold, where it was raised | 10 | none |

**Caveats.** It shows what is wrong and changes nothing. Guardrails of queries are not applied to superusers, nor without authentication. What is set while
the server runs is lost at a restart. Elements of a collection and fields of a type have guardrails too, of which no input tells an amount that the store did
not warn of by itself.`,
	Propose: proposeGuardrail,
}

func proposeGuardrail(v *detect.View, f *detect.Finding) []detect.Proposal {
	if !worthIt(f) || !isCassandra(f) {
		return nil
	}
	version := versionOf(v)
	switch {
	case version == "" && f.Rule == "tombstone-dense-read":
		return nil // the store warns of such reads as it is
	case version == "":
		return lacking("have the store warn of the next one", "its version, since the settings' names differ", "nodetool version")
	}
	set := []guarded{}
	for i := range rails {
		if g, ok := rails[i].of(v, f, version); ok {
			set = append(set, g)
		}
	}
	if len(set) == 0 {
		return nil
	}
	p := detect.Proposal{
		Kind:   "guardrail",
		Title:  "have the store warn of the next one: " + set[0].warned(),
		Change: "cassandra.yaml: ",
		Costs:  []string{"a line in the log for each that is over it, the same text once in ten minutes"},
		Risks:  []string{"warnings refuse nothing; what fails is refused from the day on which it is set: look at its condition"},
		Steps:  []string{"set what warns on each node, in cassandra.yaml for the next start" + atOnce(set), "look at the log for a week: who is warned, and is it the finding of this report"},
		Verify: "system.log names what is over it: " + set[0].shows,
	}
	back := []string{}
	for i, g := range set {
		if i > 0 {
			p.Change += "; "
		}
		p.Change += g.lines()
		p.Effects = append(p.Effects, g.effects()...)
		p.Steps = append(p.Steps, g.conditions()...)
		back = append(back, g.back())
	}
	if unknown := untold(set); unknown != "" {
		p.Steps = append(p.Steps, fmt.Sprintf("what is set now is not told of %s: the default of %s stands for it; get it with cqlsh -e 'SELECT name, value FROM system_views.settings' (4.0: cassandra.yaml), and give it as an input", unknown, version))
	}
	p.Steps = append(p.Steps, "undo: "+strings.Join(back, "; "))
	return []detect.Proposal{p}
}

// untold names the settings whose present value no input tells.
func untold(set []guarded) string {
	names := []string{}
	for i := range set {
		if !set[i].warn.told {
			names = append(names, set[i].warn.name)
		}
	}
	return strings.Join(names, ", ")
}

// atOnce gives the commands that set guardrails while the server runs; nodetool takes what fails first.
func atOnce(set []guarded) string {
	commands := []string{}
	for i := range set {
		if g := &set[i]; g.nodetool != "" {
			commands = append(commands, fmt.Sprintf("nodetool setguardrailsconfig %s_threshold %s %s", g.nodetool, g.fail.now(), g.warn.text(g.warn.to)))
		}
	}
	if len(commands) == 0 {
		return ""
	}
	return ", and at once: " + strings.Join(commands, "; ")
}
