package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports/model"
)

// secondsByPart sums up spans by part. Idle is the time from began to ended that no span covers; it is absent if the run has not ended.
func secondsByPart(spans []evidence.Span, began, ended time.Time) map[evidence.Part]float64 {
	if len(spans) == 0 {
		return nil
	}
	sums := make(map[evidence.Part]float64)
	for _, s := range spans {
		sums[s.Part] += s.Seconds
	}
	if ended.After(began) {
		sums[evidence.IdlePart] = uncovered(spans, began, ended.Sub(began).Seconds())
	}
	for part, sum := range sums {
		sums[part] = thousandths(sum)
	}
	return sums
}

// uncovered returns how many of the seconds after began no span covers.
func uncovered(spans []evidence.Span, began time.Time, seconds float64) (idle float64) {
	from := func(s evidence.Span) float64 { return s.Began.Sub(began).Seconds() }
	covered := 0.0 // up to here
	for _, s := range slices.SortedFunc(slices.Values(spans), func(a, b evidence.Span) int { return a.Began.Compare(b.Began) }) {
		idle += max(0, min(from(s), seconds)-covered)
		covered = max(covered, from(s)+s.Seconds)
	}
	return idle + max(0, seconds-covered)
}

// spentLine returns a line such as "time: cluster 58 s, steady 80 s (recordings side by side add up), idle 12 s"; empty if no time is
// known.
func spentLine(r model.Run) string {
	var parts []string
	for _, part := range evidence.Parts() {
		if seconds, told := r.Seconds[part]; told && part != evidence.IdlePart {
			parts = append(parts, fmt.Sprintf("%s %.0f s", part, seconds))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := "time: " + strings.Join(parts, ", ") + " (recordings side by side add up)"
	if idle, told := r.Seconds[evidence.IdlePart]; told {
		line += fmt.Sprintf(", %s %.0f s", evidence.IdlePart, idle)
	}
	return line
}
