package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// Cuts compares which replies failed with which the ends of their pods must, may and cannot have cut: a reply takes as long as is known of
// it, from when its pod logged the request.
type Cuts struct {
	Replies []Chance               // that were under way, for all that is known, when their pod ended
	Cut     map[evidence.Fault]int // of these, that failed, by how
	Uncut   []Hit                  // whole, though their pod ended before they can have been
	Other   []Hit                  // failed, though their pod did not end while they were under way
	Unknown int                    // requests whose pod is not known, or when it ended
}

// A Chance has the probabilities that a reply was cut if its pod ended as late, and as early, as may be.
type Chance struct{ Least, Most float64 }

// A cutter finds out which replies the ends of pods cut.
type cutter struct {
	lasts evidence.Length
	slack time.Duration // how wrong the end of a pod, or when a request began to be served, may be
	ends  map[string]podEnd
}

// A podEnd is when an old pod's process ended; not seen: it ended, and when is not known.
type podEnd struct {
	at   time.Duration
	seen bool
}

// endsOfOld returns the ends of all old pods that were deleted, by name.
func (t *Timeline) endsOfOld() map[string]podEnd {
	ends := map[string]podEnd{}
	for name, p := range t.olds {
		if _, deleted := p.first(evidence.PodDeleting, nil); !deleted {
			continue
		}
		e, seen := p.last(evidence.PodExited, evidence.PodKilled, evidence.PodStarted)
		seen = seen && e.Kind != evidence.PodStarted
		ends[name] = podEnd{at: t.noted(e).At, seen: seen}
	}
	return ends
}

// chance returns that of a reply, if it is known which pod it was to come from, and when that ended.
func (c *cutter) chance(h Hit) (chance Chance, known bool) {
	began, by := h.Sent, h.By.Pod
	if n := len(h.Arrivals); n > 0 {
		began, by = h.Arrivals[n-1].At, h.Arrivals[n-1].By.Pod
	}
	end, ended := c.ends[by]
	left := end.at - began // for the reply
	switch {
	case by == "":
		return chance, !h.Good() // it reached no pod
	case !ended:
		return chance, true
	default:
		return Chance{Least: c.lasts.Beyond(left + c.slack), Most: c.lasts.Beyond(left - c.slack)}, end.seen
	}
}

// add adds a hit, whose arrivals it does not keep.
func (c *cutter) add(to *Cuts, h Hit) {
	chance, known := c.chance(h)
	h.Arrivals = slices.Clone(h.Arrivals)
	switch {
	case !known:
		to.Unknown++
	case chance.Most == 0 && h.Failed():
		to.Other = append(to.Other, h)
	case chance.Most == 0:
	case chance.Least == 1 && !h.Failed():
		to.Uncut = append(to.Uncut, h)
		fallthrough
	default:
		to.Replies = append(to.Replies, chance)
		if h.Failed() {
			if to.Cut == nil {
				to.Cut = map[evidence.Fault]int{}
			}
			to.Cut[h.Fault]++
		}
	}
}
