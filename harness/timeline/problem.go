package timeline

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
)

// eventProblems returns a sentence for each line of the events file that cannot be right.
func eventProblems(noted []evidence.Event) []string {
	var found []string
	seen := make(map[evidence.EventKind]bool)
	for i, e := range noted {
		if e.At < 0 && e.Clock == "" {
			found = append(found, fmt.Sprintf("%s: line %d: %s is %s before the run began", evidence.EventsFile, i+1, e.Kind, -e.At))
		}
		if IsMark(e.Kind) && seen[e.Kind] {
			found = append(found, fmt.Sprintf("%s: line %d: mark %s was set before", evidence.EventsFile, i+1, e.Kind))
		}
		seen[e.Kind] = true
	}
	return found
}

// markProblems returns a sentence for each mark that comes before the mark of the phase before it.
func (t Timeline) markProblems() []string {
	var found []string
	var last time.Duration
	var lastKind evidence.EventKind
	for _, kind := range t.PhaseMarks() {
		at, ok := t.Mark(kind)
		if !ok {
			continue
		}
		if lastKind != "" && at < last {
			found = append(found, fmt.Sprintf("%s: mark %s (%s) comes before %s (%s)", evidence.EventsFile, kind, at, lastKind, last))
		}
		last, lastKind = at, kind
	}
	return found
}
