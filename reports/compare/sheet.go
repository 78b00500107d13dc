package compare

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// Sheet shows a comparison, what got worse first.
func Sheet(c Comparison) reports.Sheet {
	p := reports.Sheet{Title: "Rollcall compare"}
	for _, r := range c.A {
		p.Text = append(p.Text, sideOf("A", r, c.modes(Pair.inA)))
	}
	for _, r := range c.B {
		p.Text = append(p.Text, sideOf("B", r, c.modes(Pair.inB)))
	}
	p.Text = append(append(p.Text, verdictOf(c)), c.Missing...)
	outcomes := reports.Section{Title: "Outcomes that changed", Head: []string{"", "Scenario", "Mode", "A", "B", "Because"}}
	for _, effect := range []Effect{Worse, Better, Neutral} {
		for _, o := range c.Outcomes {
			if o.Effect == effect {
				outcomes.Rows = append(outcomes.Rows, []string{string(effect), o.Scenario, o.Modes, o.A.String(), o.B.String(), o.BecauseB})
			}
		}
	}
	p.Add(outcomes)
	p.Add(Numbers(c, "A", "B")...)
	gone := reports.Section{Title: "Scenarios that went", Head: []string{"Scenario", "Mode", "It was"}}
	for _, g := range c.Gone {
		gone.Rows = append(gone.Rows, []string{g.Scenario, g.Modes, g.A.String()})
	}
	p.Add(gone)
	appeared := reports.Section{Title: "Scenarios that are new", Head: []string{"Scenario", "Mode", "It is", "Because"}}
	for _, n := range c.New {
		if *n.B == verdict.Pass {
			n.BecauseB = ""
		}
		appeared.Rows = append(appeared.Rows, []string{n.Scenario, n.Modes, n.B.String(), n.BecauseB})
	}
	p.Add(appeared)
	clusters := reports.Section{Title: "Clusters", Head: []string{"Mode", "", "A", "B"}}
	for _, d := range c.Clusters {
		clusters.Rows = append(clusters.Rows, []string{d.Modes, d.What, cmp.Or(d.A, "none"), cmp.Or(d.B, "none")})
	}
	p.Add(clusters)
	p.Add(reports.Section{Title: "What to know", Text: c.Notes})
	return p
}

// modes returns the modes of a side that were compared, in words.
func (c Comparison) modes(side func(Pair) string) string {
	return strings.Join(model.Distinct(c.pairs, side), " and ")
}

func sideOf(name string, r model.Run, modes string) string {
	return fmt.Sprintf("%s: run %s in %s, begun %s UTC, by build %s.", name, r.ID, modes,
		r.Began.UTC().Format("2006-01-02 15:04:05"), r.Version)
}

// verdictOf sums up a comparison.
func verdictOf(c Comparison) string {
	over := fmt.Sprintf("%d scenarios and %d numbers were compared.", c.Compared, len(c.Numbers))
	if len(c.Gone)+len(c.New) > 0 {
		over += fmt.Sprintf(" %d scenarios went, and %d are new.", len(c.Gone), len(c.New))
	}
	effects := make(map[Effect]int)
	for _, o := range c.Outcomes {
		effects[o.Effect]++
	}
	for _, n := range c.Numbers {
		effects[n.Effect]++
	}
	worse, better := effects[Worse], effects[Better]
	switch {
	case worse+better == 0:
		return "Nothing is shown to have got worse or better. " + over
	case worse == 0:
		return fmt.Sprintf("Nothing is shown to have got worse, and %d got better. %s", better, over)
	default:
		return fmt.Sprintf("%d got worse, and %d got better. %s", worse, better, over)
	}
}
