package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict/phrase"
)

// Line returns one line about a scenario under way: mode, name, time so far, time left, and what clients see.
func (r Running) Line() string {
	line := fmt.Sprintf("%s %s %6.1fs", r.Mode, r.Scenario, r.Seconds)
	if r.Left != nil {
		line += fmt.Sprintf(" %9s", left(*r.Left))
	}
	line += fmt.Sprintf("  %-20s", r.Phase)
	return strings.TrimRight(line+r.clients(), " ")
}

// clients says what clients sent and which versions replied; empty if there are none.
func (r Running) clients() string {
	said := ""
	if r.Sent > 0 {
		said = fmt.Sprintf(" sent %6d  failed %4d ", r.Sent, r.Failed)
	}
	for _, version := range slices.Sorted(maps.Keys(r.Replies)) {
		said += fmt.Sprintf(" %s %d", phrase.Printable(version), r.Replies[version])
	}
	if r.Trouble != "" {
		said += "  " + phrase.Printable(r.Trouble)
	}
	return said
}

// left returns the time left for people, such as "~2m10s left".
func left(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	return "~" + d.Round(time.Second).String() + " left"
}

// Lines returns the lines about what is under way; none if nothing is.
func (s *Status) Lines() []string {
	if len(s.Running) == 0 && s.Doing == "" {
		return nil
	}
	head := fmt.Sprintf("%s  %s", s.Updated.Sub(s.Began).Round(time.Second), s.Counts())
	if s.Left != nil {
		head += "; " + left(*s.Left)
	}
	lines := []string{"", head}
	if s.Doing != "" {
		lines = append(lines, "  "+phrase.Printable(s.Doing))
	}
	for _, r := range s.Running {
		lines = append(lines, "  "+r.Line())
	}
	return lines
}

// Counts says how many scenarios had each outcome.
func (s *Status) Counts() string {
	counts := map[string]int{}
	for _, e := range s.Ended {
		counts[e.Outcome]++
	}
	return fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d skipped", counts["pass"], counts["fail"], counts["inconclusive"],
		counts["skipped"])
}
