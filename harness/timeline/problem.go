package timeline

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// problems says, in a fixed order, where the recording contradicts itself or has holes.
func problems(t Timeline, strays map[string]int) []string {
	var found []string
	for _, id := range slices.Sorted(maps.Keys(strays)) {
		found = append(found, fmt.Sprintf("%d hits belong to lane %q, which the run does not have", strays[id], id))
	}
	for _, lane := range t.Lanes {
		found = append(found, laneProblems(lane)...)
	}
	return append(found, eventProblems(t)...)
}

func laneProblems(lane Lane) []string {
	var twice, negative, unknown, anonymous, holes int
	next := uint64(0)
	for _, h := range lane.Hits {
		switch {
		case h.Seq < next:
			twice++
		case h.Seq > next:
			holes++
		}
		next = h.Seq + 1
		if h.Due < 0 || h.Sent < 0 || h.Took < 0 {
			negative++
		}
		if h.Failed() && !slices.Contains(evidence.Faults(), h.Fault) {
			unknown++
		}
		if !h.Failed() && h.By.Version == "" {
			anonymous++
		}
	}
	var found []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{twice, "%d hits of lane %q repeat a sequence number"},
		{holes, "%d stretches of sequence numbers of lane %q are missing"},
		{negative, "%d hits of lane %q have a negative time"},
		{unknown, "%d hits of lane %q have an unknown fault"},
		{anonymous, "%d good replies of lane %q name no version"},
	} {
		if p.n > 0 {
			found = append(found, fmt.Sprintf(p.what, p.n, lane.ID))
		}
	}
	return found
}

func eventProblems(t Timeline) []string {
	var found []string
	seen := make(map[evidence.EventKind]int)
	for _, e := range t.Events {
		if e.At < 0 {
			found = append(found, fmt.Sprintf("event %s has the negative time %s", e.Kind, e.At))
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
