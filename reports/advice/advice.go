// Package advice recommends to the owner of an app what would have prevented what a recording shows, with a patch of the manifest. It only
// reads causes, signs and numbers: package timeline has causes and signs.
package advice

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/patch"
)

// An advice is one recommendation to the owner of an app, on something that a recording shows.
type advice struct {
	code  verdict.Code
	mends func(*advisedApp, timeline.Cause) bool          // whether losses by a cause would be prevented; nil: it is not about losses
	also  bool                                            // with mends: it also applies if nothing was lost
	says  func(*advisedApp) (sign, remedy string)         // clauses without a period; empty: it does not apply; nil: load does not show it
	apply func(a *advisedApp, to workload) (changed bool) // nil: a manifest cannot follow the advice
	sign  *sign                                           // what manifests alone show of it; nil: nothing
}

// An advisedApp is the app that advice is for: its manifests, and what was recorded of it.
type advisedApp struct {
	own    evidence.UserApp
	s      model.Scenario
	seen   timeline.Signs
	causes []timeline.Cause

	mended []timeline.Cause // by the advice that is being given, the one of most requests first
}

// all lists all advice in the order in which it is given and applied.
var all = []advice{
	hookFailed,
	noneAvailable,
	onlyPodMoved,
	unprobedPods,
	readyBeforeAble,
	newVersionFails,
	coldStart,
	publishedUnready,
	backendEndsFirst,
	hookStopsListening,
	sleepNeeded,
	drainMeasured,
	servedAlone,
	graceTooShort,
	streamsCut,
	killedAtGrace,
	outOfMemory,
	replicasNamed,
	recreates,
	neverTold,
	closedConnections,
	affinityPins,
	rolloutStuck,
	killedStarting,
	idleClosed,
	lostAllTheTime,
	acceptedDropped,
	queueFull,
	lostBehind,
	nameServiceRestarted,
	proxyRestarted,
	othersBehind,
	noneOnNode,
	serviceChanged,
	certificateChanged,
	doorAnswered,
	redirected,
	releaseTakenBack,
	oneReady,
	budgetBlocks,
	selectsNone,
	misplacedField,
}

// Codes returns the codes of all advice, in the order in which they were given.
func Codes() (codes []verdict.Code) {
	for _, a := range all {
		codes = append(codes, a.code)
	}
	return codes
}

// On returns each advice that applies, and the patch that applies all of it to the owner's manifest as far as a manifest can and all that
// it needs is known; nil if nothing changes or the manifest is not known. If requests were lost, advice about losses is given only
// where it would have prevented some of them.
func On(own evidence.UserApp, s model.Scenario, seen timeline.Signs, causes []timeline.Cause) (given []model.Advice, patched *model.Patch) {
	app := &advisedApp{own: own, s: s, seen: seen, causes: causes}
	before, after := workload(deepCopy(own.Workload)), workload(deepCopy(own.Workload))
	var follows []string
	for _, a := range all {
		app.mended = app.causedBy(a)
		if a.says == nil || a.mends != nil && len(app.mended) == 0 && (len(causes) > 0 || !a.also) {
			continue
		}
		sign, remedy := a.says(app)
		if sign == "" || remedy == "" {
			continue
		}
		said := model.Advice{Code: a.code.Code, Sign: sign, Remedy: remedy, Mends: app.lost()}
		if len(app.mended) > 0 {
			said.Cause = model.CauseID(app.mended[0])
		}
		if alone := workload(deepCopy(before)); len(before) > 0 && a.apply != nil && a.apply(app, alone) && !before.writesWithheld(alone) {
			_, said.Patch = patch.Of(before, alone)
			if next := workload(deepCopy(after)); a.apply(app, next) && !after.writesWithheld(next) {
				after, follows = next, append(follows, a.code.Code)
			}
		}
		given = append(given, said)
	}
	text, diff := patch.Of(before, after)
	if text == "" {
		return given, nil
	}
	return given, &model.Patch{Follows: follows, YAML: text, Diff: diff}
}

// causedBy lists the causes of losses that an advice would have prevented.
func (a *advisedApp) causedBy(of advice) (mended []timeline.Cause) {
	for _, c := range a.causes {
		if of.mends != nil && of.mends(a, c) {
			mended = append(mended, c)
		}
	}
	return mended
}

// lost counts the lost requests that the advice being given is about.
func (a *advisedApp) lost() (n int) {
	for _, c := range a.mended {
		n += len(c.Hits)
	}
	return n
}

// lostNothing reports whether no request failed, and not by luck.
func (a *advisedApp) lostNothing() bool {
	return a.s.Requests() > 0 && a.s.Failed() == 0 && !endedEarly(a.s.Numbers)
}

// ofEnding reports whether requests of a cause went to pods that were ending.
func ofEnding(c timeline.Cause) bool {
	return c.Condition == timeline.ConditionTerminating || c.Condition == timeline.ConditionKilled
}

// unrouted reports whether requests of a cause would have reached another pod, if theirs had served on until nodes stopped sending it
// requests: they were refused, or their new connections were closed.
func unrouted(c timeline.Cause) bool {
	switch {
	case !ofEnding(c) || c.Trigger == timeline.TriggerNothing:
		return false
	case c.Stage == timeline.StageStaleEndpoint || c.Stage == timeline.StageNotListening:
		return true
	default:
		return c.Stage == timeline.StageDropped && c.OnNew()
	}
}
