package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// DecisionSheet shows the decisions, at least one, about the candidates for the place of one baseline: the answer, the reasons of each, and
// the outcomes of all of them side by side.
func DecisionSheet(decisions []Decision) reports.Sheet {
	baseline := decisions[0].Baseline
	p := reports.Sheet{Title: "Rollcall accept: " + string(Worst(decisions)), Text: []string{"Baseline: " + runsOf(baseline) + "."}}
	for _, d := range decisions {
		p.Text = append(p.Text, fmt.Sprintf("Candidate: %s: %s.", runsOf(d.Candidate), d.Answer()),
			fmt.Sprintf("Against it: %d, excepted: %d, not known: %d; %d scenarios and %d numbers were compared.", len(d.Against), len(d.Excepted),
				len(d.Unknown), d.Comparison.Compared, len(d.Comparison.Numbers)))
	}
	for _, d := range decisions {
		p.Add(d.sections()...)
	}
	p.Add(outcomes(baseline, decisions))
	return p
}

// runsOf returns, for example, "run 20261121-205038, Kubernetes v1.36.3 in iptables and nftables".
func runsOf(runs Runs) string {
	word := "run "
	if len(runs) > 1 {
		word = "runs "
	}
	return fmt.Sprintf("%s%s, Kubernetes %s in %s", word, strings.Join(runs.IDs(), " and "), kubernetesOf(runs),
		strings.Join(runs.Modes(), " and "))
}

// kubernetesOf returns the version or versions of Kubernetes that runs were on.
func kubernetesOf(runs Runs) string {
	var clusters []evidence.Cluster
	for _, side := range runs {
		clusters = append(clusters, side.Report.Clusters...)
	}
	versions := model.Distinct(clusters, func(c evidence.Cluster) string { return c.Kubernetes })
	return cmp.Or(strings.Join(versions, " and "), "of an unknown version")
}

func (d Decision) sections() []reports.Section {
	name := "Candidate " + strings.Join(d.Candidate.IDs(), " and ")
	first := reports.Section{Title: name + ": " + string(d.Answer()), Head: []string{"Scenario", "Mode", "Number", "Against it"},
		Rows: rowsOf(d.Against)}
	switch d.Answer() {
	case Go:
		first.Text = []string{"What passed in the baseline passes, nothing is shown to be worse, and terminations lose and lag no more."}
	case Undecided:
		first.Text = []string{"Nothing stands against it, but too little was seen for a go: give more runs of either side."}
	case NoGo:
	}
	first.Text = append(append(first.Text, d.Notes...), d.Comparison.Missing...)
	unknown := reports.Section{Title: name + ": not known", Head: []string{"Scenario", "Mode", "Number", "What cannot be told"},
		Rows: rowsOf(d.Unknown)}
	excepted := reports.Section{Title: name + ": excepted", Head: []string{"Scenario", "Mode", "Number", "What it is", "Until", "Because"}}
	for i, row := range rowsOf(d.Excepted) {
		excepted.Rows = append(excepted.Rows, append(row, d.Excepted[i].Exception.Until, d.Excepted[i].Exception.Because))
	}
	better := reports.Section{Title: name + ": outcomes better than the baseline", Head: []string{"Scenario", "Mode", "Baseline", "Now"}}
	for _, o := range d.Comparison.Outcomes {
		if o.Effect == Better {
			better.Rows = append(better.Rows, []string{o.Scenario, o.Modes, o.A.String(), o.B.String()})
		}
	}
	all := []reports.Section{first, unknown, excepted, better}
	for _, numbers := range Numbers(d.Comparison, "Baseline", "Candidate") {
		numbers.Title = name + ": " + numbers.Title
		all = append(all, numbers)
	}
	return append(all, reports.Section{Title: name + ": what to know", Text: d.Comparison.Notes})
}

func rowsOf(reasons []Reason) (rows [][]string) {
	for _, r := range reasons {
		about := r.Scenario
		switch {
		case about == "" && r.Mode == "":
			about = "the run"
		case about == "":
			about = "all"
		}
		rows = append(rows, []string{about, r.Mode, r.Number, r.What})
	}
	return rows
}

// outcomes shows the outcomes of every scenario, run and mode beside each other.
func outcomes(baseline Runs, decisions []Decision) reports.Section {
	sides := slices.Clone(baseline)
	for _, d := range decisions {
		sides = append(sides, d.Candidate...)
	}
	s := reports.Section{Title: "Outcomes", Head: []string{"Scenario"}}
	var names []string
	for _, side := range sides {
		for _, mode := range side.Modes() {
			s.Head = append(s.Head, fmt.Sprintf("%s, %s %s", side.Report.Run.ID, kubernetesOf(Runs{side}), mode))
		}
		for _, scenario := range side.Report.Scenarios {
			names = append(names, scenario.Name())
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		row := []string{name}
		for _, side := range sides {
			for _, mode := range side.Modes() {
				is := "not run"
				for _, scenario := range side.Report.Scenarios {
					if scenario.Mode == mode && scenario.Name() == name {
						is = outcomeOf(scenario)
					}
				}
				row = append(row, is)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// outcomeOf returns an outcome and, for a scenario under load, how many requests failed.
func outcomeOf(s model.Scenario) string {
	if s.Requests() == 0 {
		return s.Outcome.String()
	}
	return fmt.Sprintf("%s, %d of %d failed", s.Outcome, s.Failed(), s.Requests())
}
