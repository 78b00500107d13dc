package advice

import (
	"fmt"
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/harness/verdict/statistics"
)

var streamsCut = advice{
	code: verdict.Code{
		Code: "RC3041", ID: "streams-cut",
		Causes: "the end of a pod cuts the streams that it has: its program exits after SIGTERM without awaiting them, or the kubelet kills it at the " +
			"end of terminationGracePeriodSeconds, which counts from the deletion, the preStop hook included.",
		Do: "keep a pod for as long as its longest stream takes. A program that awaits its streams needs a grace period that is longer than them. For " +
			"one that exits, the preStop hook has to sleep for so long. The advice has the times.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Stage == timeline.StageCut && ofEnding(c) },
	says:  sayStreamsCut,
	apply: outlastStreams,
}

func sayStreamsCut(a *advisedApp) (sign, remedy string) {
	killed := a.killed()
	exited := a.lost() - killed
	switch {
	case exited == 0:
		sign = fmt.Sprintf("%s cut when their pods were killed at the end of the grace period of %s", were(killed), a.own.Grace)
	case killed == 0:
		sign = fmt.Sprintf("%s cut when the programs of their pods exited after SIGTERM", were(exited))
	default:
		sign = fmt.Sprintf("%s cut when the programs of their pods exited after SIGTERM, and %s when these were killed at the end of the grace period",
			were(exited), phrase.Number(killed))
	}
	longest, whole := a.longestStream()
	took := fmt.Sprintf("one took %s and was not whole", phrase.Duration(longest))
	if whole > 0 {
		took = fmt.Sprintf("the longest took %s, and at 95 %% confidence at most %.1f %% take longer than the longest of %s", phrase.Duration(longest),
			100*statistics.UpperShare(0, whole), phrase.Count(whole, "whole one"))
	}
	if exited == 0 {
		return sign, fmt.Sprintf("make terminationGracePeriodSeconds %d or more: %s", a.graceOfStreams(), took)
	}
	return sign, fmt.Sprintf("have the program %s; or give the pods a preStop sleep of %d s or more and a longer grace period: %s",
		a.notice().do, a.sleepOfStreams(), took)
}

func were(streams int) string {
	return phrase.Count(streams, "stream") + map[bool]string{true: " was", false: " were"}[streams == 1]
}

// killedAfter is what a program may take to exit once its last stream is over, in seconds. Our own choice.
const killedAfter = 2

// killed counts the lost requests that the advice being given is about whose pod was killed before they were over.
func (a *advisedApp) killed() (n int) {
	for _, c := range a.mended {
		if c.Condition == timeline.ConditionKilled {
			n += len(c.Hits)
		}
	}
	return n
}

// longestStream returns the longest time that a stream was seen to take, whole or until it was cut, and how many were whole.
func (a *advisedApp) longestStream() (longest time.Duration, whole int) {
	for _, lane := range a.s.LoadLanes() {
		if lane.FirstToken != nil && lane.Latency != nil {
			whole += lane.Requests - lane.Failed() - lane.Returned
			longest = max(longest, time.Duration(lane.Latency.Max*float64(time.Millisecond)))
		}
	}
	for _, c := range a.causes {
		for _, h := range c.Hits {
			if h.FirstMicros > 0 {
				longest = max(longest, h.Took)
			}
		}
	}
	return longest, whole
}

// outlasting is for how long after its deletion a pod has to serve, in seconds: nodes go on sending it new streams for a while, and the
// last of them may be the longest. Where it serves for so long already, and cuts streams, the longest has not been seen.
func (a *advisedApp) outlasting(now time.Duration) int64 {
	longest, _ := a.longestStream()
	takes := int64(math.Ceil(longest.Seconds()))
	if has := int64(now.Seconds()); has >= takes+a.seconds() {
		return has + takes
	}
	return takes + a.seconds()
}

// graceOfStreams returns the grace period that a program needs which awaits its streams, in seconds.
func (a *advisedApp) graceOfStreams() int64 {
	return a.outlasting(a.own.Grace-killedAfter*time.Second) + killedAfter
}

// sleepOfStreams returns the preStop sleep that one needs which does not, in seconds.
func (a *advisedApp) sleepOfStreams() int64 { return a.outlasting(a.own.PreStop) }

// outlastStreams makes the grace period long enough for a program that awaits its streams, and gives one that does not a sleep that does so
// in its place.
func outlastStreams(a *advisedApp, w workload) bool {
	if a.killed() == a.lost() {
		w.pod()["terminationGracePeriodSeconds"] = max(w.grace(), a.graceOfStreams())
		return true
	}
	return !a.own.OtherHook && w.sleep(a.sleepOfStreams())
}

var neverTold = advice{
	code: verdict.Code{
		Code: "RC3042", ID: "never-told",
		Causes: "pods that ended told no client to go whose connection they had: no GOAWAY of HTTP/2 or gRPC, and no close frame with 1001 of a " +
			"WebSocket. Clients used these connections until they broke, and lost what was in flight.",
		Do: "no manifest mends this: have the program tell its clients after SIGTERM, and serve on until they are gone (GracefulStop of gRPC with " +
			"a limit, Shutdown of an HTTP/2 server, a close frame with 1001 on each WebSocket).",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return a.seen[timeline.NeverTold].Count > 0 && ofEnding(c) && onKept(c) &&
			(c.Stage == timeline.StageDropped || c.Stage == timeline.StageCut || c.Stage == timeline.StageTimeout)
	},
	says: func(a *advisedApp) (sign, remedy string) {
		untold := a.seen[timeline.NeverTold]
		tells := noticeBy(evidence.ProtocolNamed(untold.Text))
		return fmt.Sprintf("pods that ended cut %s of %s with %s in flight, and told no client to go: no manifest mends this, since the server never says %s",
				phrase.Count(untold.Count, "connection"), untold.Text, phrase.Count(a.lost(), "request"), tells.word),
			"have the program " + tells.do
	},
}

// onKept reports whether requests of a cause were sent over connections that are kept.
func onKept(c timeline.Cause) bool {
	for _, h := range c.Hits {
		if h.Connection > 0 {
			return true
		}
	}
	return false
}
