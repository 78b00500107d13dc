// Package advice recommends to the owner of an app what would have prevented what a recording shows, with a patch of the manifest. It only
// reads signs and numbers: package timeline has the signs.
package advice

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/patch"
)

// An advice is one recommendation to the owner of an app, on something that a recording shows.
type advice struct {
	code     verdict.Code
	sentence func(*advisedApp) string         // empty: the advice does not apply
	apply    func(*advisedApp, workload) bool // changes the manifest and reports whether it did; nil: a manifest cannot follow the advice
}

// An advisedApp is the app that advice is for: its manifests, and what was recorded of it.
type advisedApp struct {
	own  evidence.UserApp
	s    model.Scenario
	seen timeline.Signs
}

// all lists all advice in the order in which it is given and applied. Advice that would not prevent a loss is not given beside advice that
// does.
var all = []advice{
	hookFailed,
	noneAvailable,
	unprobedPods,
	backendEndsFirst,
	hookStopsListening,
	sleepNeeded,
	drainMeasured,
	graceTooShort,
	replicasNamed,
	recreates,
	closedConnections,
	affinityPins,
	rolloutStuck,
	killedStarting,
	idleClosed,
	acceptedDropped,
	lostBehind,
}

// Codes returns the codes of all advice, in the order in which they were given.
func Codes() (codes []verdict.Code) {
	for _, a := range all {
		codes = append(codes, a.code)
	}
	return codes
}

// On returns a sentence for each advice that applies, ending with its code, and the patch that applies the advice to the owner's
// manifest as far as a manifest can and all that it needs is known; nil if nothing changes or the manifest is not known.
func On(own evidence.UserApp, s model.Scenario, seen timeline.Signs) (sentences []string, patched *model.Patch) {
	app := &advisedApp{own, s, seen}
	before, after := workload(deepCopy(own.Workload)), workload(deepCopy(own.Workload))
	var follows []string
	for _, a := range all {
		sentence := a.sentence(app)
		if sentence == "" {
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s)", sentence, a.code.Code))
		if len(before) == 0 || a.apply == nil {
			continue
		}
		if next := workload(deepCopy(after)); a.apply(app, next) && !after.writesWithheld(next) {
			after, follows = next, append(follows, a.code.Code)
		}
	}
	text, diff := patch.Of(before, after)
	if text == "" {
		return sentences, nil
	}
	return sentences, &model.Patch{Follows: follows, YAML: text, Diff: diff}
}
