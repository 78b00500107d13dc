package advice

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/patch"
)

// A sign is what manifests alone show of the mistake that an advice is about.
type sign struct {
	certain bool // a rollout or a drain will cost requests, never end, or be refused; else only load can tell
	drains  bool // a question about drains
	on      model.FindingObject
	says    func(evidence.Reading) (says, field string)   // a clause, and the field of the object that it is about; empty: no such mistake
	asks    func(evidence.Reading) (says, field string)   // the same where it is only a question; nil: it never is
	do      string                                        // what to change; of a question: what load will tell
	tells   string                                        // of asks: what load will tell
	mend    func(spec map[string]any, r evidence.Reading) // changes that of the Service; nil: the advice's apply may change the workload
	shown   string                                        // the scenario or case in which that lost requests, hung or was refused
	twin    string                                        // the one that does not
}

// Read returns what the manifests of an app say about its rollouts: what is certain first, and each time in the order of all advice.
func Read(r evidence.Reading) []model.Finding {
	var certain, questions []model.Finding
	for _, a := range all {
		if a.sign == nil {
			continue
		}
		for _, of := range a.sign.forms() {
			says, field := of.says(r)
			if says == "" {
				continue
			}
			f := of.finding(a.code, says, field)
			if f.Certain {
				f.Patch = patchFor(a, r)
				certain = append(certain, f)
			} else {
				questions = append(questions, f)
			}
		}
	}
	return append(certain, questions...)
}

// forms returns the sign as what is certain and as the question, if it has both.
func (s sign) forms() []sign {
	if s.asks == nil {
		return []sign{s}
	}
	return []sign{s, {on: s.on, says: s.asks, do: s.tells}}
}

// finding returns what the sign says.
func (s sign) finding(code verdict.Code, says, field string) model.Finding {
	return model.Finding{Code: code.Code, ID: code.ID, Certain: s.certain, Drains: s.drains, On: s.on, Field: field, Says: says, Do: s.do,
		Shown: s.shown, Twin: s.twin}
}

// patchFor returns the patch of the workload or the Service that follows an advice; empty if a manifest cannot follow it.
func patchFor(a advice, r evidence.Reading) string {
	if a.sign.mend != nil {
		after := deepCopy(r.Manifest)
		a.sign.mend(mapAt(after, "spec"), r)
		document, _ := patch.Of(deepCopy(r.Manifest), after)
		return document
	}
	before, after := workload(deepCopy(r.Workload)), workload(deepCopy(r.Workload))
	if len(before) == 0 || a.apply == nil || a.sign.on != model.OnWorkload || !a.apply(&advisedApp{own: r.UserApp}, after) ||
		before.writesWithheld(after) {
		return ""
	}
	document, _ := patch.Of(before, after)
	return document
}

// Certain lists what manifests can show for certain, with the scenario or case of each that lost requests, hung or was refused, and its
// twin.
func Certain() (list []model.Finding) {
	for _, a := range all {
		if a.sign != nil && a.sign.certain {
			list = append(list, a.sign.finding(a.code, "", ""))
		}
	}
	return append(list, Misplaced("", "move the field to where it belongs"))
}

var budgetBlocks = advice{
	code: verdict.Code{
		Code: "RC3038", ID: "budget-blocks",
		Causes: "a PodDisruptionBudget allows no eviction even while all pods are ready: minAvailable is as large as the number of pods, or " +
			"maxUnavailable is 0. A drain then waits for ever (HTTP 429 from the eviction API).",
		Do: "have one pod more than minAvailable, or write maxUnavailable: 1.",
	},
	sign: &sign{
		certain: true, on: model.OnBudget,
		says: func(r evidence.Reading) (says, field string) {
			if r.Budget == "" {
				return "", ""
			}
			return "it allows no eviction of " + r.Kind + " " + r.Name + " even while all pods are ready, so that a drain of their nodes never ends",
				"spec"
		},
		do:    "have one pod more than minAvailable, or write maxUnavailable: 1",
		shown: "disruption/drain-blocked", twin: "disruption/drain-budgeted",
	},
}

var misplacedField = advice{
	code: verdict.Code{
		Code: "RC3039", ID: "misplaced-field",
		Causes: "a manifest has a field that its kind does not have, at that place, or twice, or of another type. The API server refuses it, or " +
			"drops it with a warning that scripts do not read: a hook or a grace period is then not in force.",
		Do: "move the field to where it belongs: the finding says where, if that is known.",
	},
}

// Misplaced returns the finding about a field that the API server refuses or drops, with two clauses.
func Misplaced(says, do string) model.Finding {
	return model.Finding{Code: misplacedField.code.Code, ID: misplacedField.code.ID, Certain: true, Says: says, Do: do,
		Shown: "case f4", Twin: "rollout/drained-rolling-update"}
}
