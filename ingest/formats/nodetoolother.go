package formats

import (
	"bytes"
	"net/netip"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// NodetoolOther is print-outs of nodetool that tell of nodes and settings, and of no key.
var NodetoolOther = ingest.Format{
	Name:     "nodetool-other",
	Title:    "nodetool status, ring, info, version, getguardrailsconfig and the like",
	Coverage: ingest.StateOnly,
	Carries:  []string{"topology", "settings"},
	Doc: `Print-outs of nodetool that are part of every collection: status, ring, describering, describecluster,
getendpoints, getsstables, gossipinfo, info, version, getguardrailsconfig, compactionstats, compactionhistory,
tpstats, netstats, proxyhistograms, rangekeysample, gettraceprobability, getauditlog, getfullquerylog, repair
(https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/nodetool.html). Taken are nodes with
their data centre, rack, state and number of tokens, the version, what share of requests is traced, and guardrails on
partitions, columns and reads. What nodetool says
when it fails is a problem.`,
	Sequential: true,
	Sniff:      sniffNodetoolOther,
	New:        func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return &nodetoolOther{}, nil },
}

const (
	skipOther     = "topology or statistics of a node"
	causeNodetool = "nodetool says that it failed"
)

type nodetoolOther struct {
	datacenter []byte // of the rows below
	gossiper   []byte // the node that lines of gossipinfo tell of
}

var (
	statusRow    = pattern(`^([UD?][NLJMS])\s+(\S+)\s+(?:\?|[\d.,]+ \S+)\s+(?:(\d+)\s+)?\S.*\s(\S+)\s*$`)
	ringRow      = pattern(`^(\S+)\s+(?:(\S+)\s+)?(\S+)\s+(Up|Down)\s+(Normal|Leaving|Joining|Moving)\s`)
	ringEnds     = pattern(`EndpointDetails\(host:([^,()]+), datacenter:([^,()]+), rack:([^,()]+)\)`)
	guardrailRow = pattern(`^(\w+)_threshold\s+\[([^,\]]+), ([^\]]+)\]$`)
	settingRow   = pattern(`^\s*(\w+)\s{2,}(\S+)$`)
	gossipNode   = pattern(`^[\w.-]*/\[?([\d.]+|[\da-f:.]+)\]?(?::\d+)?$`)
	gossipRow    = pattern(`^\s+(DC|RACK|RELEASE_VERSION):\d+:(\S+)$`)
	infoTokens   = pattern(`see all (\d+) tokens`)
	nodetoolFail = pattern(`^(?:nodetool: (?:Found unexpected|Failed to connect|Unable|Unknown|requires|\w+ requires)|See 'nodetool help'|error: |-- StackTrace --)`)
)

// Decode reads a line.
func (d *nodetoolOther) Decode(rec *ingest.Record, to ingest.Sink) {
	line := bytes.TrimRight(rec.Data, " \t")
	f := ingest.Fact{At: rec.At}
	if d.topology(line, f, to) {
		return
	}
	if m := guardrailRow().FindSubmatch(line); m != nil && guarded(to, f, string(m[1]), string(m[3]), string(m[2])) {
		return
	}
	if m := settingRow().FindSubmatch(line); m != nil && systable.SettingFact(to, f, string(m[1]), string(m[2])) {
		return
	}
	name, value, _ := label(line)
	switch {
	case nodetoolFail().Match(line):
		complain(to, causeNodetool, line, rec.At)
	case name == "partitioner":
		tellFact(to, f, ingest.FactPartitioner, value[bytes.LastIndexByte(value, '.')+1:])
	case infoFacts[name] != "":
		tellFact(to, f, infoFacts[name], value)
	case name == "current trace probability":
		tellFact(to, f, ingest.FactTraceProbability, value)
	case name == "token" && infoTokens().Match(value):
		tellFact(to, f, ingest.FactTokens, infoTokens().FindSubmatch(value)[1])
	default:
		if name == "datacenter" {
			d.datacenter = bytes.Clone(value)
		} else if m := gossipNode().FindSubmatch(line); m != nil {
			d.gossiper = bytes.Clone(m[1])
		}
		to.Skip(skipOther)
	}
}

// guarded tells of both thresholds of a guardrail, as far as they are looked at.
func guarded(to ingest.Sink, f ingest.Fact, name, warn, fail string) bool {
	warned := systable.SettingFact(to, f, name+"_warn_threshold", warn)
	failed := systable.SettingFact(to, f, name+"_fail_threshold", fail)
	return warned || failed
}

// infoFacts are the labels of info and version that tell of the node which was asked.
var infoFacts = map[string]string{"releaseversion": ingest.FactVersion, "data center": ingest.FactDatacenter, "rack": ingest.FactRack}

var gossipFacts = map[string]string{"RELEASE_VERSION": ingest.FactVersion, "DC": ingest.FactDatacenter, "RACK": ingest.FactRack}

// tellFact tells of a fact unless its value is empty.
func tellFact(to ingest.Sink, f ingest.Fact, name string, value []byte) {
	f.Name, f.Value = name, value
	if len(value) == 0 {
		to.Skip(skipOther)
		return
	}
	to.Fact(&f)
}

// topology reads a row of status, ring, describering or gossipinfo.
func (d *nodetoolOther) topology(line []byte, f ingest.Fact, to ingest.Sink) bool {
	if m := statusRow().FindSubmatch(line); m != nil {
		f.Node = m[2]
		d.node(to, f, string(m[1]), d.datacenter, m[4], m[3])
		return true
	}
	if m := ringRow().FindSubmatch(line); m != nil {
		f.Node = m[1]
		datacenter := d.datacenter
		if len(m[2]) > 0 {
			datacenter = m[2] // of 1.2 and before
		}
		d.node(to, f, string(m[4][:1])+string(m[5][:1]), datacenter, m[3], nil)
		return true
	}
	if m := gossipRow().FindSubmatch(line); m != nil {
		f.Node = d.gossiper
		tellFact(to, f, gossipFacts[string(m[1])], m[2])
		return true
	}
	ends := ringEnds().FindAllSubmatch(line, -1)
	for _, m := range ends {
		f.Node = m[1]
		d.node(to, f, "", m[2], m[3], nil)
	}
	return len(ends) > 0
}

// node tells what is known of a node; what is empty is not.
func (d *nodetoolOther) node(to ingest.Sink, f ingest.Fact, state string, datacenter, rack, tokens []byte) {
	for _, fact := range []struct {
		name  string
		value []byte
	}{{ingest.FactNodeState, []byte(state)}, {ingest.FactDatacenter, datacenter}, {ingest.FactRack, rack}, {ingest.FactTokens, tokens}} {
		f.Name, f.Value = fact.name, fact.value
		if len(f.Value) > 0 {
			to.Fact(&f)
		}
	}
}

// nodetoolBegins are how lines of these print-outs look that no other text has.
var nodetoolBegins = pattern(`^(?:` +
	`Status=Up/Down|ReleaseVersion: \S|Compaction History:|Cluster Information:|Schema Version:\S+|TokenRange:|` +
	`Pool Name +Active|proxy histograms$|Current (?:trace probability|compaction throughput|stream throughput|timeout for type)|Logger Name +Log Level|RangeKeySample:|Gossip active +: |Mode: (?:NORMAL|JOINING|LEAVING)|` +
	`concurrent compactors +\d|pending tasks: \d|audit_logs_dir |archive_command |\w+_threshold +\[\S+, \S+\]|\w+_(?:warn|fail)_threshold +\S+$|` +
	`\[[-\d :,]+\] (?:Replication factor is|Starting repair command|Repair session|Repair completed)|` +
	`Address +(?:DC +)?Rack +Status +State +Load|  generation:\d+|nodetool: (?:Found unexpected|Failed|Unable|Unknown|\w+ requires)|` +
	`-- StackTrace --$|Datacenter: \S+$|allow_filtering_enabled +(?:true|false))`)

var ssTablePath = pattern(`^/\S+-(?:Data|Index)\.db$`)

func sniffNodetoolOther(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	lines, addresses, paths, found := 0, 0, 0, false
	log := sniffLines(head, func(line []byte) bool {
		lines++
		found = found || nodetoolBegins().Match(bytes.TrimRight(line, " "))
		if _, err := netip.ParseAddr(string(bytes.TrimSpace(line))); err == nil {
			addresses++
		}
		if ssTablePath().Match(bytes.TrimSpace(line)) {
			paths++
		}
		return found || lines > 100
	})
	switch {
	case !log && found:
		return ingest.Verdict{Fit: ingest.Certain, Why: "a print-out of nodetool"}
	case lines > 0 && (addresses == lines || paths == lines):
		return ingest.Verdict{Fit: ingest.Possible, Why: "addresses or SSTables alone, as getendpoints and getsstables print them"}
	}
	return ingest.Verdict{Fit: ingest.No, Why: "no line that begins a print-out of nodetool"}
}
