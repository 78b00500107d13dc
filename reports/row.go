package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

func columns() []string {
	return []string{"SCENARIO", "MODE", "REQUESTS", "FAILED", "VERSIONS", "LONGEST OUTAGE", "OUTCOME"}
}

// newRow returns a scenario's row of a table for people: a short text for each of the columns.
func newRow(s model.Scenario) []string {
	var longest float64
	failed, onControl := 0, 0
	replies := make(map[string]int)
	for _, lane := range s.LoadLanes() {
		if lane.Kind().IsControl() {
			onControl += lane.Failed()
			continue // its target is not the Service
		}
		longest = max(longest, lane.LongestOutage)
		failed += lane.Failed()
		for version, n := range lane.ByVersion {
			replies[version] += n
		}
	}
	name, requests := s.Name(), s.Requests()
	if requests == 0 {
		return []string{name, s.Mode, "-", "-", "-", "-", s.Outcome.String()}
	}
	lost := phrase.Number(failed)
	if onControl > 0 {
		lost += ", control " + phrase.Number(onControl)
	}
	return []string{name, s.Mode, phrase.Number(requests), lost, shares(replies), outage(longest), s.Outcome.String()}
}

// remedy says where to read what to do about a scenario that did not pass; empty if no code is known.
func remedy(s model.Scenario) string {
	if codes := RemedyCodes(s); len(codes) > 0 {
		return "what to do: rollcall explain " + strings.Join(codes, " ")
	}
	return ""
}

// RemedyCodes lists the codes of why a scenario did not pass. A rule that is inconclusive for a reason to distrust the recording adds no
// code to that of the reason.
func RemedyCodes(s model.Scenario) []string {
	if !s.Bad() {
		return nil
	}
	var codes, unknown []string
	if s.Outcome == verdict.Inconclusive {
		for _, d := range s.Distrust {
			codes, unknown = append(codes, d.Code), append(unknown, d.Rules...)
		}
	}
	for _, r := range s.Rules {
		if r.Outcome == verdict.Fail || r.Outcome == verdict.Inconclusive && !slices.Contains(unknown, r.ID) {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.DeleteFunc(slices.Compact(codes), func(code string) bool { return code == "" })
}

// shares formats replies by version, such as "v1 52% v2 48%". Only none is 0% and only all is 100%, whatever rounding says.
func shares(replies map[string]int) string {
	total := 0
	for _, n := range replies {
		total += n
	}
	if total == 0 {
		return "-"
	}
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(replies)) {
		n := replies[version]
		share := fmt.Sprintf("%d%%", (n*100+total/2)/total)
		switch {
		case n*100 < total:
			share = "<1%"
		case n < total && n*100 > total*99:
			share = ">99%"
		}
		parts = append(parts, version+" "+share)
	}
	return strings.Join(parts, " ")
}

func outage(millis float64) string {
	if millis == 0 {
		return "none"
	}
	return phrase.Duration(time.Duration(millis * float64(time.Millisecond)))
}
