package compare

import (
	"fmt"
	"slices"
	"strconv"

	"example.com/rollcall/reports"
)

// Numbers shows the numbers of a comparison, a line each: those of every mode as a whole, and those of scenarios that are worth a line. a
// and b are the names of the sides.
func Numbers(c Comparison, a, b string) []reports.Section {
	var modes, scenarios []reports.Section
	for _, n := range c.Numbers {
		switch {
		case !n.told():
		case n.Scenario == "":
			modes = withRow(modes, "Numbers of "+n.Modes, a, b, n.row())
		default:
			scenarios = withRow(scenarios, n.Scenario+", "+n.Modes, a, b, n.row())
		}
	}
	all := append(modes, scenarios...)
	for _, s := range all {
		slices.SortStableFunc(s.Rows, func(x, y []string) int { return rank(x[0]) - rank(y[0]) })
	}
	if len(all) > 0 {
		all[0].Text = legend()
	}
	return all
}

// withRow adds a row to the section with this title, which it adds if there is none.
func withRow(sections []reports.Section, title, a, b string, row []string) []reports.Section {
	i := slices.IndexFunc(sections, func(s reports.Section) bool { return s.Title == title })
	if i < 0 {
		i = len(sections)
		head := []string{"", "Number", a, b, "Change", "Margin", "p", "Detectable change", "Test, values"}
		sections = append(sections, reports.Section{Title: title, Head: head})
	}
	sections[i].Rows = append(sections[i].Rows, row)
	return sections
}

// told reports whether the number is worth a line: of a mode, every one with a margin; of a scenario, those that differ.
func (n Number) told() bool {
	if n.Scenario == "" {
		return n.Moved() || n.Metric.Sample.Margin > 0
	}
	return n.Moved() || n.Effect == CannotTell && n.Beyond()
}

func (n Number) row() []string {
	return []string{string(n.Effect), n.Metric.Title, n.text(n.A, n.NA), n.text(n.B, n.NB), n.change(n.B - n.A), n.margin(),
		strconv.FormatFloat(n.P, 'g', 2, 64), n.sees(), fmt.Sprintf("%s, %d and %d", n.Test, n.NA, n.NB)}
}

func rank(effect string) int {
	return slices.Index([]Effect{Worse, Better, Neutral, CannotTell, NoWorse}, Effect(effect))
}

func legend() []string {
	return []string{
		"A mode's numbers are those of all scenarios that both sides have, each compared with itself.",
		"p: how likely chance does as much. Detectable change: the least found in nine of ten cases; none: too few values.",
		"Worse and better: at most one in a hundred by chance (Benjamini-Hochberg over all). No worse: within the margin, at 95%.",
		"Cannot tell: neither was shown. More runs of a side show more: name them with commas between.",
	}
}
