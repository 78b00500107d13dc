package runner

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/progress"
)

// A Listed is a scenario in a mode, for a dry run.
type Listed struct {
	harness.Scenario
	Name    progress.Name
	Skipped string  // why it would be skipped; empty: it would run
	LeftOut bool    // the profile does not include it
	Seconds float64 // its duration: an estimate, unless the caller replaces it
	Beside  int     // most recordings side by side with it, itself included
	Apart   bool    // a cluster is made for it alone
	Serves  string  // equal for scenarios that share one recording; empty: it shares none
}

// Listed returns the scenarios of a suite in every mode: what each needs, and whether it would run, which is known of the target
// after Ready.
func (r *Runner) Listed(ctx context.Context, suite string, scenarios []harness.Scenario) (listed []Listed) {
	for _, mode := range r.modes {
		skip := ""
		if r.attached == nil {
			if supported, because := dataplane.Of(mode).Supported(host.Kernel(ctx)); !supported {
				skip = because
			}
		}
		for _, s := range scenarios {
			l := Listed{Scenario: s, Name: progress.Name{Mode: mode, Suite: suite, Scenario: s.ID}, Skipped: skip, LeftOut: !s.In(r.profile),
				Seconds: s.Estimate().Seconds(), Beside: r.beside(s), Apart: r.apart(s), Serves: rolloutKey(s)}
			if r.attached != nil {
				l.Skipped = r.skipReason(r.attached, s)
			}
			listed = append(listed, l)
		}
	}
	return listed
}

// PrintList prints the scenarios that the profile records as a table.
func PrintList(w io.Writer, listed []Listed) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range listed {
		if !l.LeftOut {
			status := "runs"
			if l.Skipped != "" {
				status = "skipped: " + l.Skipped
			}
			fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", l.Name.Suite, l.ID, l.Name.Mode, strings.Join(l.Needs(), ", "), status)
		}
	}
	return table.Flush()
}

// beside returns how many recordings like that of the scenario may run at the same time.
func (r *Runner) beside(s harness.Scenario) int {
	switch s.Occupancy() {
	case harness.WholeCluster, harness.LoneLoad: // only repeated attempts are LoneLoad
		return 1
	case harness.UnderLoad:
		return loadsOf(r.FirstJobs())
	case harness.WithoutLoad, harness.FromOutside:
	}
	return r.jobs
}
