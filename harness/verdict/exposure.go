package verdict

import (
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// An Exposure is what a rule was put to, such as 4575 requests or 6 pairs of pod and node: a rule that was put to nothing shows
// nothing.
type Exposure struct {
	Count int
	Unit  string // in the singular, such as "request"
}

// An exposed counts what an expectation was put to. What was there before the rollout began counts only for rules that are not
// about the rollout: no change, no test.
type exposed func(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) int

func sentSinceBegun(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.SinceBegun
	}
	return n
}

func arrivedSinceBegun(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.ArrivedSinceBegun
	}
	return n
}

func lanesSinceBegun(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		if lane.Summary.SinceBegun > 0 {
			n++
		}
	}
	return n
}

func lanesSeen(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) int {
	return len(lanes)
}

// repliesSinceSwitch are those that could have come from another version: connections are kept, and the new one had answered.
func repliesSinceSwitch(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.SinceSwitch
	}
	return n
}

func goodSinceBegun(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.LatencyIn[timeline.During].Count + lane.Summary.LatencyIn[timeline.After].Count
	}
	return n
}

func allReplies(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return replies(tl.Replies())
}

// newReplies could each have been followed by an old one.
func newReplies(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.RepliesOf(tl.New).Count
	}
	return n
}

func repliesSinceMark(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return replies(tl.RepliesSince(x.From, x.Conn))
}

func podChanges(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return tl.PodChanges()
}

func scalings(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	sizes, _ := tl.Scalings()
	return len(sizes)
}

func oldPods(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) (n int) {
	for _, p := range tl.Pods {
		if p.Version == tl.Old {
			n++
		}
	}
	return n
}

func podsBetween(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	intervals, _ := tl.Intervals(x.From, x.To, x.Min >= 0)
	return len(intervals)
}

func rulesSeen(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return len(tl.RuleLags()) + len(tl.StillRouted())
}

// sigtermsSeen are the pairs of which both the end of the rules and SIGTERM are known, or that the rules did not end.
func sigtermsSeen(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return len(tl.SigtermMargins()) + len(tl.StillRouted())
}

// drainsSeen are the old pods, by node with clients, to which a request could still have been sent too late.
func drainsSeen(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return tl.SentAfterDrain(x.Max)
}

// factsNoted is one for each fact, however it was found out: what the scenario did for it is not in the recording.
func factsNoted(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	if _, ok := tl.Fact(x.Fact); !ok {
		return 0
	}
	return 1
}

func durationsNoted(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) int {
	text, _ := tl.Fact(x.Fact)
	if _, err := time.ParseDuration(text); err != nil {
		return 0
	}
	return factsNoted(x, tl, lanes)
}

// repliesAfterMixing are those that would have been too late for the old version, in whole seconds.
func repliesAfterMixing(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	window, ok := tl.MixedWindow(x.Conn)
	if !ok {
		return 0
	}
	from := int((window.From + x.Max + time.Second - 1) / time.Second)
	for _, lane := range lanes {
		_, total := repliesIn(lane, tl.Old, from, len(lane.RepliesOf(tl.New).PerSecond))
		n += total
	}
	return n
}

func lastReplies(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	from, to := lastSeconds(tl)
	for _, lane := range lanes {
		_, total := repliesIn(lane, tl.Old, from, to)
		n += total
	}
	return n
}

func shareWindows(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) int {
	return len(lanes) * len(windowsOfShare(x, tl))
}
