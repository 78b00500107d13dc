package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Phase is the part of a run that a moment belongs to. Phases are half-open and contiguous: a hit
// sent exactly at a mark belongs to the phase that the mark begins.
type Phase uint8

// The phases.
const (
	Outside Phase = iota // not under load, or a mark is missing
	Before               // [load-begun, rollout-begun)
	During               // [rollout-begun, end of the rollout)
	After                // [end of the rollout, load-ended)
)

func (p Phase) String() string {
	return [...]string{"outside", "before", "during", "after"}[min(p, After)]
}

// PhaseMarks lists the marks that bound the phases, in order. A run that lacks one of them cannot be judged. A rollout
// that keeps the old pods ends at the barrier.
func (t Timeline) PhaseMarks() []evidence.EventKind {
	return []evidence.EventKind{evidence.LoadBegun, evidence.RolloutBegun, t.rolloutEnd(), evidence.LoadEnded}
}

func (t Timeline) rolloutEnd() evidence.EventKind {
	_, gone := t.marks[evidence.OldGone]
	_, over := t.marks[evidence.Barrier]
	if over && !gone {
		return evidence.Barrier
	}
	return evidence.OldGone
}

// RolloutEnd returns when the rollout was over; 0 without its mark.
func (t Timeline) RolloutEnd() time.Duration { return t.marks[t.rolloutEnd()] }

// Mark returns when a mark was set first, if it was.
func (t Timeline) Mark(kind evidence.EventKind) (at time.Duration, ok bool) {
	at, ok = t.marks[kind]
	return at, ok
}

// Marks lists the marks by time: of each kind the first.
func (t Timeline) Marks() []evidence.Event { return t.marked }

// begun returns when the rollout began; never without the mark.
func (t Timeline) begun() time.Duration {
	if at, ok := t.Mark(evidence.RolloutBegun); ok {
		return at
	}
	return never
}

// Phase returns the phase of a moment. The phase of a hit is that of Sent.
func (t Timeline) Phase(at time.Duration) Phase {
	phase := Outside
	for i, mark := range t.phaseBounds() {
		if at >= mark {
			phase = Phase(i+1) % (After + 1)
		}
	}
	return phase
}

// phaseBounds lists when each phase begins, and when the last one ends; empty when a mark is missing.
func (t Timeline) phaseBounds() []time.Duration {
	var bounds []time.Duration
	for _, kind := range t.PhaseMarks() {
		mark, ok := t.Mark(kind)
		if !ok {
			return nil
		}
		bounds = append(bounds, mark)
	}
	return bounds
}

// UnderLoad reports whether a moment is between the begin and the end of the load, or after its begin if no end is marked.
func (t Timeline) UnderLoad(at time.Duration) bool {
	begun, loaded := t.Mark(evidence.LoadBegun)
	ended, over := t.Mark(evidence.LoadEnded)
	return loaded && at >= begun && (!over || at < ended)
}

// IsMark reports whether events of a kind are marks, which the harness sets itself.
func IsMark(kind evidence.EventKind) bool {
	switch kind {
	case evidence.LoadBegun, evidence.RolloutBegun, evidence.StatusDone, evidence.OldGone, evidence.Barrier, evidence.LoadEnded,
		evidence.DisruptionBegun, evidence.DisruptionUndone, evidence.ClusterWhole:
		return true
	default:
		return false
	}
}
