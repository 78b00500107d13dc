package timeline

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
)

// eventProblems says, in a fixed order, where the marks contradict each other.
func eventProblems(t Timeline) []string {
	var found []string
	seen := make(map[evidence.EventKind]int)
	for _, e := range t.Events {
		if e.At < 0 {
			found = append(found, fmt.Sprintf("event %s is %s before the run began", e.Kind, -e.At))
		}
		if seen[e.Kind]++; isMark(e.Kind) && seen[e.Kind] == 2 {
			found = append(found, fmt.Sprintf("mark %s was set more than once", e.Kind))
		}
	}
	var last time.Duration
	var lastKind evidence.EventKind
	for _, kind := range PhaseMarks() {
		at, ok := t.Mark(kind)
		if !ok {
			continue
		}
		if lastKind != "" && at < last {
			found = append(found, fmt.Sprintf("mark %s (%s) comes before %s (%s)", kind, at, lastKind, last))
		}
		last, lastKind = at, kind
	}
	return found
}
