package page

import (
	"cmp"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A view is what the template of the page gets.
type view struct {
	model.Report
	assets
	Modes     []string // in which anything was recorded, in the order of the report
	Attention []run    // failed ones first, then inconclusive ones
	Scenarios []scenario
}

// Watched reports whether a cluster was watched in any run, so that the page needs the words about clusters.
func (v view) Watched() bool {
	return slices.ContainsFunc(v.Report.Scenarios, func(s model.Scenario) bool { return s.Mode != evidence.NoCluster })
}

// Open lists the scenarios with a run that needs a look: they stand first and unfolded, those that failed before the others.
func (v view) Open() []scenario {
	open := slices.DeleteFunc(slices.Clone(v.Scenarios), func(s scenario) bool { return !s.bad() })
	passed := func(s scenario) int { // 0: a run of it failed
		if slices.ContainsFunc(s.Runs, func(r run) bool { return r.Outcome == verdict.Fail }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(open, func(a, b scenario) int { return passed(a) - passed(b) })
	return open
}

// Others lists the other scenarios.
func (v view) Others() []scenario { return slices.DeleteFunc(slices.Clone(v.Scenarios), scenario.bad) }

// A scenario is one scenario with its runs, one per mode.
type scenario struct {
	Suite, ID, Claim       string
	Covers, ClusterChanges []string
	Runs                   []run
	Open                   bool // unfolded: a run of it needs a look, or there is no other scenario
}

// MustLose reports whether the scenario is a negative control, in any mode.
func (s scenario) MustLose() bool { return slices.ContainsFunc(s.Runs, run.MustLose) }

func (s scenario) bad() bool { return slices.ContainsFunc(s.Runs, run.Bad) }

// A run is one scenario in one mode, with what was recorded of it.
type run struct {
	model.Scenario
	recording
}

// HostAlone reports whether no cluster was watched, so that nothing is known of pods and nodes.
func (r run) HostAlone() bool { return r.Mode == evidence.NoCluster }

// Name returns the anchor of a run, unique on the page.
func (r run) Name() string { return anchor(r.Mode, r.Suite, r.ID) }

// Name returns the anchor of a scenario; no mode is called "scenario".
func (s scenario) Name() string { return anchor("scenario", s.Suite, s.ID) }

// anchor returns a name that needs no escaping in an address, if its parts need none.
func anchor(parts ...string) string { return strings.Join(parts, ".") }

// In returns the run in a mode, or nil.
func (s scenario) In(mode string) *run {
	i := slices.IndexFunc(s.Runs, func(r run) bool { return r.Mode == mode })
	if i < 0 {
		return nil
	}
	return &s.Runs[i]
}

// Reason returns the whole reason; empty if the headline or the rules below say as much.
func (r run) Reason() string {
	said := func(rule model.Rule) bool { return rule.Because != "" && strings.Contains(r.Because, rule.Because) }
	if r.Because == r.Brief() || slices.ContainsFunc(r.Rules, said) {
		return ""
	}
	return r.Because
}

// FactsOf returns the facts of a rule, unless the run shows the same.
func (r run) FactsOf(rule model.Rule) []model.Fact {
	if slices.Equal(rule.Facts, r.Facts) {
		return nil
	}
	return rule.Facts
}

// Headline returns what the run showed. Where requests failed and the reason for its outcome is something else, that comes after them.
func (r run) Headline() string {
	said := r.Brief()
	if !r.Bad() || r.Failed() == 0 || strings.Contains(said, " failed") {
		return said
	}
	lost := r.share() + " requests failed"
	for _, m := range r.Measurements() {
		if m.Key() == "longest_outage_ms" && m.Value.Value > 0 {
			lost += ", longest outage " + m.Text()
		}
	}
	return lost + ": " + said
}

// share returns how many requests failed, such as "3 of 1,200".
func (r run) share() string { return phrase.Number(r.Failed()) + " of " + phrase.Number(r.Requests()) }

// MustLose reports whether the run is a negative control: clients have to lose requests.
func (r run) MustLose() bool {
	return r.Suite == "control" || slices.ContainsFunc(r.Rules, func(rule model.Rule) bool { return rule.ID == "damage-seen" })
}

// WorstRules lists the rules, those first that failed, then those that could not tell.
func (r run) WorstRules() []model.Rule {
	bad := []verdict.Outcome{verdict.Inconclusive, verdict.Fail}
	return slices.SortedStableFunc(slices.Values(r.Rules),
		func(a, b model.Rule) int { return slices.Index(bad, b.Outcome) - slices.Index(bad, a.Outcome) })
}

// Remedies returns what to do about a run that did not pass; nothing where no cluster was watched, since remedies are about clusters.
func (r run) Remedies() (all []remedy) {
	if r.HostAlone() {
		return nil
	}
	codes := reports.RemedyCodes(r.Scenario)
	for _, c := range verdict.Codes() {
		if slices.Contains(codes, c.Code) {
			all = append(all, remedy{c.Code, phrase.Capital(c.Remedy())})
		}
	}
	return all
}

// A remedy is what a code of a rule or a reason says to do.
type remedy struct{ Code, Do string }

// Cell returns the lines below the outcome in the run's cell of the matrix.
func (r run) Cell() []string {
	switch {
	case r.Requests() > 0:
		failed := r.share() + " failed"
		switch {
		case r.Outcome != verdict.Pass || r.Failed() == 0:
		case r.MustLose():
			failed += ", as expected"
		default:
			failed += ", as allowed"
		}
		return append([]string{failed}, keyNumbers(r.Scenario)...)
	case r.Outcome == verdict.Pass:
		return []string{phrase.Count(len(r.Rules), "rule") + " checked"}
	default:
		return nil
	}
}

// keyNumbers formats the numbers by which rollouts are compared first.
func keyNumbers(s model.Scenario) (all []string) {
	for _, m := range s.Measurements() {
		switch m.Key() {
		case "status_gap_ms", "rule_lag_max_ms":
			text := m.Unit.Text(m.Value.Value)
			if m.Value.Value < 0 { // the last reply came before the status
				text = "none"
			}
			all = append(all, m.Title+" "+text)
		}
	}
	return all
}

func newView(recordings map[string]recording, r model.Report, ui assets) view {
	v := view{Report: r, assets: ui, Modes: model.Distinct(r.Clusters, func(c evidence.Cluster) string { return c.Mode })}
	v.Clusters = slices.DeleteFunc(slices.Clone(r.Clusters), func(c evidence.Cluster) bool { return c.Mode == evidence.NoCluster })
	for _, s := range r.Scenarios {
		v.add(run{s, recordings[s.Evidence]})
	}
	slices.SortStableFunc(v.Scenarios, func(a, b scenario) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.ID, b.ID))
	})
	for i := range v.Scenarios {
		v.Scenarios[i].Open = len(v.Scenarios) == 1 || v.Scenarios[i].bad()
	}
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
	if len(s.ClusterChanges) == 0 {
		s.ClusterChanges = r.ClusterChanges
	}
}
