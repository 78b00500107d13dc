package advice

import (
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A trial is how the load of rollcall try tests what a sign says.
type trial struct {
	of      advice
	certain bool     // only of findings that are certain
	field   string   // only of findings about this field; empty: any
	by      []string // ids of the recordings that do what it is about; empty: none does
	told    bool     // the advice tells of something that was seen, lost requests or not
	unseen  string   // why recordings that lost nothing do not refute it; empty: they do
}

var (
	rollout = []string{"rollout"}          // pods end, and others start
	merge   = []string{"merge"}            // another version of the manifests is applied
	either  = []string{"rollout", "merge"} // --to applies one too
)

const takesDrain = "it takes a drain: rollcall during -- kubectl drain NODE"

// trials has how each sign is tested. The first row that fits a finding counts.
var trials = []trial{
	{of: hookFailed, by: rollout, told: true},
	{of: noneAvailable, by: rollout},
	{of: onlyPodMoved, unseen: takesDrain},
	{of: unprobedPods, by: rollout},
	{of: readyBeforeAble, by: rollout},
	{of: publishedUnready, by: rollout},
	{of: backendEndsFirst, by: rollout},
	{of: hookStopsListening, by: rollout},
	{of: sleepNeeded, by: rollout},
	{of: graceTooShort, by: rollout},
	{of: replicasNamed, unseen: "it takes an autoscaler that has set another number, and an apply then"},
	{of: recreates, by: rollout},
	{of: affinityPins, by: rollout},
	{of: rolloutStuck, by: rollout, told: true, unseen: "new pods found room here, which a cluster without a spare node may not have"},
	{of: killedStarting, by: rollout, told: true},
	{of: othersBehind, certain: true, by: rollout, unseen: "the other pods may not have been ready meanwhile"},
	{of: othersBehind, by: rollout},
	{of: noneOnNode, field: "spec.externalTrafficPolicy", unseen: "it takes clients that come from outside the cluster"},
	{of: noneOnNode, by: rollout},
	{of: serviceChanged, field: "spec", by: merge},
	{of: serviceChanged, by: either, unseen: "it takes an apply of the next version"},
	{of: budgetBlocks, unseen: takesDrain},
	{of: selectsNone, unseen: "no pods are behind it"},
}

// Test returns what the recordings of a try say to what was found in its manifests before.
func Test(found []model.TestedFinding, recordings []model.Scenario) (tested []model.TestedFinding) {
	for _, f := range found {
		i := slices.IndexFunc(trials, func(t trial) bool { return t.tests(f) })
		switch {
		case !f.Rolled:
			f.State, f.Because = model.FindingUnseen, "another app was rolled out"
		case i < 0:
			f.State, f.Because = model.FindingUnseen, "no rollout tests it"
		default:
			f.State, f.Because = trials[i].state(recordings)
		}
		tested = append(tested, f)
	}
	return tested
}

func (t trial) tests(f model.TestedFinding) bool {
	return t.of.code.Code == f.Code && (!t.certain || f.Certain) && (t.field == "" || t.field == f.Field)
}

// state returns what the recordings say: confirmed if one shows what advice of the code is about, refuted if all lost nothing.
func (t trial) state(recordings []model.Scenario) (state model.FindingState, because string) {
	var requests, lost int
	var seen []string
	did, doubt := false, ""
	for _, s := range recordings {
		if !slices.Contains(t.by, s.ID) {
			continue
		}
		did, requests = true, requests+s.Requests()
		if a, given := t.given(s); given {
			lost += a.Mends
			seen = append(seen, a.Sign)
		} else if doubt == "" {
			doubt = t.doubted(s)
		}
	}
	switch {
	case lost > 0:
		return model.FindingConfirmed, fmt.Sprintf("%s of %s lost", phrase.Count(lost, "request"), phrase.Number(requests))
	case len(seen) > 0:
		return model.FindingConfirmed, seen[0]
	case !did && len(t.by) > 0 && t.unseen == "":
		return model.FindingUnseen, "no " + strings.Join(t.by, " and no ") + " was recorded"
	case t.unseen != "":
		return model.FindingUnseen, t.unseen
	case doubt != "":
		return model.FindingUnseen, doubt
	case t.told:
		return model.FindingRefuted, "that was not so"
	default:
		return model.FindingRefuted, "none of " + phrase.Count(requests, "request") + " lost"
	}
}

// given returns the advice of the code, if it tells of requests that were lost, or otherwise of something that was seen.
func (t trial) given(s model.Scenario) (a model.Advice, given bool) {
	i := slices.IndexFunc(s.Advice, func(a model.Advice) bool { return a.Code == t.of.code.Code && (a.Mends > 0 || t.told) })
	if i < 0 {
		return a, false
	}
	return s.Advice[i], true
}

// doubted returns why a recording without advice of the code does not refute it; empty if it does.
func (t trial) doubted(s model.Scenario) string {
	switch {
	case !s.Decided():
		return "the recording decides nothing"
	case t.told:
		return ""
	case s.Failed() > 0:
		return "what was lost has other causes"
	case s.Requests() == 0:
		return "no request was sent"
	case endedEarly(s.Numbers):
		return "nothing was lost by luck: a pod ended while a node still sent it requests"
	default:
		return ""
	}
}
