package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// newClaims judges each seed claim that a scenario covers, mode by mode.
func newClaims(scenarios []model.Scenario) []model.Claim {
	var claims []model.Claim
	for _, mode := range model.Distinct(scenarios, func(s model.Scenario) string { return s.Mode }) {
		for n := range SeedClaims {
			id := "C" + strconv.Itoa(n+1)
			covering := slices.DeleteFunc(slices.Clone(scenarios),
				func(s model.Scenario) bool { return s.Mode != mode || !slices.Contains(s.Covers, id) })
			if len(covering) > 0 {
				claims = append(claims, newClaim(id, mode, covering))
			}
		}
	}
	return claims
}

// newClaim judges a claim by the worst of its parts: a part that was shown does not make up for one that was not.
func newClaim(id, mode string, scenarios []model.Scenario) model.Claim {
	seed, _ := SeedClaimOf(id)
	claim := model.Claim{ID: id, Mode: mode, Outcome: model.Holds, DecidedBy: []model.Decision{}}
	var measured []string
	skipped := 0
	for _, part := range seed.PartsOf(id) {
		shown := newPart(part, scenarios)
		claim.DecidedBy = append(claim.DecidedBy, shown.DecidedBy...)
		measured = append(measured, shown.Measured...)
		claim.Stretch = max(claim.Stretch, shown.Stretch)
		if shown.Evidence != "" && (claim.Evidence == "" || shown.Evidence.Weaker(claim.Evidence)) {
			claim.Evidence = shown.Evidence
		}
		if worse := slices.Index(model.ClaimOutcomes(), shown.Outcome) < slices.Index(model.ClaimOutcomes(), claim.Outcome); worse {
			claim.Outcome, claim.Because = shown.Outcome, shown.Because
		}
		if shown.Outcome == model.Skipped {
			skipped++
		}
		if len(seed.Parts) > 0 {
			claim.Parts = append(claim.Parts, shown)
		}
	}
	switch {
	case claim.Outcome == model.Skipped && skipped <= len(seed.Parts)-1:
		claim.Outcome = model.NotShown
	case claim.Outcome == model.Holds && seed.Truth != "":
		claim.Outcome, claim.Truth, claim.Measured = model.Refuted, seed.Truth, measured
	}
	return claim
}

// newPart judges a part by the worst that a scenario showed of it: one that shows it does not make up for one that could not tell. What
// only preconditions decide was not shown: they never fail.
func newPart(id string, scenarios []model.Scenario) model.ClaimPart {
	part := model.ClaimPart{ID: id, DecidedBy: []model.Decision{}}
	falsifiable := false
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Inconclusive, verdict.Pass, verdict.Skipped} {
		found := false
		for _, s := range scenarios {
			shown, ok := shownBy(s, id)
			if !ok || shown.Outcome != outcome {
				continue
			}
			found, falsifiable = true, falsifiable || shown.Falsifiable
			for _, rule := range shown.Rules {
				part.DecidedBy = append(part.DecidedBy, model.Decision{Scenario: s.Name(), Rule: rule})
			}
			part.Measured, part.Stretch = append(part.Measured, shown.Measured...), max(part.Stretch, shown.Stretch)
			if part.Evidence == "" || shown.Evidence.Weaker(part.Evidence) {
				part.Evidence = shown.Evidence
			}
			if part.Because == "" && shown.Because != "" {
				part.Because = fmt.Sprintf("%s: %s", s.Name(), shown.Because)
			}
		}
		if !found {
			continue
		}
		switch part.Outcome = claimOutcomes[outcome]; {
		case outcome == verdict.Pass && !falsifiable:
			part.Outcome, part.Because = model.NotShown, id+" was decided by preconditions alone, which never fail"
		case outcome == verdict.Pass:
			part.Because = ""
		}
		return part
	}
	part.Outcome, part.Because = model.NotShown, "no scenario that ran decides "+id
	return part
}

var claimOutcomes = map[verdict.Outcome]model.ClaimOutcome{verdict.Fail: model.Violated, verdict.Pass: model.Holds,
	verdict.Inconclusive: model.NotShown, verdict.Skipped: model.Skipped}

// shownBy returns what a scenario that covers a claim shows of one part of it; false if the scenario is about other parts alone. One that
// was not judged shows nothing, and so does a recording from before expectations named the claims that they decide.
func shownBy(s model.Scenario, part string) (verdict.Claim, bool) {
	if i := slices.IndexFunc(s.Claims, func(c verdict.Claim) bool { return c.ID == part }); i >= 0 {
		return s.Claims[i], true
	}
	about := func(c verdict.Claim) bool { return evidence.ClaimOf(c.ID) == evidence.ClaimOf(part) }
	switch {
	case slices.ContainsFunc(s.Claims, about):
		return verdict.Claim{}, false
	case s.Outcome == verdict.Skipped || len(s.Rules) == 0:
		return verdict.Claim{ID: part, Outcome: s.Outcome, Because: s.Because}, true
	}
	return verdict.Claim{ID: part, Because: "no rule of the recording says that it decides the claim"}, true
}

// countClaims returns, for example, "36 hold (seen: 30 in nodes' rules, 6 by clients), 5 refuted: C10, C12, C27, C28, C32; 1 violated: C2".
func countClaims(mode string, claims []model.Claim) string {
	ids, by := map[model.ClaimOutcome][]string{}, map[verdict.EvidenceKind]int{}
	claims = slices.DeleteFunc(slices.Clone(claims), func(c model.Claim) bool { return c.Mode != mode })
	for _, c := range claims {
		ids[c.Outcome] = append(ids[c.Outcome], c.ID)
		if c.Outcome == model.Holds {
			by[c.Evidence]++
		}
	}
	var kinds, parts []string
	for _, seen := range []struct {
		verdict.EvidenceKind
		where string
	}{{verdict.NodeRules, "in nodes' rules"}, {verdict.Clients, "by clients"}, {verdict.API, "in the API"}} {
		if n := by[seen.EvidenceKind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, seen.where))
		}
	}
	if n := len(ids[model.Holds]); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s (seen: %s)", n, cmp.Or(map[int]string{1: "holds"}[n], "hold"), strings.Join(kinds, ", ")))
	}
	for _, outcome := range []model.ClaimOutcome{model.Refuted, model.Violated, model.NotShown, model.Skipped} {
		switch n := len(ids[outcome]); n {
		case 0:
		case max(2, len(claims)):
			parts = append(parts, fmt.Sprintf("all %d %s", n, outcome))
		default:
			parts = append(parts, fmt.Sprintf("%d %s: %s", n, outcome, strings.Join(ids[outcome], ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
