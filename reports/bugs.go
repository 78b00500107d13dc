package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// newBug returns the bug that a run is about, or nil.
func newBug(run evidence.Run, v verdict.Verdict) *model.Bug {
	if run.Bug == nil {
		return nil
	}
	return &model.Bug{
		Issue: run.Bug.Name(), URL: run.Bug.URL(), Component: run.Bug.Component, Versions: verdict.VersionsRun(run),
		Known: v.BugKnown, Fixed: v.BugFixed, Answer: v.Bug, Assumed: len(run.ComponentVersions) == 0 && run.Kubernetes != "",
	}
}

// A BugRow is what one scenario found out about its bug, in the words of every report.
type BugRow struct {
	model.Scenario
	Said  string // the answer, and whether it was seen
	Ran   string // the versions of the component
	Fixed string // "fixed in" and the release, if a version that is known to have the bug showed it; else empty
	Why   string // why it cannot be told; else empty
}

// Bugs returns a row for each scenario about a bug: first where the bug was seen, then where it was not, then where that cannot be told,
// each by issue.
func Bugs(r model.Report) []BugRow {
	var rows []BugRow
	for _, s := range r.Scenarios {
		if s.Bug == nil {
			continue
		}
		row := BugRow{Scenario: s, Said: string(s.Bug.Answer), Ran: versionText(*s.Bug)}
		if s.Bug.Answer == verdict.CannotTell {
			row.Why = s.Brief() + knownOf(*s.Bug)
		} else {
			row.Said += " (seen)"
		}
		if s.Bug.Answer == verdict.Affected && s.Bug.Known {
			row.Fixed = "fixed in " + s.Bug.Fixed
		}
		rows = append(rows, row)
	}
	answers := []verdict.BugAnswer{verdict.Affected, verdict.NotAffected, verdict.CannotTell}
	slices.SortStableFunc(rows, func(a, b BugRow) int {
		return cmp.Or(
			cmp.Compare(slices.Index(answers, a.Bug.Answer), slices.Index(answers, b.Bug.Answer)), cmp.Compare(a.Bug.Issue, b.Bug.Issue))
	})
	return rows
}

// knownOf says whether the versions that ran are known to have a bug that the scenario could neither show nor rule out.
func knownOf(b model.Bug) string {
	if len(b.Versions) == 0 {
		return ""
	}
	is := "is not known"
	if b.Known {
		is = "is known"
	}
	return fmt.Sprintf("; %s %s %s to have it", b.Component, versionText(b), is)
}

// versionText returns the versions that ran, and says so if they are the API server's and not the component's own.
func versionText(b model.Bug) string {
	text := strings.Join(b.Versions, ", ")
	if b.Assumed {
		text += " (the API server's)"
	}
	return text
}

// cells returns the cells of the row, without Why.
func (r BugRow) cells() []string {
	return []string{r.Said, r.Bug.Issue, r.Bug.Component, r.Ran, r.Fixed, r.Mode, r.ID}
}

// printBugs writes the section about known bugs, if there are rows.
func printBugs(b *bytes.Buffer, rows []BugRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprint(b, "\nis this cluster affected by known bugs of Kubernetes?\n")
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	for i, line := range aligned(cells) {
		fmt.Fprintln(b, phrase.Cut(line, tableWidth))
		explain(b, rows[i].Why)
	}
}
