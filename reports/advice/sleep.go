package advice

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var sleepNeeded = advice{
	code: verdict.Code{
		Code: "RC3006", ID: "sleep-needed",
		Causes: "nodes send requests to a pod until their rules follow the endpoints; an app that exits before loses them. If " +
			"nothing was lost, the advice says how much longer pods served than they had to.",
		Do: "set `lifecycle.preStop.sleep` to the time in the advice, and terminationGracePeriodSeconds to a longer one.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return unrouted(c) && !a.own.PublishesUnready && !noneOnNode.mends(a, c)
	},
	also:  true,
	says:  saySleepNeeded,
	apply: sleepLonger,
	sign: &sign{
		on: model.OnWorkload, says: hasNoHook,
		do: "roll it out: does the app go on answering after SIGTERM for as long as nodes send it requests?",
	},
}

func saySleepNeeded(a *advisedApp) (sign, remedy string) {
	lag := a.lag()
	sign = fmt.Sprintf("nodes sent pods requests for up to %.1f s after they had left the endpoints", lag/1000)
	switch {
	case lag == 0 || a.unfinishedHooks():
		return "", ""
	case a.lostNothing():
		return margin(a.s, lag), "nothing has to be changed"
	case a.own.OtherHook || a.own.PreStop >= neededSleep(a): // how long a hook of another kind takes is not known
		return "", ""
	case a.own.PreStop == 0:
		return sign, fmt.Sprintf("give the pods a preStop sleep of %s or more", neededSleep(a))
	default:
		return sign, fmt.Sprintf("make the preStop sleep of %s at least %s", a.own.PreStop, neededSleep(a))
	}
}

func sleepLonger(a *advisedApp, w workload) bool { return !a.lostNothing() && w.sleep(a.seconds()) }

var drainMeasured = advice{
	code: verdict.Code{
		Code: "RC3007", ID: "drain-measured",
		Causes: "no fault: the advice says how long nodes kept sending requests to terminating pods.",
		Do:     "record more terminations, by more pods or rollouts, to make the number more certain.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageStaleEndpoint && ofEnding(c)
	},
	also: true,
	says: sayDrainMeasured,
}

func sayDrainMeasured(a *advisedApp) (sign, remedy string) {
	n := a.s.Numbers.NeededDrains
	if n == nil || n.Max < 50 { // milliseconds: 0.0 s is not advice
		return "", ""
	}
	sign = fmt.Sprintf("nodes sent requests to terminating pods for up to %.1f s, in %s", n.Max/1000,
		phrase.Count(n.Terminations, "termination"))
	if a.s.Failed() > 0 { // the app did not go on for long enough
		return sign, "have the app go on answering them for that long"
	}
	return sign, drainCovers(*n)
}

var acceptedDropped = advice{
	code: verdict.Code{
		Code: "RC3016", ID: "accepted-dropped",
		Causes: "the kernel opens connections that the app has not accepted yet; an app that exits at once on SIGTERM, or a " +
			"worker that does not empty its listen queue, drops them.",
		Do: "sleep in the preStop hook until nodes send nothing more; if it does already, let the app finish what it " +
			"accepted.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageDropped && unrouted(c)
	},
	says:  sayAcceptedDropped,
	apply: sleepUntilUnsent,
}

func sayAcceptedDropped(a *advisedApp) (sign, remedy string) {
	if a.unfinishedHooks() || a.own.OtherHook {
		return "", ""
	}
	sign = fmt.Sprintf("terminating pods closed %s that they had accepted: on SIGTERM the app drops what it has not answered",
		phrase.Count(a.lost(), "new connection"))
	if a.lag() == 0 || a.own.PreStop < neededSleep(a) {
		return sign, "have the pods sleep in a preStop hook until nodes have stopped sending them requests"
	}
	return sign, "have the app answer those before it ends: the preStop sleep is long enough"
}

func sleepUntilUnsent(a *advisedApp, w workload) bool {
	return (a.lag() == 0 || a.own.PreStop < neededSleep(a)) && w.sleep(a.seconds())
}

var servedAlone = advice{
	code: verdict.Code{
		Code: "RC3033", ID: "served-alone",
		Causes: "no fault: for a while only pods that were already terminating answered, since nodes send to them as long as no other is ready " +
			"(KEP-1669). The advice says for how much longer their preStop sleep would have gone on.",
		Do: "keep the sleep longer than a pod takes to start, or have 2 replicas.",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		alone := a.seen[timeline.OnlyTerminating].For
		if alone < time.Second || a.own.PreStop <= alone || a.seen[timeline.NoneServing].For > 0 {
			return "", ""
		}
		return fmt.Sprintf("for %s only terminating pods answered, and their preStop sleep would have gone on for %s more", phrase.Duration(alone),
			phrase.Duration(a.own.PreStop-alone)), "keep that sleep longer than a pod takes to start"
	},
}

// lag returns the longest time for which nodes sent requests to a pod that had left the endpoints, in milliseconds; 0 if none was seen.
func (a *advisedApp) lag() (longest float64) {
	for _, of := range []*model.Lags{a.s.Numbers.RuleLag, a.s.Numbers.DrainLag} {
		if of != nil {
			longest = max(longest, of.Max)
		}
	}
	return longest
}

// neededSleep returns the preStop sleep that would do: a second more than was seen. While no endpoint is ready, nodes send to terminating
// pods on purpose, for as long as those sleep (KEP-1669): that time needs no longer sleep.
func neededSleep(a *advisedApp) time.Duration {
	lag := a.lag()
	if by := a.s.Numbers.NeededDrain; len(by) > 0 {
		lag = min(lag, slices.Max(slices.Collect(maps.Values(by))))
	}
	return time.Duration(math.Ceil(lag/1000)+1) * time.Second
}

// endedEarly reports whether a pod ended before a node's rules had left it out: if nothing was lost then, that was luck.
func endedEarly(n model.Numbers) bool {
	return n.NeededDrains != nil && n.NeededDrains.Margin != nil && *n.NeededDrains.Margin <= 0
}

// margin returns a clause for an app that lost nothing: for how much longer than needed it served, as far as that was seen.
func margin(s model.Scenario, lag float64) string {
	what := "nothing was lost"
	if t := s.Terminations; t != nil {
		what = fmt.Sprintf("nothing was lost in %s, so at most %.1f %% of such ends lose a request at 95 %% confidence", t, t.Upper)
	}
	if d := s.Numbers.NeededDrains; d != nil && d.Margin != nil {
		return fmt.Sprintf("%s: each pod kept serving for %.1f s or more after every node had stopped sending it requests", what,
			*d.Margin/1000)
	}
	return fmt.Sprintf("%s: pods kept serving while nodes still sent them requests, for up to %.1f s after they had left the endpoints", what,
		lag/1000)
}

// unmeasured is the sleep, in seconds, if it was not seen for how long nodes go on sending requests: five times what kube-proxy waits from
// one change of its rules to the next (minSyncPeriod, 1 s).
const unmeasured = 5

func (a *advisedApp) seconds() int64 {
	if a.lag() == 0 {
		return unmeasured
	}
	return int64(neededSleep(a).Seconds())
}

// drainCovers says which preStop sleep is enough: for 95 % of all terminations if that is shown, else for those that were seen.
func drainCovers(n model.NeededDrains) string {
	if n.P95 != nil {
		return fmt.Sprintf("a preStop sleep of %.1f s covers 95 %% of terminations at 95 %% confidence", *n.P95/1000)
	}
	return fmt.Sprintf("a preStop sleep of %.1f s is enough for the %s that were seen", n.Max/1000,
		phrase.Count(n.Terminations, "termination"))
}

func hasNoHook(r evidence.Reading) (says, field string) {
	if r.Service == "" || r.Hooked {
		return "", ""
	}
	return "pods have no preStop hook, and nodes go on sending them requests for a while after SIGTERM", inContainer(r.Answers, "")
}
