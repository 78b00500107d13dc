package reports

import (
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
)

// newScenario joins and judges one attempt; folder is where its evidence lies in the run folder.
func newScenario(ev evidence.Evidence, folder string) (Scenario, error) {
	run := ev.Run
	s := Scenario{
		ID: run.Scenario, Suite: run.Suite, Mode: run.Mode, Claim: run.Claim, Covers: append([]string{}, run.Covers...),
		Attempts: run.Attempt, Began: run.Began.UTC(), Seconds: seconds(run.Length),
		Rules: []Rule{}, Lanes: []Lane{}, Evidence: folder,
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		return Scenario{}, err
	}
	v := verdict.Judge(run, tl)
	s.Outcome, s.Because = v.Outcome, v.Because
	for _, f := range v.Findings {
		s.Rules = append(s.Rules, newRule(f))
	}
	if v.Outcome == verdict.Skipped {
		return s, nil
	}
	for _, lane := range tl.Lanes {
		s.Lanes = append(s.Lanes, newLane(lane))
	}
	begun, hasBegun := tl.Mark(evidence.LoadBegun)
	ended, hasEnded := tl.Mark(evidence.LoadEnded)
	if hasBegun && hasEnded {
		s.LoadSeconds = new(seconds(ended - begun))
	}
	s.Numbers = newNumbers(tl)
	return s, nil
}

func newRule(f verdict.Finding) Rule {
	r := Rule{ID: f.Rule, Claim: f.Claim, Outcome: f.Outcome, Because: f.Because, Witnesses: []Witness{}}
	for _, w := range f.Witnesses {
		r.Witnesses = append(r.Witnesses, Witness(w))
	}
	return r
}

func newLane(lane timeline.Lane) Lane {
	s := lane.Summary
	l := Lane{
		ID: lane.ID, Vantage: lane.Vantage, Node: lane.Node, Conn: lane.Conn, AskedRate: lane.Rate,
		Requests: s.Requests, Retried: s.Retried, ByVersion: s.ByVersion,
		LongestOutage: millis(s.LongestOutage()), Failures: s.Failures,
	}
	if s.Rate > 0 {
		l.AchievedRate = new(thousandths(s.Rate))
	}
	if s.Requests > 0 {
		l.LagP99 = new(millis(s.Lag.P99))
	}
	return l
}

func newNumbers(tl timeline.Timeline) Numbers {
	var n Numbers
	if gap, ok := tl.StatusGap(); ok {
		n.StatusGap = new(millis(gap))
	}
	if mixed, ok := tl.MixedWindow(); ok {
		n.MixedWindow = new(millis(mixed.Length()))
	}
	if lowest, ok := tl.MinAvailable(); ok {
		n.MinAvailable = &lowest.Available
	}
	if highest, ok := tl.MaxPods(); ok {
		n.MaxPods = &highest.Total
	}
	if lags := tl.DrainLags(); len(lags) > 0 {
		durations := make([]time.Duration, len(lags))
		for i, l := range lags {
			durations[i] = l.Lag
		}
		spread := timeline.SpreadOf(durations)
		n.DrainLag = &DrainLags{P50: millis(spread.P50), Max: millis(spread.Max)}
	}
	return n
}
