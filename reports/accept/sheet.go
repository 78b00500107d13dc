package accept

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rollcall/reports/compare"
	"rollcall/reports/model"
	"rollcall/reports/sheet"
)

// Sheet tells the decisions about candidates for the place of one baseline: the answer, the reasons of each, and the
// outcomes of all of them side by side.
func Sheet(baseline compare.Side, decisions []Decision) sheet.Sheet {
	p := sheet.Sheet{Title: "Rollcall accept: " + answer(Go(decisions)), Text: []string{"Baseline: " + runOf(baseline) + "."}}
	for _, d := range decisions {
		p.Text = append(p.Text, fmt.Sprintf("Candidate: %s: %s, reasons against it: %d, excepted: %d. %d scenarios and %d numbers were compared.",
			runOf(d.Candidate), answer(d.Go()), len(d.Against), len(d.Excepted), d.Comparison.Compared, d.Comparison.Measured))
	}
	for _, d := range decisions {
		p.Sections = append(p.Sections, d.sections()...)
	}
	p.Sections = append(p.Sections, outcomes(baseline, decisions))
	return p
}

// Go says whether every decision is go.
func Go(decisions []Decision) bool {
	return !slices.ContainsFunc(decisions, func(d Decision) bool { return !d.Go() })
}

func answer(good bool) string {
	if good {
		return "go"
	}
	return "no-go"
}

// runOf is like "run 20261121-205038, Kubernetes v1.36.3 in iptables and nftables".
func runOf(s compare.Side) string {
	return fmt.Sprintf("run %s, Kubernetes %s in %s", s.Report.Run.ID, kubernetesOf(s), strings.Join(s.Modes(), " and "))
}

// kubernetesOf is the version, or versions, a side ran on.
func kubernetesOf(s compare.Side) string {
	var versions []string
	for _, c := range s.Report.Clusters {
		if !slices.Contains(versions, c.Kubernetes) {
			versions = append(versions, c.Kubernetes)
		}
	}
	return cmp.Or(strings.Join(versions, " and "), "of an unknown version")
}

func (d Decision) sections() []sheet.Section {
	name := "Run " + d.Candidate.Report.Run.ID
	all := []sheet.Section{{Title: name + ": " + answer(d.Go()), Head: []string{"Scenario", "Mode", "Number", "Against it"}}}
	for _, r := range d.Against {
		all[0].Rows = append(all[0].Rows, []string{cmp.Or(r.Scenario, "the run"), r.Mode, r.Number, r.What})
	}
	if len(d.Against) == 0 {
		all[0].Text = []string{"What passed in the baseline passes, and no number is worse by more than two runs of the same differ."}
	}
	all[0].Text = append(all[0].Text, d.Notes...)
	all[0].Text = append(all[0].Text, d.Comparison.Missing...)
	if len(d.Excepted) > 0 {
		excepted := sheet.Section{Title: name + ": excepted", Head: []string{"Scenario", "Mode", "Number", "What it is", "Until", "Because"}}
		for _, r := range d.Excepted {
			excepted.Rows = append(excepted.Rows, []string{r.Scenario, r.Mode, r.Number, r.What, r.Exception.Until, r.Exception.Because})
		}
		all = append(all, excepted)
	}
	better := sheet.Section{Title: name + ": better than the baseline", Head: []string{"Scenario", "Mode", "What", "Baseline", "Now"}}
	for _, o := range d.Comparison.Outcomes {
		if o.Effect == compare.Better {
			better.Rows = append(better.Rows, []string{o.Scenario, o.Modes, "outcome", o.A.String(), o.B.String()})
		}
	}
	for _, m := range d.Comparison.Numbers {
		if m.Effect == compare.Better {
			better.Rows = append(better.Rows, []string{m.Scenario, m.Modes, m.Metric.Title, m.Metric.Unit.Text(m.A), m.Metric.Unit.Text(m.B)})
		}
	}
	if len(better.Rows) > 0 {
		all = append(all, better)
	}
	if notes := d.Comparison.Notes; len(notes) > 0 {
		all = append(all, sheet.Section{Title: name + ": what to know", Text: notes})
	}
	return all
}

// outcomes puts every scenario's of every run and mode beside each other.
func outcomes(baseline compare.Side, decisions []Decision) sheet.Section {
	sides := []compare.Side{baseline}
	for _, d := range decisions {
		sides = append(sides, d.Candidate)
	}
	s := sheet.Section{Title: "Outcomes", Head: []string{"Scenario"}}
	var names []string
	for _, side := range sides {
		for _, mode := range side.Modes() {
			s.Head = append(s.Head, fmt.Sprintf("%s, %s %s", side.Report.Run.ID, kubernetesOf(side), mode))
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
						is = told(scenario)
					}
				}
				row = append(row, is)
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// told is an outcome, and of one under load how many requests failed.
func told(s model.Scenario) string {
	if s.Requests() == 0 {
		return s.Outcome.String()
	}
	return fmt.Sprintf("%s, %d of %d failed", s.Outcome, s.Failed(), s.Requests())
}
