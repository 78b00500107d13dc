package verdict

import (
	"fmt"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Limits of trust. None of them is normative for clusters: they say when the harness itself was
// too slow, too quiet or too blind to accuse anyone.
const (
	// trustedPercent of the rate asked must have been offered.
	trustedPercent = 99
	// trustedLag is the highest p99 of Sent-Due. Above it hits are placed in phases and outages
	// they do not belong to: an outage worth finding (a node's stale rules, an undrained pod) takes
	// from tens to hundreds of milliseconds. It holds for the host vantage too, whose machine is
	// also the one most likely to be busy.
	trustedLag = 100 * time.Millisecond
	// trustedStall is the latest any request may be sent. A client that was stopped for longer was not
	// there to see what happened meanwhile, however few of its requests that were.
	trustedStall = time.Second
	// trustedSilence is how long after load-begun an agent may start on a lane and before load-ended
	// it may fall silent. A dead client offers its full rate until it dies. It is generous because the
	// marks include a round trip to every agent and its requests in flight.
	trustedSilence = 5 * time.Second
	// trustedConntrack is how full a node's connection table may be, in permille. A full one drops packets
	// of new connections, whatever the rollout does.
	trustedConntrack = 900
)

// A reason why the recording cannot be judged, as one sentence and as briefly as a headline needs it.
type reason struct{ brief, because string }

func reasonsOf(sentences ...string) []reason {
	var reasons []reason
	for _, s := range sentences {
		reasons = append(reasons, reason{s, s})
	}
	return reasons
}

// distrust lists why the recording cannot be judged, most fundamental reason first, and reports whether it is only that
// its clients were late.
func distrust(run evidence.Run, tl timeline.Timeline) (reasons []reason, late bool) {
	reasons = append(reasons, reasonsOf(run.Distrust...)...)
	reasons = append(reasons, contradictions(tl)...)
	reasons = append(reasons, reasonsOf(blindness(tl)...)...)
	if run.Unloaded {
		return reasons, false
	}
	reasons = append(reasons, reasonsOf(missingMarks(tl)...)...)
	reasons = append(reasons, reasonsOf(fullNodes(tl)...)...)
	reasons = append(reasons, reasonsOf(unreadyNodes(tl)...)...)
	if len(tl.Lanes) == 0 {
		reasons = append(reasons, reasonsOf("the run has 0 lanes")...)
	}
	if run.Measures { // the nodes' rules, for which clients may be late
		return reasons, false
	}
	limits := lagLimitsAt(run.Pace)
	var delays []reason
	for _, lane := range tl.Lanes {
		reasons = append(reasons, reasonsOf(weakLoad(lane, tl, limits)...)...)
		delays = append(delays, delayed(lane, tl, limits)...)
	}
	reasons = append(reasons, earlyDamage(tl)...)
	return append(reasons, delays...), len(reasons) == 0 && len(delays) > 0
}

// contradictions are the problems of the timeline, each with the file that has it.
func contradictions(tl timeline.Timeline) []reason {
	var reasons []reason
	for _, problem := range tl.Problems {
		file, _, _ := strings.Cut(problem, ":")
		reasons = append(reasons, reason{file + " is damaged or contradicts itself", problem})
	}
	return reasons
}

func missingMark(kind evidence.EventKind) string { return fmt.Sprintf("mark %q is missing", kind) }

func missingMarks(tl timeline.Timeline) []string {
	var reasons []string
	for _, kind := range tl.PhaseMarks() {
		if _, ok := tl.Mark(kind); !ok {
			reasons = append(reasons, missingMark(kind))
		}
	}
	return reasons
}

func blindness(tl timeline.Timeline) []string {
	var reasons []string
	for _, e := range tl.Events {
		switch e.Kind {
		case evidence.WatchGap:
			reasons = append(reasons, fmt.Sprintf("a watch was blind until %s (%s)", phrase.Seconds(e.At), e.Detail))
		case evidence.RecorderLost:
			reasons = append(reasons, fmt.Sprintf("a recorder was lost at %s (%s)", phrase.Seconds(e.At), e.Detail))
		}
	}
	return reasons
}

func fullNodes(tl timeline.Timeline) []string {
	var reasons []string
	for _, load := range tl.NodeLoads() {
		if load.Conntrack > trustedConntrack {
			reasons = append(reasons, fmt.Sprintf("the connection table of %s held %s, over %d %%",
				load.Node, load.Entries, trustedConntrack/10))
		}
	}
	return reasons
}

// unreadyNodes tells of trouble that no rollout makes.
func unreadyNodes(tl timeline.Timeline) []string {
	var reasons []string
	for _, e := range tl.Events {
		if e.Kind == evidence.NodeUnready && tl.Phase(e.At) != timeline.Outside {
			reasons = append(reasons, fmt.Sprintf("node %s was not ready at %s", e.Object, phrase.Seconds(e.At)))
		}
	}
	return reasons
}

// busiest says how busy a node was, for whoever wonders why it was late; empty when that was not seen.
func busiest(node string, tl timeline.Timeline) string {
	for _, load := range tl.NodeLoads() {
		if load.Node != node || len(load.Busy) == 0 {
			continue
		}
		stolen := ""
		if load.Stolen > 0 {
			stolen = fmt.Sprintf("; other machines of its host took %d %% at most", load.Stolen/10)
		}
		return fmt.Sprintf(" (its node's processors were %d %% busy half of the time, %d %% at most%s)",
			timeline.Percentile(load.Busy, 50)/10, timeline.Percentile(load.Busy, 100)/10, stolen)
	}
	return ""
}

// A client is as late as its machine is slow.
type lagLimits struct{ lag, stall, silence time.Duration }

func lagLimitsAt(p evidence.Pace) lagLimits {
	if p == evidence.SlowPace {
		return lagLimits{150 * time.Millisecond, 3 * trustedStall, 3 * trustedSilence}
	}
	return lagLimits{trustedLag, trustedStall, trustedSilence}
}

func weakLoad(lane timeline.Lane, tl timeline.Timeline, limits lagLimits) []string {
	if lane.Summary.Requests == 0 {
		return []string{fmt.Sprintf("%s: lane %q has 0 hits", evidence.HitsFile, lane.ID)}
	}
	var reasons []string
	if underRate(lane, trustedPercent) {
		reasons = append(reasons, fmt.Sprintf("%s, under %d %%", rate(lane), trustedPercent))
	}
	for i, agent := range lane.Summary.Agents {
		who := lane.ID
		if len(lane.Summary.Agents) > 1 {
			who = fmt.Sprintf("agent %d of %s", i, lane.ID)
		}
		if agent.Requests == 0 {
			reasons = append(reasons, who+" sent 0 requests")
			continue
		}
		if begun, ok := tl.Mark(evidence.LoadBegun); ok && agent.FirstSent-begun > limits.silence {
			reasons = append(reasons, fmt.Sprintf("%s sent its first request %s after the load began",
				who, phrase.Seconds(agent.FirstSent-begun)))
		}
		if ended, ok := tl.Mark(evidence.LoadEnded); ok && ended-agent.LastSent > limits.silence {
			reasons = append(reasons, fmt.Sprintf("%s sent its last request %s before the load ended",
				who, phrase.Seconds(ended-agent.LastSent)))
		}
	}
	return reasons
}

// delayed tells how late a client was.
func delayed(lane timeline.Lane, tl timeline.Timeline, limits lagLimits) []reason {
	var reasons []reason
	if lag := lane.Summary.Lag.P99; lag > limits.lag {
		brief := fmt.Sprintf("%s sent 1 %% of its requests %s late or later, over %s", lane.ID, phrase.Seconds(lag), phrase.Seconds(limits.lag))
		reasons = append(reasons, reason{brief, brief + busiest(lane.Node, tl)})
	}
	if lag := lane.Summary.Lag.Max; lag > limits.stall {
		reasons = append(reasons, reasonsOf(fmt.Sprintf("%s sent a request %s late, over %s",
			lane.ID, phrase.Seconds(lag), phrase.Seconds(limits.stall)))...)
	}
	return reasons
}

// earlyDamage finds failures no rollout can have caused: those before it, and those of a control
// lane, which no kube-proxy touches.
func earlyDamage(tl timeline.Timeline) []reason {
	var early []timeline.Hit
	begun, _ := tl.Mark(evidence.LoadBegun)
	for _, h := range timeline.Failed(tl.Lanes) {
		if tl.Phase(h.Sent) == timeline.Before || h.Sent < begun {
			early = append(early, h)
		}
	}
	var reasons []reason
	for _, damage := range []struct {
		failed []timeline.Hit
		where  string
	}{
		{early, "before any change"},
		{timeline.Failed(tl.LanesWhere(evidence.LaneKind.IsControl)), "on the control lane, which no rollout touches"},
	} {
		if len(damage.failed) > 0 {
			brief := fmt.Sprintf("%s failed (%s) %s", phrase.Count(len(damage.failed), "request"), kinds(damage.failed), damage.where)
			reasons = append(reasons, reason{brief, brief + ", " + describeHits(damage.failed, tl).String()})
		}
	}
	return reasons
}
