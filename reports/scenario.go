package reports

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/advice"
	"example.com/rollcall/reports/model"
)

// A place is where the evidence of an attempt is in a run folder.
type place struct {
	mode, suite, scenario string
	attempt               int
}

// in returns the attempt's folder in the run folder dir.
func (p place) in(dir string) string {
	return evidence.ScenarioFolder(dir, p.mode, p.suite, p.scenario, p.attempt)
}

func placeOf(run evidence.Run) place { return place{run.Mode, run.Suite, run.Scenario, run.Attempt} }

// scenario returns the attempt at a place, which it reads, joins and judges unless that was done. One that cannot be read is inconclusive.
func (l *loader) scenario(at place) model.Scenario {
	s, ok := l.taken(at)
	if !ok {
		s = newScenario(at)
		if err := l.judge(&s, at); err != nil {
			s.Outcome, s.Because = verdict.Inconclusive, "the recording cannot be read: "+within(l.dir, err)
			s.Headline = phrase.Headline(s.Because)
			l.observer.Unread(s, err)
		}
	}
	listFiles(&s, at.in(l.dir))
	return s
}

func newScenario(at place) model.Scenario {
	return model.Scenario{
		ID: at.scenario, Suite: at.suite, Mode: at.mode, Covers: []string{}, Attempts: at.attempt,
		Rules: []model.Rule{}, Lanes: []model.Lane{}, Evidence: filepath.ToSlash(at.in("")),
	}
}

// listFiles lists the files of the evidence, without the patch that a report wrote and the verdict, and notes whether there are
// diagnostics. It skips a folder that cannot be listed: judge reports that.
func listFiles(s *model.Scenario, folder string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		switch {
		case entry.Name() == PatchFile || entry.Name() == evidence.VerdictFile:
		case entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), "."):
			s.Files = append(s.Files, entry.Name())
		case entry.IsDir() && entry.Name() == evidence.DiagnosticsFolder:
			s.Diagnostics = path.Join(s.Evidence, evidence.DiagnosticsFolder)
		}
	}
}

// judge fills in a scenario from the recording at its place.
func (l *loader) judge(s *model.Scenario, at place) error {
	folder := at.in(l.dir)
	var observed func(model.Scenario, kept.Recording)
	rec, err := l.read(folder, func(run evidence.Run) (show func(evidence.Hit, error)) {
		show, observed = l.observer.Reading(run)
		return show
	})
	switch is := placeOf(rec.Run); {
	case err != nil && rec.Run.Schema == 0:
		return err
	case is != at:
		return fmt.Errorf("%s: it is attempt %d of %s/%s/%s, the folder says otherwise: move it back",
			filepath.Join(folder, evidence.RunFile), is.attempt, is.mode, is.suite, is.scenario)
	case err != nil:
		describe(s, rec.Run)
		return err
	}
	fill(s, rec)
	observed(*s, rec)
	if rec.Misfit != "" {
		l.misfits[rec.Misfit]++
	}
	if l.keeps {
		_ = rec.Keep() // else it is judged the next time, too
	}
	return nil
}

// describe fills in what is known of a scenario before it is judged.
func describe(s *model.Scenario, run evidence.Run) {
	s.Kubernetes, s.Claim, s.Covers = run.Kubernetes, run.Claim, append(s.Covers, run.Covers...)
	s.ClusterChanges, s.RecordedFor = run.ClusterChanges, run.RecordedFor
	s.Began, s.Seconds = run.Began.UTC(), seconds(run.Length)
}

// fill fills in a scenario from its recording.
func fill(s *model.Scenario, rec kept.Recording) {
	run, tl, v := rec.Run, rec.Timeline, rec.Verdict
	describe(s, run)
	s.Outcome, s.Headline, s.Facts, s.Because = v.Outcome, v.Headline, v.Facts, v.Because
	s.Claims, s.Bug = v.Claims, newBug(run, v)
	for _, f := range v.Findings {
		s.Rules = append(s.Rules, newRule(f))
	}
	for _, r := range v.Distrust {
		s.Distrust = append(s.Distrust, model.Distrust{ID: r.ID, Code: verdict.CodeOf(r.ID), Because: r.Because,
			Rules: append([]string{}, r.Rules...)})
	}
	for _, l := range v.Limits {
		s.Limits = append(s.Limits, model.Limit{ID: l.ID, Code: verdict.CodeOf(l.ID), Text: l.Text})
	}
	for _, w := range v.Waits {
		s.Stalls = append(s.Stalls, model.Stall{Who: cmp.Or(w.Pod, w.Program), Node: w.Node, From: millis(w.From), To: millis(w.To),
			Waited: millis(w.Waited)})
	}
	s.Earlier, s.Foreign, s.Timeout = run.Earlier, run.Foreign, millis(run.Timeout)
	if run.Skipped != "" {
		return
	}
	for _, lane := range tl.Lanes {
		s.Lanes = append(s.Lanes, newLane(lane, tl))
	}
	s.Flows = newFlows(tl)
	for _, lack := range run.Lacks {
		if lack.Name == evidence.FlowEvents {
			s.FlowsLack = lack.Because
		}
	}
	begun, hasBegun := tl.Mark(evidence.LoadBegun)
	ended, hasEnded := tl.Mark(evidence.LoadEnded)
	if hasBegun && hasEnded {
		s.LoadSeconds = new(seconds(ended - begun))
	}
	s.Numbers, s.Lags = newNumbers(tl), newPodLags(tl)
	terminations := tl.Terminations()
	s.Terminations, s.Numbers.NeededDrains = newTerminations(tl.Ends()), newNeededDrains(terminations)
	if len(run.ClusterChanges) > 0 { // perhaps to a slower kube-proxy: that is not what the cluster needs
		s.Numbers.NeededDrain, s.Numbers.NeededDrains = nil, nil
	}
	s.Disruption, s.Steps, s.AgentsAway = newDisruption(run, tl), newSteps(tl), newAgentsAway(tl)
	if s.Disruption != nil || len(s.Steps) > 0 {
		s.Outages, s.Numbers.Whole = newOutages(tl), untilWhole(tl)
	}
	causes := tl.Causes()
	s.Causes = newCauses(causes, tl)
	// Of an app that is not watched nothing is known, unless it is of the suite own, which earlier releases had: that deployed it.
	if run.UserApp != nil && (run.Disruption == nil || run.UserApp.Watched && !run.Disruption.Unjudged) {
		s.Advice, s.Patch = advice.On(*run.UserApp, *s, tl.Signs(), causes)
	}
	if len(run.Clocks) > 0 {
		s.Numbers.ClockUncertainty = new(millis(tl.ClockUncertainty()))
	}
}

func newRule(f verdict.Finding) model.Rule {
	return model.Rule{
		ID: f.Rule, Code: verdict.CodeOf(f.Rule), Claim: f.Claim, Outcome: f.Outcome, Headline: f.Headline,
		Facts: f.Facts, Because: f.Because, Witnesses: append([]model.Witness{}, f.Witnesses...), Exposure: f.Exposure,
		Decides: f.Decides, Evidence: f.Evidence,
	}
}

func newLane(lane timeline.Lane, tl timeline.Timeline) model.Lane {
	s := lane.Summary
	l := model.Lane{
		ID: lane.ID, Vantage: lane.Vantage, Node: lane.Node, Protocol: lane.Protocol.Name(), Conn: lane.Conn, Resends: lane.Resends,
		Named: lane.Named, Steps: lane.Steps, Returned: s.Returned,
		RequestedRate: lane.Rate, Requests: s.Requests, Retried: s.Retried, Unknown: s.Unknown, ByVersion: s.ByVersion,
		LongestOutage: millis(s.LongestOutage()), LongestGap: millis(s.Gap.Length()), Failures: s.Failures,
	}
	if gap, ok := tl.StatusGap(lane); ok && lane.Kind().RequestsApp() {
		l.StatusGap = new(millis(gap.Length))
	}
	if tl.Arrived {
		l.LostReplies, l.Arrivals, l.NeverArrived = &s.LostReplies, &s.Arrivals, &s.NeverArrived
	}
	if r := s.Routings; r.Pod+r.Nowhere+r.Contradicted > 0 {
		l.Routed = new(model.Routed(r))
	}
	if s.Rate > 0 {
		l.AchievedRate = new(thousandths(s.Rate))
	}
	if s.Requests > 0 {
		l.LagP99 = new(millis(s.Lag.P99))
	}
	if s.Latency.Count > 0 {
		l.Latency = new(newLatency(s.Latency))
	}
	if s.FirstToken.Count > 0 {
		l.FirstToken = new(newLatency(s.FirstToken))
	}
	if s.TokenGap.Count > 0 {
		l.TokenGap = new(newLatency(s.TokenGap))
	}
	l.Connections = newConnections(tl.Keeping(lane))
	for phase, latency := range s.LatencyIn {
		if l.LatencyIn == nil {
			l.LatencyIn = map[string]model.Latency{}
		}
		l.LatencyIn[phase.String()] = newLatency(latency)
	}
	return l
}

// newFlows counts connections; nil if no node told of any.
func newFlows(tl timeline.Timeline) *model.Flows {
	f := model.Flows{LostEvents: tl.LostFlows}
	for _, lane := range tl.Lanes {
		r := lane.Summary.Routings
		f.Connections += r.Pod + r.Nowhere + r.Unknown
		f.Attributed += lane.Summary.Attributed
	}
	if f.Connections == 0 {
		return nil
	}
	return &f
}

func newLatency(l timeline.Spread) model.Latency {
	return model.Latency{P50: millis(l.P50), P99: millis(l.P99), P999: millis(l.P999), Max: millis(l.Max)}
}

func newNumbers(tl timeline.Timeline) model.Numbers {
	var n model.Numbers
	clocks := tl.ClockUncertainty() > 0
	if gap, ok := tl.StatusGap(tl.ServiceLanes()...); ok {
		n.StatusGap = new(millis(gap.Length))
		if clocks {
			n.StatusGapError = new(millis(gap.Uncertainty))
		}
	}
	if mixed, ok := tl.MixedWindow(tl.ServiceLanes()); ok {
		n.MixedWindow = new(millis(mixed.Length()))
		if clocks {
			n.MixedWindowError = new(millis(mixed.Uncertainty))
		}
	}
	if lowest, ok := tl.MinAvailable(); ok {
		n.MinAvailable = &lowest.Available
	}
	if highest, ok := tl.MaxPods(); ok {
		n.MaxPods = &highest.Total
	}
	n.DrainLag, n.RuleLag = newLags(tl.DrainLags()), newLags(tl.RuleLags())
	for node, needed := range tl.NeededDrains() {
		if n.NeededDrain == nil {
			n.NeededDrain = map[string]float64{}
		}
		n.NeededDrain[node] = millis(needed)
	}
	n.NodeBusy, n.NodeStolen, n.Conntrack = newLoad(tl.NodeLoads())
	return n
}

// newLoad returns the load of nodes in percent; nil where it was not seen.
func newLoad(nodes []timeline.NodeLoad) (busy *model.Percent, stolen, conntrack *float64) {
	var seconds []int
	for _, node := range nodes {
		seconds = append(seconds, node.Busy...)
		if share := float64(node.Stolen) / 10; share > 0 && (stolen == nil || share > *stolen) {
			stolen = &share
		}
		if share := float64(node.Conntrack) / 10; node.Entries != "" && (conntrack == nil || share > *conntrack) {
			conntrack = &share
		}
	}
	if slices.Sort(seconds); len(seconds) > 0 {
		busy = &model.Percent{P50: float64(timeline.Percentile(seconds, 50)) / 10, Max: float64(timeline.Percentile(seconds, 100)) / 10}
	}
	return busy, stolen, conntrack
}

// newLags summarizes lags; nil without any.
func newLags(lags []timeline.PodLag) *model.Lags {
	if len(lags) == 0 {
		return nil
	}
	durations := make([]time.Duration, len(lags))
	var worst time.Duration
	for i, l := range lags {
		durations[i], worst = l.Lag.Length, max(worst, l.Lag.Uncertainty)
	}
	spread := timeline.SpreadOf(durations)
	return &model.Lags{P50: millis(spread.P50), Max: millis(spread.Max), Error: millis(worst)}
}
