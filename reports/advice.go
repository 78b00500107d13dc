package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/patch"
)

// An advice is one recommendation to the owner of an app, on something that a recording shows.
type advice struct {
	code     string                           // section of CODES.md that says more
	sentence func(*advisedApp) string         // empty: the advice does not apply
	apply    func(*advisedApp, workload) bool // changes the manifest and reports whether it did; nil: a manifest cannot follow the advice
}

// An advisedApp is the app that advice is for: its manifests, and what was recorded of it.
type advisedApp struct {
	own  evidence.UserApp
	s    model.Scenario
	seen timeline.Signs
}

// allAdvice lists all advice in the order in which it is given and applied. Advice that would not prevent a loss is not given beside advice
// that does.
var allAdvice = []advice{
	{"RC3001", hookFailed, replaceHook},
	{"RC3002", noneAvailable, keepOne},
	{"RC3003", unprobedPods, probe},
	{"RC3004", backendEndsFirst, hookAll},
	{"RC3005", hookStopsListening, sleepFirst},
	{"RC3006", sleepNeeded, sleepLonger},
	{"RC3007", drainMeasured, nil},
	{"RC3008", graceTooShort, raiseGrace},
	{"RC3009", replicasNamed, leaveReplicas},
	{"RC3010", recreates, rollInstead},
	{"RC3011", keptConnections, nil},
	{"RC3012", affinityPins, nil},
	{"RC3013", rolloutStuck, goFirst},
	{"RC3014", killedStarting, allowStart},
	{"RC3015", idleClosed, nil},
	{"RC3016", acceptedDropped, sleepUntilUnsent},
	{"RC3017", lostBehind, nil},
}

// adviceOn returns a sentence for each advice that applies, ending with its code, and the patch that applies the advice to the owner's
// manifest as far as a manifest can and all that it needs is known; nil if nothing changes or the manifest is not known.
func adviceOn(own evidence.UserApp, s model.Scenario, seen timeline.Signs) (sentences []string, patched *model.Patch) {
	app := &advisedApp{own, s, seen}
	before, after := workload(deepCopy(own.Workload)), workload(deepCopy(own.Workload))
	var follows []string
	for _, a := range allAdvice {
		sentence := a.sentence(app)
		if sentence == "" {
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s)", sentence, a.code))
		if len(before) == 0 || a.apply == nil {
			continue
		}
		if next := workload(deepCopy(after)); a.apply(app, next) && !after.writesWithheld(next) {
			after, follows = next, append(follows, a.code)
		}
	}
	text, diff := patch.Of(before, after)
	if text == "" {
		return sentences, nil
	}
	return sentences, &model.Patch{Follows: follows, YAML: text, Diff: diff}
}

func hookFailed(a *advisedApp) string {
	if a.seen[timeline.HookFailed].Count == 0 {
		return ""
	}
	return fmt.Sprintf("The preStop hook failed %s, so its pods got SIGTERM at once. Use the kubelet's own sleep (lifecycle.preStop.sleep), "+
		"or an image that has the program of the hook.", phrase.Count(a.seen[timeline.HookFailed].Count, "time"))
}

func noneAvailable(a *advisedApp) string {
	none := a.seen[timeline.NoneServing]
	allowed := a.seen[timeline.RolledOut].Count > 0 && !a.own.Recreate && a.own.Unavailable >= max(1, a.own.Replicas)
	if !allowed || none.For == 0 || none.Count == 0 {
		return ""
	}
	all := "the only pod"
	if a.own.Replicas > 1 {
		all = "all " + phrase.Count(a.own.Replicas, "pod")
	}
	return fmt.Sprintf("Set maxUnavailable to 0, and maxSurge to 1 or more (a StatefulSet has no maxSurge: give it 2 replicas): the rollout may "+
		"take %s away before another is ready, and none was there for %s.", all, phrase.Duration(none.For))
}

// onlyWithNone reports whether every request that failed was sent while no pod could answer: no drain helps then.
func (a *advisedApp) onlyWithNone() bool {
	n := a.seen[timeline.NoneServing].Count
	return n > 0 && n == a.s.Failed()
}

func unprobedPods(a *advisedApp) string {
	if a.own.Probed {
		return ""
	}
	return "Give the pods a readiness probe: without one they are sent requests as soon as their container runs."
}

func backendEndsFirst(a *advisedApp) string {
	if a.seen[timeline.GatewayErrors].Count == 0 {
		return ""
	}
	mend := "let the backend end last"
	if len(a.own.Unhooked) > 0 {
		mend = "give container " + strings.Join(a.own.Unhooked, " and ") + " the same preStop hook"
	}
	return fmt.Sprintf("Terminating pods answered %s with status 502 to 504: the container that answered still ran, and its backend had "+
		"ended: %s.", phrase.Count(a.seen[timeline.GatewayErrors].Count, "request"), mend)
}

func hookStopsListening(a *advisedApp) string {
	if !a.own.OtherHook || a.unfinishedHooks() || a.seen[timeline.RefusedByEnding].Count == 0 || a.onlyWithNone() {
		return ""
	}
	length := ""
	if a.lag() > 0 {
		length = fmt.Sprintf(" for %s", neededSleep(a))
	}
	return fmt.Sprintf("Have the preStop hook sleep%s before it does anything else: terminating pods refused %s that nodes still sent them, so "+
		"the hook is too short, or stops the app from listening.", length, phrase.Count(a.seen[timeline.RefusedByEnding].Count, "connection"))
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

func sleepNeeded(a *advisedApp) string {
	lag := a.lag()
	switch {
	case lag == 0 || a.unfinishedHooks() || a.onlyWithNone():
		return ""
	case a.lostNothing():
		return margin(a.s, lag)
	case a.own.OtherHook || a.own.PreStop >= neededSleep(a): // how long a hook of another kind takes is not known
		return ""
	case a.own.PreStop == 0:
		return fmt.Sprintf("Give the pods a preStop sleep of %s or more: nodes sent them requests for up to %.1f s after they had left the "+
			"endpoints.", neededSleep(a), lag/1000)
	default:
		return fmt.Sprintf("Make the preStop sleep of %s at least %s: nodes sent pods requests for up to %.1f s after they had left the "+
			"endpoints.", a.own.PreStop, neededSleep(a), lag/1000)
	}
}

// lostNothing reports whether no request failed, and not by luck.
func (a *advisedApp) lostNothing() bool {
	return a.s.Requests() > 0 && a.s.Failed() == 0 && !endedEarly(a.s.Numbers)
}

func drainMeasured(a *advisedApp) string {
	n := a.s.Numbers.NeededDrains
	switch {
	case n == nil || n.Max < 50 || a.onlyWithNone(): // milliseconds: 0.0 s is no advice
		return ""
	case a.s.Failed() > 0: // the app did not go on for long enough
		return fmt.Sprintf("Nodes sent requests to terminating pods for up to %.1f s, in %s: an app has to go on answering them for that long.",
			n.Max/1000, phrase.Count(n.Terminations, "termination"))
	default:
		return drainCovers(*n)
	}
}

// unfinishedHooks reports whether a preStop hook failed or was cut off: what it would have achieved is not known.
func (a *advisedApp) unfinishedHooks() bool {
	return a.seen[timeline.HookFailed].Count > 0 || a.seen[timeline.HookCutOff].Count > 0
}

func graceTooShort(a *advisedApp) string {
	switch {
	case a.seen[timeline.HookCutOff].Count > 0:
		return fmt.Sprintf("Make terminationGracePeriodSeconds, %s, longer than the preStop hook and what the last requests take: %s still ran "+
			"when it was over, and the app is killed %s later.", a.own.Grace, phrase.Count(a.seen[timeline.HookCutOff].Count, "hook"), leastGrace)
	case a.own.PreStop == 0 || a.own.Grace > a.own.PreStop:
		return ""
	}
	return fmt.Sprintf("Make terminationGracePeriodSeconds, %s, longer than the preStop sleep of %s and what the last requests take: the app is "+
		"killed without it.", a.own.Grace, a.own.PreStop)
}

// leastGrace is the time that a kubelet gives the app after a hook, however long the hook ran (minimumGracePeriodInSeconds,
// pkg/kubelet/kuberuntime/kuberuntime_container.go, v1.37).
const leastGrace = 2 * time.Second

func replicasNamed(a *advisedApp) string {
	if a.own.Autoscaled == "" || a.own.Replicas == 0 {
		return ""
	}
	return fmt.Sprintf("Leave replicas out of the manifest: the autoscaler %s sets them, and every apply sets them back to %d.",
		a.own.Autoscaled, a.own.Replicas)
}

func recreates(a *advisedApp) string {
	if !a.own.Recreate {
		return ""
	}
	return "The strategy Recreate ends every old pod before the first new one starts, and nobody answers meanwhile: use RollingUpdate unless two " +
		"versions must not run together."
}

func keptConnections(a *advisedApp) string {
	fresh, kept := 0, 0
	for _, lane := range a.s.Lanes {
		switch {
		case lane.Kind().IsControl():
		case lane.Kind().KeepsAlive():
			kept += lane.Failed()
		default:
			fresh += lane.Failed()
		}
	}
	if kept <= a.seen[timeline.CutByServing].Count || fresh > 0 || a.seen[timeline.GatewayErrors].Count > 0 {
		return ""
	}
	return fmt.Sprintf("Have the app answer with Connection: close from SIGTERM on, and go on serving for a while: only clients that keep their "+
		"connections lost requests, %d of them.", kept)
}

func affinityPins(a *advisedApp) string {
	if !a.own.Affinity || a.seen[timeline.RefusedByEnding].Count == 0 {
		return ""
	}
	return "While a pod ends, all new connections of its clients fail (sessionAffinity ClientIP), not only a share of them."
}

func killedStarting(a *advisedApp) string {
	if n := a.seen[timeline.KilledByStartup].Count; n > 0 {
		return fmt.Sprintf("Give the startup probe more time (failureThreshold times periodSeconds), if the app only starts slowly: it had "+
			"containers restarted %s.", phrase.Count(n, "time"))
	}
	if a.seen[timeline.KilledStarting].Count == 0 || a.own.Startup { // the liveness probe begins once the startup probe succeeded
		return ""
	}
	return fmt.Sprintf("Give the pods a startup probe that lasts as long as they take to start: the liveness probe had containers restarted %s "+
		"before their pods were ready.", phrase.Count(a.seen[timeline.KilledStarting].Count, "time"))
}

func idleClosed(a *advisedApp) string {
	closed := a.seen[timeline.IdleClosed]
	if closed.Count == 0 {
		return ""
	}
	return fmt.Sprintf("Have the app keep idle connections for longer than its clients do (keepAliveTimeout, IdleTimeout): pods that were not "+
		"ending closed %s, each idle for %.1f s, just as they were used again. The rollout is not the cause.",
		phrase.Count(closed.Count, "connection"), closed.For.Seconds())
}

func acceptedDropped(a *advisedApp) string {
	if a.seen[timeline.DroppedByEnding].Count == 0 || a.unfinishedHooks() || a.own.OtherHook || a.onlyWithNone() {
		return ""
	}
	said := fmt.Sprintf("Terminating pods closed %s that they had accepted: on SIGTERM the app drops what it has not answered.",
		phrase.Count(a.seen[timeline.DroppedByEnding].Count, "new connection"))
	if a.lag() == 0 || a.own.PreStop < neededSleep(a) {
		return said + " With a long enough preStop sleep, nodes have stopped sending it requests by then."
	}
	return said + " Have it answer those before it ends: the preStop sleep is long enough."
}

func lostBehind(a *advisedApp) string {
	lost := a.seen[timeline.LostBehindServing]
	if lost.Count == 0 {
		return ""
	}
	return fmt.Sprintf("Give the pods behind this app a preStop sleep: ready pods answered %s with status 502 to 504 or not at all, after pod %s "+
		"beside them began to end.", phrase.Count(lost.Count, "request"), lost.Pod)
}

// endedEarly reports whether a pod ended before a node's rules had left it out: if nothing was lost then, that was luck.
func endedEarly(n model.Numbers) bool {
	return n.NeededDrains != nil && n.NeededDrains.Margin != nil && *n.NeededDrains.Margin <= 0
}

// margin returns the sentence for an app that lost nothing: for how much longer than needed it served, as far as that was seen.
func margin(s model.Scenario, lag float64) string {
	what := "Nothing was lost"
	if t := s.Terminations; t != nil {
		what = fmt.Sprintf("Nothing was lost in %s, so at most %.1f %% of such ends lose a request at 95 %% confidence", t, t.Upper)
	}
	if d := s.Numbers.NeededDrains; d != nil && d.Margin != nil {
		return fmt.Sprintf("%s: each pod kept serving for %.1f s or more after every node had stopped sending it requests.", what,
			*d.Margin/1000)
	}
	return fmt.Sprintf("%s: pods kept serving while nodes still sent them requests, for up to %.1f s after they had left the endpoints.", what,
		lag/1000)
}
