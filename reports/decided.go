package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

// newClaims judges each seed claim that a scenario covers, mode by mode: it holds if a scenario decided so and none that it
// fails.
func newClaims(scenarios []model.Scenario) []model.Claim {
	var claims []model.Claim
	var modes []string
	for _, s := range scenarios {
		if !slices.Contains(modes, s.Mode) {
			modes = append(modes, s.Mode)
		}
	}
	for _, mode := range modes {
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

// newClaim is a claim by the worst that a scenario decided about it; where none did, by the worst reason.
func newClaim(id, mode string, scenarios []model.Scenario) model.Claim {
	claim := model.Claim{ID: id, Mode: mode, DecidedBy: []model.Decision{}}
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Pass, verdict.Inconclusive, verdict.Skipped} {
		for _, s := range scenarios {
			shown := shownBy(s, id)
			if shown.Outcome != outcome {
				continue
			}
			claim.Outcome = outcome
			for _, rule := range shown.Rules {
				claim.DecidedBy = append(claim.DecidedBy, model.Decision{Scenario: s.Name(), Rule: rule})
			}
			if claim.Evidence == "" || shown.Evidence.Weaker(claim.Evidence) {
				claim.Evidence = shown.Evidence
			}
			if claim.Because == "" && shown.Because != "" {
				claim.Because = fmt.Sprintf("%s: %s", s.Name(), shown.Because)
			}
		}
		if claim.Outcome == outcome && (len(claim.DecidedBy) > 0 || claim.Because != "") {
			return claim
		}
	}
	return claim
}

// shownBy is what a scenario that covers a claim shows of it. One that was not judged shows nothing, and so does a recording
// from before expectations named the claims that they decide.
func shownBy(s model.Scenario, id string) verdict.Claim {
	if i := slices.IndexFunc(s.Claims, func(c verdict.Claim) bool { return c.ID == id }); i >= 0 {
		return s.Claims[i]
	}
	if s.Outcome == verdict.Skipped || len(s.Rules) == 0 {
		return verdict.Claim{ID: id, Outcome: s.Outcome, Because: s.Because}
	}
	return verdict.Claim{ID: id, Because: "no rule of the recording says that it decides the claim"}
}

// modesWith lists the modes in which a claim was decided or could have been, in the order of the claims.
func modesWith(claims []model.Claim) []string {
	var modes []string
	for _, c := range claims {
		if !slices.Contains(modes, c.Mode) {
			modes = append(modes, c.Mode)
		}
	}
	return modes
}

// countClaims is like "38 pass (30 by node-rules, 8 by clients), 1 fail: C2, 2 skipped: C19, C37".
func countClaims(mode string, claims []model.Claim) string {
	ids, by := map[verdict.Outcome][]string{}, map[verdict.EvidenceKind]int{}
	for _, c := range claims {
		if c.Mode == mode {
			ids[c.Outcome] = append(ids[c.Outcome], c.ID)
		}
		if c.Mode == mode && c.Outcome == verdict.Pass {
			by[c.Evidence]++
		}
	}
	var kinds, parts []string
	for _, kind := range []verdict.EvidenceKind{verdict.NodeRules, verdict.Clients, verdict.API} {
		if by[kind] > 0 {
			kinds = append(kinds, fmt.Sprintf("%d by %s", by[kind], kind))
		}
	}
	if n := len(ids[verdict.Pass]); n > 0 {
		parts = append(parts, fmt.Sprintf("%d pass (%s)", n, strings.Join(kinds, ", ")))
	}
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Inconclusive, verdict.Skipped} {
		if len(ids[outcome]) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s: %s", len(ids[outcome]), outcome, strings.Join(ids[outcome], ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
