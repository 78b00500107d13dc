package compare

import (
	"cmp"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// Runs are all runs of one side, at least one.
type Runs []Side

// OpenAll opens several run folders as [Open] does.
func OpenAll(dirs []string) (Runs, error) {
	var all Runs
	for _, dir := range dirs {
		side, err := Open(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, side)
	}
	return all, nil
}

// Modes lists those of the runs' scenarios, in their order.
func (r Runs) Modes() []string {
	var all []string
	for _, side := range r {
		all = append(all, side.Modes()...)
	}
	return model.Distinct(all, func(mode string) string { return mode })
}

// IDs of the runs.
func (r Runs) IDs() (ids []string) {
	for _, side := range r {
		ids = append(ids, side.Report.Run.ID)
	}
	return ids
}

// have says whether a scenario of any run is so.
func (r Runs) have(so func(model.Scenario) bool) bool {
	return slices.ContainsFunc(r, func(side Side) bool { return slices.ContainsFunc(side.Report.Scenarios, so) })
}

func (r Runs) runs() (all []model.Run) {
	for _, side := range r {
		all = append(all, side.Report.Run)
	}
	return all
}

// A view is what the runs of a side say of one mode.
type view struct {
	clusters  []evidence.Cluster
	scenarios map[string]attempts // by name
}

// An attempt is a scenario in one run.
type attempt struct {
	model.Scenario
	line Line // of the same
}

type attempts []attempt

func (r Runs) in(mode string) view {
	v := view{scenarios: make(map[string]attempts)}
	for _, side := range r {
		for _, c := range side.Report.Clusters {
			if c.Mode == mode {
				v.clusters = append(v.clusters, c)
			}
		}
		lines := LinesOf(side.Report)
		for i, s := range side.Report.Scenarios {
			if s.Mode == mode {
				v.scenarios[s.Name()] = append(v.scenarios[s.Name()], attempt{s, lines[i]})
			}
		}
	}
	return v
}

// fact is what the clusters of a mode say, "a and b" where they differ.
func (v view) fact(of func(evidence.Cluster) string) string {
	return strings.Join(model.Distinct(v.clusters, of), " and ")
}

// decided are the attempts of a scenario whose numbers count.
func (v view) decided(name string) attempts {
	return slices.DeleteFunc(slices.Clone(v.scenarios[name]), func(s attempt) bool { return !s.Decided() })
}

// worst is the attempt with the worst outcome: of a side that fails once, the scenario fails.
func (a attempts) worst() attempt {
	from := []verdict.Outcome{verdict.Fail, verdict.Inconclusive, verdict.Pass, verdict.Skipped}
	return slices.MinFunc(a, func(x, y attempt) int { return slices.Index(from, x.Outcome) - slices.Index(from, y.Outcome) })
}

// loads are what the attempts sent, without those that repeat.
func (a attempts) loads() []string {
	return model.Distinct(a, func(s attempt) string { return cmp.Or(s.line.Load, "none") })
}
