package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

//go:embed live.html.tmpl
var liveMarkup string

//go:embed live.js
var liveScript string

// A liveView is what the template of a run that is under way gets.
type liveView struct {
	progress.Status
	assets
	Page    string // where the page of the run will be
	Summary model.Summary
}

// Elapsed returns how long the run has taken so far, in seconds.
func (v liveView) Elapsed() float64 { return v.Updated.Sub(v.Began).Seconds() }

// An endedRow is a scenario that ended, or several that were skipped for one reason.
type endedRow struct {
	progress.Ended
	Alike int // how many scenarios
}

// Rows returns the rows of what ended, the last first.
func (v liveView) Rows() (rows []endedRow) {
	for _, alike := range progress.Alike(v.Ended) {
		rows = append(rows, endedRow{alike[0], len(alike)})
	}
	slices.Reverse(rows)
	return rows
}

// Live writes a page about a run that is under way, which updates itself from where it was loaded. The run's own page will be the named
// file.
func Live(w io.Writer, s progress.Status, file string) error {
	ui := newAssets(liveScript)
	ui.Policy += "; connect-src 'self'"
	v := liveView{Status: s, assets: ui, Page: file}
	for _, e := range s.Ended {
		var outcome verdict.Outcome
		if outcome.UnmarshalText([]byte(e.Outcome)) == nil {
			v.Summary.Add(outcome)
		}
	}
	if err := template.Must(templates().New("live").Parse(liveMarkup)).Execute(w, &v); err != nil {
		return fmt.Errorf("page: write live: %w", err)
	}
	return nil
}
