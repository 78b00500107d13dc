// Package timeline joins the tapes of one recorded run into one ordered view:
// hits by lane, marks, phases, outages, windows and capacity. It is pure: the
// same evidence, in any order of hits, gives the same timeline. It measures and
// never judges; package verdict does.
package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Timeline is the joined view of one run. All times are offsets from Run.Began.
type Timeline struct {
	Old, New string // versions rolled out from and to
	Lanes    []Lane // in the order of the run
	Events   []evidence.Event
	// Problems lists what makes the recording contradict itself, one sentence each. A timeline
	// with problems can be read but not judged.
	Problems []string

	marks map[evidence.EventKind]time.Duration
}

// A Lane is one client with everything it saw.
type Lane struct {
	evidence.Lane
	Hits    []evidence.Hit // by Seq
	Summary LaneSummary
}

// Join orders the evidence. The error is a run whose lanes cannot be told apart; every other
// contradiction is one of the timeline's Problems.
func Join(ev evidence.Evidence) (Timeline, error) {
	t := Timeline{Old: ev.Run.OldVersion, New: ev.Run.NewVersion, Events: slices.Clone(ev.Events)}
	slices.SortStableFunc(t.Events, func(a, b evidence.Event) int { return cmp.Compare(a.At, b.At) })
	t.marks = firstMarks(t.Events)

	index := make(map[string]int, len(ev.Run.Lanes))
	for i, lane := range ev.Run.Lanes {
		if _, twice := index[lane.ID]; twice || lane.ID == "" {
			return Timeline{}, fmt.Errorf("timeline: join %s: lane id %q is empty or used twice", ev.Run.Scenario, lane.ID)
		}
		index[lane.ID] = i
		t.Lanes = append(t.Lanes, Lane{Lane: lane})
	}
	strays := make(map[string]int)
	for _, h := range ev.Hits {
		if i, known := index[h.Lane]; known {
			t.Lanes[i].Hits = append(t.Lanes[i].Hits, h)
		} else {
			strays[h.Lane]++
		}
	}
	ended := t.marks[evidence.LoadEnded]
	for i := range t.Lanes {
		lane := &t.Lanes[i]
		slices.SortFunc(lane.Hits, compareHits)
		lane.Summary = summarize(lane.Hits, ended)
	}
	t.Problems = problems(t, strays)
	return t, nil
}

// ServiceLanes lists the lanes that go through the Service: all but the control lanes, whose
// target is not rolled out.
func (t Timeline) ServiceLanes() []Lane {
	return slices.DeleteFunc(slices.Clone(t.Lanes), func(l Lane) bool { return l.Vantage == evidence.FromControl })
}

// Replied reports whether a pod of the app answered the hit, well or badly, and named its version.
func Replied(h evidence.Hit) bool {
	return h.By.Version != "" && h.Fault != evidence.WrongServer
}

// compareHits is a total order, so that even duplicates sort the same way every time.
func compareHits(a, b evidence.Hit) int {
	return cmp.Or(
		cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(a.Sent, b.Sent),
		cmp.Compare(a.Due, b.Due),
		cmp.Compare(a.Took, b.Took),
		cmp.Compare(a.Fault, b.Fault),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.By.Version, b.By.Version),
		cmp.Compare(a.By.Pod, b.By.Pod),
		cmp.Compare(a.By.Node, b.By.Node),
		cmp.Compare(a.LocalPort, b.LocalPort),
		cmp.Compare(a.Attempts, b.Attempts),
		compareBools(a.Reused, b.Reused),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
