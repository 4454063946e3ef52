package nightly

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// metrics writes the file for Prometheus's textfile collector, in the text format 0.0.4. Its labels
// are names of jobs and fixed words, so that their number is bounded.
func (r *Runner) metrics(store *Store) error {
	if r.Config.Metrics == "" {
		return nil
	}
	ran, failed, found, changed := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	for _, j := range r.Config.Jobs {
		nights, err := store.Nights(j.Name)
		if len(nights) == 0 {
			continue
		}
		last := nights[len(nights)-1]
		fmt.Fprintf(failed, "keyheat_nightly_failed{job=%q} %d\n", j.Name, flag(last.Failed != "" || err != nil))
		good := reported(nights)
		if len(good) == 0 {
			continue
		}
		fmt.Fprintf(ran, "keyheat_nightly_last_report_timestamp_seconds{job=%q} %d\n", j.Name, good[len(good)-1].Ran.Unix())
		counts(found, changed, trendOf(j, good))
	}
	out := &strings.Builder{}
	family(out, "keyheat_nightly_last_report_timestamp_seconds", "When the last report of the job was made.", ran)
	family(out, "keyheat_nightly_failed", "Whether the last night of the job has no report.", failed)
	family(out, "keyheat_nightly_findings", "Findings of the last report by severity.", found)
	family(out, "keyheat_nightly_changes", "Findings of the last report by what became of them since the night before.", changed)
	return r.Disk.WriteFile(r.Config.Metrics, []byte(out.String()))
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

func family(out *strings.Builder, name, help string, samples *strings.Builder) {
	if samples.Len() > 0 {
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s", name, help, name, samples)
	}
}

func counts(found, changed *strings.Builder, t *Trend) {
	for s := detect.Low; s <= detect.Critical; s++ {
		n := 0
		for i := range t.Night.Digest.Findings {
			n += flag(t.Night.Digest.Findings[i].Severity == s)
		}
		fmt.Fprintf(found, "keyheat_nightly_findings{job=%q,severity=%q} %d\n", t.Night.Job, s, n)
	}
	for of := report.New; of < report.Changes; of++ {
		n := 0
		for i := range t.Lines {
			n += flag(t.Lines[i].Change == of)
		}
		fmt.Fprintf(changed, "keyheat_nightly_changes{change=%q,job=%q} %d\n", of, t.Night.Job, n)
	}
}
