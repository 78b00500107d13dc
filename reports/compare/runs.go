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

// Modes lists the modes of the runs' scenarios, in their order.
func (r Runs) Modes() []string {
	var all []string
	for _, side := range r {
		all = append(all, side.Modes()...)
	}
	return model.Distinct(all, func(mode string) string { return mode })
}

// only returns the runs with the modes alone that the pairs have on a side.
func (r Runs) only(pairs []Pair, side func(Pair) string) (kept Runs) {
	other := func(mode string) bool {
		return !slices.ContainsFunc(pairs, func(p Pair) bool { return side(p) == mode })
	}
	for _, run := range r {
		report := &run.Report
		report.Scenarios = slices.DeleteFunc(slices.Clone(report.Scenarios), func(s model.Scenario) bool { return other(s.Mode) })
		report.Clusters = slices.DeleteFunc(slices.Clone(report.Clusters), func(c evidence.Cluster) bool { return other(c.Mode) })
		kept = append(kept, run)
	}
	return kept
}

// IDs returns the ids of the runs.
func (r Runs) IDs() (ids []string) {
	for _, side := range r {
		ids = append(ids, side.Report.Run.ID)
	}
	return ids
}

// have reports whether so holds for a scenario of any run.
func (r Runs) have(so func(model.Scenario) bool) bool {
	return slices.ContainsFunc(r, func(side Side) bool { return slices.ContainsFunc(side.Report.Scenarios, so) })
}

func (r Runs) runs() (all []model.Run) {
	for _, side := range r {
		all = append(all, side.Report.Run)
	}
	return all
}

// A view is one mode of the runs of a side.
type view struct {
	clusters  []evidence.Cluster
	scenarios map[string]attempts // by name
}

// An attempt is a scenario in one run.
type attempt struct {
	model.Scenario
	line Line // the same as a line of a history
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

// fact returns a fact about the clusters of a mode, "a and b" if they differ.
func (v view) fact(of func(evidence.Cluster) string) string {
	return strings.Join(model.Distinct(v.clusters, of), " and ")
}

// decided returns the attempts of a scenario whose numbers count.
func (v view) decided(name string) attempts {
	return slices.DeleteFunc(slices.Clone(v.scenarios[name]), func(s attempt) bool { return !s.Decided() })
}

// worst returns the attempt with the worst outcome: a scenario that fails once on a side fails.
func (a attempts) worst() attempt {
	from := []verdict.Outcome{verdict.Fail, verdict.Inconclusive, verdict.Pass, verdict.Skipped}
	return slices.MinFunc(a, func(x, y attempt) int { return slices.Index(from, x.Outcome) - slices.Index(from, y.Outcome) })
}

// loads returns the different loads of the attempts.
func (a attempts) loads() []string {
	return model.Distinct(a, func(s attempt) string { return cmp.Or(s.line.Load, "none") })
}
