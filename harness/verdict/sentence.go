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

func requests(lanes []timeline.Lane) int {
	n := 0
	for _, lane := range lanes {
		n += lane.Summary.Requests
	}
	return n
}

func witnesses(hits []timeline.Hit) []Witness {
	var named []Witness
	for _, h := range hits[:min(len(hits), maxWitnesses)] {
		named = append(named, Witness{Lane: h.Lane, Seq: h.Seq})
	}
	return named
}

// account says when and on which lanes some hits were sent, in which phase their pods were, and
// which they are; hits are by time sent and not empty:
//
//	between 41.203s and 41.217s on worker-fresh, 0.080s after the rollout began; by pod phase: 3 after SIGTERM
//	(first echo-a, since 0.035s): seq 8240 8241 8243
func account(hits []timeline.Hit, tl timeline.Timeline) string {
	lanes := make(map[string]bool)
	for _, h := range hits {
		lanes[h.Lane] = true
	}
	return sentAt(hits[0], hits[len(hits)-1].Sent, slices.Sorted(maps.Keys(lanes)), tl) + podPhases(hits, tl) + ": " + seqs(hits)
}

// whereabouts is what account says, of replies.
func whereabouts(rs []timeline.Replies, tl timeline.Timeline) string {
	last := rs[0].Last
	var lanes []string
	for _, r := range rs {
		last = max(last, r.Last)
		lanes = append(lanes, r.Lanes...)
	}
	slices.Sort(lanes)
	named := examples(rs)
	return sentAt(named[0], last, slices.Compact(lanes), tl) + ": " + seqsOf(named, replies(rs))
}

func sentAt(first timeline.Hit, last time.Duration, lanes []string, tl timeline.Timeline) string {
	at := fmt.Sprintf("between %s and %s", seconds(first.Sent), seconds(last))
	if first.Sent == last {
		at = "at " + seconds(first.Sent)
	}
	at += " on " + strings.Join(lanes, " and ")
	if after, ok := tl.Since(evidence.RolloutBegun, first); ok && after.Length >= 0 {
		at += fmt.Sprintf(", %s after the rollout began", elapsed(after))
	} else if ok {
		after.Length = -after.Length
		at += fmt.Sprintf(", %s before the rollout began", elapsed(after))
	}
	return at
}

// podPhases counts hits by the phase of the pod that got them or should have, in the order of a pod's
// life; nothing when that is known of none.
func podPhases(hits []timeline.Hit, tl timeline.Timeline) string {
	counts := make(map[timeline.PodPhase]int)
	first := make(map[timeline.PodPhase]string)
	known := 0
	for _, h := range hits {
		pod, ok := tl.Served(h)
		if !ok {
			continue
		}
		known++
		phase, since := tl.PhaseOf(pod, h)
		if counts[phase]++; counts[phase] == 1 {
			first[phase] = fmt.Sprintf("first %s, since %s", pod.Pod, elapsed(since))
		}
	}
	if known == 0 {
		return ""
	}
	var parts []string
	for _, phase := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s (%s)", counts[phase], phase, first[phase]))
	}
	if rest := len(hits) - known; rest > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", rest))
	}
	return "; by pod phase: " + strings.Join(parts, ", ")
}

func examples(rs []timeline.Replies) []timeline.Hit {
	var hits []timeline.Hit
	for _, r := range rs {
		hits = append(hits, r.Examples...)
	}
	slices.SortStableFunc(hits, func(a, b timeline.Hit) int { return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane)) })
	return hits
}

func replies(rs []timeline.Replies) int {
	n := 0
	for _, r := range rs {
		n += r.Count
	}
	return n
}

func seqs(hits []timeline.Hit) string { return seqsOf(hits, len(hits)) }

// seqsOf names the first of some hits, of which there are total, and counts the rest; with several lanes each number carries its lane.
func seqsOf(hits []timeline.Hit, total int) string {
	oneLane := !slices.ContainsFunc(hits, func(h timeline.Hit) bool { return h.Lane != hits[0].Lane })
	names := []string{"seq"}
	for _, h := range hits[:min(len(hits), maxSeqs)] {
		if oneLane {
			names = append(names, fmt.Sprint(h.Seq))
		} else {
			names = append(names, fmt.Sprintf("%s/%d", h.Lane, h.Seq))
		}
	}
	if more := total - min(len(hits), maxSeqs); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, " ")
}

// faults counts by kind, in the order reports show kinds: "2 refused, 1 timeout".
func faults(hits []timeline.Hit) string {
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

func versions(rs []timeline.Replies) string {
	var names []string
	for _, r := range rs {
		names = append(names, r.Version)
	}
	return strings.Join(names, " and ")
}

func missing(kind evidence.EventKind) string {
	return fmt.Sprintf("mark %q is missing", kind)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// elapsed is a duration, with its uncertainty, rounded up, when it has one.
func elapsed(e timeline.Elapsed) string {
	if e.Uncertainty == 0 {
		return seconds(e.Length)
	}
	return fmt.Sprintf("%s ± %s", seconds(e.Length), seconds((e.Uncertainty + time.Millisecond - 1).Truncate(time.Millisecond)))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
