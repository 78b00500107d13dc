package verdict

import (
	"fmt"
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// MaxSwitch expects that from d after the write that begins the rollout every new connection goes to the new version: the old one
// answers no request sent later.
func MaxSwitch(d time.Duration) Expectation {
	return Expectation{Rule: maxSwitch.ID, Max: d, Conn: evidence.Fresh}
}

var maxSwitch = Rule{
	ID: "max-switch", Claim: "clients with new connections are answered by the new version alone soon after the switch was written",
	Lanes: ServiceLanes, BoundsSync: true, Unit: "reply", Untested: "no request sent after the switch had to be over was answered",
	marks: []evidence.EventKind{evidence.RolloutBegun}, needs: underLoad(evidence.AboutReplies),
	exposed: func(a args) (n int) { // replies by the new version, in whole seconds, that would have been too late by the old one
		begun, ok := a.tl.Mark(evidence.RolloutBegun)
		if ok {
			n, _ = a.repliesIn(a.tl.New, seconds{int((begun + a.Max + time.Second - 1) / time.Second), math.MaxInt})
		}
		return n
	},
	lack: func(a args) string {
		for _, lane := range a.lanes {
			old, next := lane.RepliesOf(a.tl.Old).Count, lane.RepliesOf(a.tl.New).Count
			if old == 0 || next == 0 {
				return fmt.Sprintf("%s got %s by %s and %d by %s", lane.ID, phrase.Count(old, "reply"), a.tl.Old, next, a.tl.New)
			}
		}
		return ""
	},
	question: bound{limits: atMost, says: "the last new connection went to {old} {since} the switch was written",
		rows: eachLane(func(a args, lane timeline.Lane) row {
			begun := a.at(evidence.RolloutBegun)
			last := lane.SentAfter(lane.RepliesOf(a.tl.Old).Last, begun)
			return row{amount: took(last), breaches: []Breach{{Kind: ALag, In: timeline.Window{From: begun, To: begun + last.Length},
				Late: last.Length - a.Max, By: append(timeline.ControlPlane(), timeline.Actor{Program: timeline.KubeProxy})}}}
		})},
}

// CleanCut expects that the new version gives its first reply after the old one gave its last, on all lanes.
func CleanCut() Expectation { return Expectation{Rule: cleanCut.ID} }

var cleanCut = Rule{
	ID: "clean-cut", Claim: "no client is answered by the old version once any is by the new one",
	Lanes: ServiceLanes, Unit: "reply", Untested: oneVersion, exposed: newReplies,
	needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: bound{limits: upTo(0), measured: "both answered for", says: bothAnswered,
		before: "{new} gave its first reply {-length} after {old} gave its last",
		rows: func(a args) []row {
			pause, ok := a.tl.Pause(a.lanes)
			pause.Length = -pause.Length
			return oneRow(pause, ok)
		}},
}

const bothAnswered = "{old} and {new} both answered for {length}"

// MaxMixedWindow expects that both versions answer for no longer than d.
func MaxMixedWindow(d time.Duration) Expectation { return Expectation{Rule: maxMixedWindow.ID, Max: d} }

var maxMixedWindow = Rule{
	ID: "max-mixed-window", Claim: "clients are answered by both versions for no longer than allowed",
	Lanes: ServiceLanes, Unit: "reply", Untested: oneVersion + ", or no request was sent later than {max} after the first of the new one",
	needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	exposed: func(a args) (n int) {
		window, ok := a.tl.MixedWindow(a.lanes)
		if !ok {
			return 0
		}
		from := int((window.From + a.Max + time.Second - 1) / time.Second)
		for _, lane := range a.lanes {
			_, total := repliesIn(lane, a.tl.Old, seconds{from, len(lane.RepliesOf(a.tl.New).PerSecond)})
			n += total
		}
		return n
	},
	question: bound{rows: mixedWindow, limits: atMost, says: bothAnswered},
}

func mixedWindow(a args) []row {
	window, ok := a.tl.MixedWindow(a.lanes)
	return oneRow(timeline.Elapsed{Length: window.Length(), Uncertainty: window.Uncertainty}, ok)
}

// MinMixedWindow expects that both versions answer for d at least.
func MinMixedWindow(d time.Duration) Expectation { return Expectation{Rule: minMixedWindow.ID, Min: d} }

var minMixedWindow = Rule{
	ID: "min-mixed-window", Claim: "clients are answered by both versions for as long as expected",
	Lanes: ServiceLanes, Unit: "reply", Untested: oneVersion, exposed: allReplies,
	needs:    seeing(evidence.AboutReplies, evidence.AboutLatencies),
	question: bound{rows: mixedWindow, limits: atLeast, says: bothAnswered},
}

// KeptConnections expects that keep-alive connections which a version answered before the rollout stay with their pod: no
// other pod answers on one, and every lane still uses one in the last 5 s of the load.
func KeptConnections(version string) Expectation {
	return Expectation{Rule: keptConnections.ID, Versions: []string{version}}
}

var keptConnections = Rule{
	ID: "kept-connections", Claim: "clients' keep-alive connections stay with their pod to the end",
	Lanes: KeepAliveLanes, Unit: "connection", Untested: "no keep-alive connection was there before the rollout began",
	exposed: func(a args) int { return a.perLane(func(lane timeline.Lane) int { return len(a.keptBefore(lane)) }) },
	marks:   []evidence.EventKind{evidence.LoadEnded}, needs: underLoad(evidence.AboutReplies),
	question: none{noun: "keep-alive connection", did: "open before the rollout moved to another pod or ended",
		rows: func(a args) (f found) {
			still := time.Duration(lastSeconds(a.tl).from) * time.Second
			for _, lane := range a.lanes {
				before, used := a.keptBefore(lane), 0
				for _, c := range before {
					if c.Last >= still {
						used++
					}
					if c.Moved {
						f.count++
						said := fmt.Sprintf("of %s, from %s, first used at %s", lane.ID, c.By.Pod, phrase.Seconds(c.First))
						f.facts = append(f.facts, Detail{"moved", said})
					}
				}
				if len(before) > 0 && used == 0 {
					f.count, f.whole = f.count+len(before), true
					f.facts = append(f.facts, Detail{"not used at the end", "all of " + lane.ID})
				}
			}
			f.facts = f.facts[:min(len(f.facts), maxWitnesses)]
			return f
		}},
}

// keptBefore returns a lane's connections on which the version answered before the rollout began.
func (a args) keptBefore(lane timeline.Lane) (before []timeline.Connection) {
	begun, ok := a.tl.Mark(evidence.RolloutBegun)
	for _, c := range lane.Connections {
		first := lane.SentAfter(c.First, begun)
		if ok && len(a.Versions) == 1 && c.By.Version == a.Versions[0] && first.Length+first.Uncertainty < 0 {
			before = append(before, c)
		}
	}
	return before
}
