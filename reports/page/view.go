package page

import (
	"cmp"
	"slices"
	"strings"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

// A view is what the template is given.
type view struct {
	model.Report
	assets
	Modes     []string // in which anything was recorded, in the order of the report
	Attention []run    // failed ones first, then inconclusive ones
	Scenarios []scenario
}

// A scenario is all there is about one scenario: a run per mode.
type scenario struct {
	Suite, ID, Claim string
	Covers, Given    []string
	Runs             []run
}

// A run is one scenario in one mode, with what was recorded of it.
type run struct {
	model.Scenario
	recording
}

// Name is what a run is linked by, unique on the page.
func (r run) Name() string { return anchor(r.Mode, r.Suite, r.ID) }

// Name is what a scenario is linked by; no mode is called so.
func (s scenario) Name() string { return anchor("scenario", s.Suite, s.ID) }

// anchor is a name that needs no escaping in an address, as long as its parts do not.
func anchor(parts ...string) string { return strings.Join(parts, ".") }

// In is the run in a mode; nil when there is none.
func (s scenario) In(mode string) *run {
	i := slices.IndexFunc(s.Runs, func(r run) bool { return r.Mode == mode })
	if i < 0 {
		return nil
	}
	return &s.Runs[i]
}

// Begun says that nothing in the mode kept the scenario from running.
func (r run) Begun() bool { return r.Outcome != verdict.Skipped }

// Bad says that the run needs a look.
func (r run) Bad() bool { return r.Outcome == verdict.Fail || r.Outcome == verdict.Inconclusive }

// Requests is how many were sent on all lanes.
func (r run) Requests() (n int) {
	for _, lane := range r.Lanes {
		n += lane.Requests
	}
	return n
}

// Failed is how many requests failed on all lanes.
func (r run) Failed() (n int) {
	for _, lane := range r.Lanes {
		n += lane.Failed()
	}
	return n
}

func newView(dir string, r model.Report, ui assets) view {
	v := view{Report: r, assets: ui}
	for _, c := range r.Clusters {
		v.Modes = append(v.Modes, c.Mode)
	}
	for _, s := range r.Scenarios {
		v.add(run{s, recall(dir, s)})
	}
	slices.SortStableFunc(v.Scenarios, func(a, b scenario) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(v.Attention, func(a, b run) int { return -cmp.Compare(a.Outcome, b.Outcome) })
	return v
}

func (v *view) add(r run) {
	if !slices.Contains(v.Modes, r.Mode) {
		v.Modes = append(v.Modes, r.Mode)
	}
	if r.Bad() {
		v.Attention = append(v.Attention, r)
	}
	i := slices.IndexFunc(v.Scenarios, func(s scenario) bool { return s.Suite == r.Suite && s.ID == r.ID })
	if i < 0 {
		i = len(v.Scenarios)
		v.Scenarios = append(v.Scenarios, scenario{Suite: r.Suite, ID: r.ID})
	}
	s := &v.Scenarios[i]
	s.Runs = append(s.Runs, r)
	s.Claim = cmp.Or(s.Claim, r.Claim)
	if len(s.Covers) == 0 {
		s.Covers = r.Covers
	}
	if len(s.Given) == 0 {
		s.Given = r.Given
	}
}
