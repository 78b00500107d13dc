package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/progress"
)

// A Planned is a scenario in a mode, as it is planned.
type Planned struct {
	harness.Scenario
	Name    progress.Name
	Skipped string  // why it would be skipped; empty: it would run
	LeftOut bool    // the profile does not include it
	Seconds float64 // its duration: an estimate, or that of the last run
	Beside  int     // most recordings side by side with it, itself included
	Apart   bool    // a cluster is made for it alone
	Serves  string  // equal for scenarios that share one recording; empty: it shares none
}

// planned returns the scenarios of a suite in every mode: what each needs, and whether it would run, which is known of the target
// after Admit.
func (p Plan) planned(ctx context.Context, suite string, scenarios []harness.Scenario) (all []Planned) {
	for _, mode := range p.Modes {
		skip, on := "", cluster.Cluster(noCluster{mode: mode})
		if p.Target != nil {
			on = p.Target
		} else if supported, because := dataplane.Of(mode).Supported(host.Kernel(ctx)); !supported {
			skip = because
		}
		for _, s := range scenarios {
			l := Planned{Scenario: s, Name: progress.Name{Mode: mode, Suite: suite, Scenario: s.ID}, Skipped: cmp.Or(skip, p.skipReason(on, s)),
				LeftOut: !s.In(p.Profile), Seconds: s.Estimate().Seconds(), Beside: p.beside(s), Apart: p.apart(s), Serves: rolloutKey(s)}
			all = append(all, l)
		}
	}
	return all
}

// printScenarios prints the scenarios that the profile records as a table.
func (p Plan) printScenarios(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range p.Scenarios {
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
func (p Plan) beside(s harness.Scenario) int {
	switch s.Occupancy() {
	case harness.WholeCluster, harness.LoneLoad: // only repeated attempts are LoneLoad
		return 1
	case harness.HalfLoad:
		return loadsOf(p.FirstJobs())
	case harness.WithoutLoad, harness.FromOutside:
	}
	return p.Jobs
}
