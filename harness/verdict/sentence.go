package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

const (
	maxWitnesses = 20
	maxSeqs      = 8 // written out in a sentence
)

// hitsOf gathers the hits of several lanes, by time sent.
func hitsOf(lanes []timeline.Lane) []evidence.Hit {
	var hits []evidence.Hit
	for _, lane := range lanes {
		hits = append(hits, lane.Hits...)
	}
	sortBySent(hits)
	return hits
}

func failedOf(lanes []timeline.Lane) []evidence.Hit {
	return slices.DeleteFunc(hitsOf(lanes), func(h evidence.Hit) bool { return !h.Failed() })
}

func requests(lanes []timeline.Lane) int {
	n := 0
	for _, lane := range lanes {
		n += lane.Summary.Requests
	}
	return n
}

func sortBySent(hits []evidence.Hit) {
	slices.SortStableFunc(hits, func(a, b evidence.Hit) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Seq, b.Seq))
	})
}

func witnesses(hits []evidence.Hit) []Witness {
	var named []Witness
	for _, h := range hits[:min(len(hits), maxWitnesses)] {
		named = append(named, Witness{Lane: h.Lane, Seq: h.Seq})
	}
	return named
}

// whereabouts says when and on which lanes some hits were sent, and which they are; hits are by
// time sent and not empty:
//
//	between 41.203s and 41.217s on worker-fresh, 0.080s after the rollout began: seq 8240 8241
func whereabouts(hits []evidence.Hit, tl timeline.Timeline) string {
	first, last := hits[0].Sent, hits[len(hits)-1].Sent
	var b strings.Builder
	if first == last {
		fmt.Fprintf(&b, "at %s", seconds(first))
	} else {
		fmt.Fprintf(&b, "between %s and %s", seconds(first), seconds(last))
	}
	lanes := make(map[string]bool)
	for _, h := range hits {
		lanes[h.Lane] = true
	}
	fmt.Fprintf(&b, " on %s", strings.Join(slices.Sorted(maps.Keys(lanes)), " and "))
	if begun, ok := tl.Mark(evidence.RolloutBegun); ok && first >= begun {
		fmt.Fprintf(&b, ", %s after the rollout began", seconds(first-begun))
	} else if ok {
		fmt.Fprintf(&b, ", %s before the rollout began", seconds(begun-first))
	}
	return b.String() + ": " + seqs(hits)
}

// seqs names the first hits and counts the rest; with several lanes each number carries its lane.
func seqs(hits []evidence.Hit) string {
	oneLane := !slices.ContainsFunc(hits, func(h evidence.Hit) bool { return h.Lane != hits[0].Lane })
	names := []string{"seq"}
	for _, h := range hits[:min(len(hits), maxSeqs)] {
		if oneLane {
			names = append(names, fmt.Sprint(h.Seq))
		} else {
			names = append(names, fmt.Sprintf("%s/%d", h.Lane, h.Seq))
		}
	}
	if more := len(hits) - maxSeqs; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, " ")
}

// faults counts by kind, in the order reports show kinds: "2 refused, 1 timeout".
func faults(hits []evidence.Hit) string {
	counts := make(map[evidence.Fault]int)
	for _, h := range hits {
		counts[h.Fault]++
	}
	var parts []string
	for _, fault := range evidence.Faults() {
		if counts[fault] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[fault], fault))
			delete(counts, fault)
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[fault], fault))
	}
	return strings.Join(parts, ", ")
}

func versions(hits []evidence.Hit) string {
	seen := make(map[string]bool)
	for _, h := range hits {
		seen[h.By.Version] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " and ")
}

func missing(kind evidence.EventKind) string {
	return fmt.Sprintf("mark %q is missing", kind)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
