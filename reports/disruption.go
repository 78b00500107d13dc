package reports

import (
	"cmp"
	"slices"
	"strconv"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// mostOutages is how many of a scenario's outages are reported, the longest ones.
const mostOutages = 20

// newDisruption returns what was done to the cluster, or nil.
func newDisruption(run evidence.Run, tl timeline.Timeline) *model.Disruption {
	if run.Disruption == nil {
		return nil
	}
	d := model.Disruption{ID: run.Disruption.ID, Does: run.Disruption.Does, Nodes: run.Disruption.Nodes}
	d.Begun, d.Undone = markMillis(tl, evidence.DisruptionBegun), markMillis(tl, evidence.DisruptionUndone)
	if !tl.HostAlone {
		d.Whole = markMillis(tl, evidence.ClusterWhole)
	}
	if noted, ok := tl.Fact(evidence.CommandExit); ok {
		if code, err := strconv.Atoi(noted.Detail); err == nil {
			d.CommandExit = &code
		}
	}
	return &d
}

// untilWhole returns how long after the disruption was undone the cluster was whole again, in milliseconds; nil if that was not seen.
func untilWhole(tl timeline.Timeline) *float64 {
	undone, over := tl.Mark(evidence.DisruptionUndone)
	whole, ok := tl.Mark(evidence.ClusterWhole)
	if !over || !ok || tl.HostAlone {
		return nil
	}
	return new(millis(whole - undone))
}

func newSteps(tl timeline.Timeline) []model.Step {
	var steps []model.Step
	for _, s := range tl.Steps() {
		steps = append(steps, model.Step{At: millis(s.At), Node: s.Node, What: s.What + lostAddresses(s, tl)})
	}
	return steps
}

// lostAddresses names, for a boot of a node, the control lanes that show nothing from then on.
func lostAddresses(s timeline.Step, tl timeline.Timeline) (said string) {
	if s.Kind != evidence.NodeChanged || s.What != evidence.Booted {
		return ""
	}
	for _, lane := range tl.Lanes {
		if at, lost := tl.LostAddress(lane); lost && s.At == at && s.Node == lane.TargetNode {
			said += "; " + lane.ID + " asks for the address that its pod had before"
		}
	}
	return said
}

func newAgentsAway(tl timeline.Timeline) []model.AgentAway {
	var all []model.AgentAway
	for _, a := range tl.AgentsAway() {
		all = append(all, model.AgentAway{Node: a.Node, From: millis(a.From), Length: millis(a.Length()), LeftOut: a.LeftOut,
			Unknown: a.Unknown, Why: a.Why})
	}
	return all
}

// newOutages lists the longest outages, the longest first.
func newOutages(tl timeline.Timeline) []model.Outage {
	all := timeline.Losses(tl.Lanes, tl.Steps())
	slices.SortStableFunc(all, func(a, b timeline.Loss) int {
		return cmp.Or(-cmp.Compare(a.Length(), b.Length()), cmp.Compare(a.From, b.From))
	})
	var outages []model.Outage
	for _, a := range all[:min(mostOutages, len(all))] {
		o := model.Outage{Lane: a.Lane, From: millis(a.From), Length: millis(a.Length()), Failed: a.Failed, Open: a.Open}
		if a.Step != nil {
			o.Step, o.After = a.Step.String(), new(millis(a.After.Length))
		}
		for _, s := range slices.Concat(a.Perhaps, a.Meanwhile) {
			o.Spans = append(o.Spans, s.String())
		}
		outages = append(outages, o)
	}
	return outages
}
