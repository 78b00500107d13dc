package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeOldAtStatus(x evidence.Expectation, tl timeline.Timeline) Finding {
	done, ok := tl.Mark(evidence.StatusDone)
	if !ok {
		return Finding{Because: missing(evidence.StatusDone)}
	}
	there := tl.OldPodsAt(done)
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("%s of %s still there when the rollout was said to be done at %s, at least %d expected",
		count(there, "pod"), tl.Old, seconds(done), x.Count)}
	if there < x.Count {
		f.Outcome = Fail
	}
	return f
}

func judgeCleanCut(_ evidence.Expectation, tl timeline.Timeline) Finding {
	pause, ok := tl.Pause()
	if !ok {
		return Finding{Because: oneVersion}
	}
	mixed := timeline.Elapsed{Length: -pause.Length, Uncertainty: pause.Uncertainty}
	if pause.Length < 0 {
		return Finding{Outcome: within(mixed, 0), Because: fmt.Sprintf("both versions answered for %s", elapsed(mixed))}
	}
	return Finding{Outcome: within(mixed, 0), Because: fmt.Sprintf("%s gave its first reply %s after %s gave its last", tl.New, elapsed(pause), tl.Old)}
}

func judgeOldEndsFirst(_ evidence.Expectation, tl timeline.Timeline) Finding {
	gap, ok := tl.OldToNew()
	if !ok {
		return Finding{Because: "an end of every old pod and the creation of a new one were not seen"}
	}
	return Finding{
		Outcome: within(timeline.Elapsed{Length: -gap.Length, Uncertainty: gap.Uncertainty}, 0),
		Because: fmt.Sprintf("the first pod of %s was created %s after the last one of %s had ended", tl.New, elapsed(gap), tl.Old),
	}
}

func judgeMaxMixed(x evidence.Expectation, tl timeline.Timeline) Finding {
	length, ok := mixed(tl)
	if !ok {
		return Finding{Because: oneVersion}
	}
	return Finding{Outcome: within(length, x.Max), Because: fmt.Sprintf("both versions answered for %s, %s allowed", elapsed(length), seconds(x.Max))}
}

func judgeMinMixed(x evidence.Expectation, tl timeline.Timeline) Finding {
	length, ok := mixed(tl)
	if !ok {
		return Finding{Because: oneVersion}
	}
	f := Finding{Because: fmt.Sprintf("both versions answered for %s, at least %s expected", elapsed(length), seconds(x.Min))}
	switch {
	case length.Length-length.Uncertainty >= x.Min:
		f.Outcome = Pass
	case length.Length+length.Uncertainty < x.Min:
		f.Outcome = Fail
	}
	return f
}

const oneVersion = "one of the versions gave 0 replies"

func mixed(tl timeline.Timeline) (timeline.Elapsed, bool) {
	window, ok := tl.MixedWindow()
	return timeline.Elapsed{Length: window.Length(), Uncertainty: window.Uncertainty}, ok
}
