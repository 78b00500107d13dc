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
	"rollcall/harness/verdict/phrase"
)

// maxSeqs is how many sequence numbers a sentence lists.
const maxSeqs = 8

// A description says of some hits when and on which lanes they were sent, in which phase their pods were, and which they are.
type description struct {
	kinds, sent, since, phases, routed, seqs string
	from                                     string // after the rollout or maintenance began, for headlines; empty: before it
	lanes                                    []string
}

// describeHits is for hits by time sent, of at least one, which are all of so many or examples of them.
func describeHits(hits []timeline.Hit, total int, tl timeline.Timeline) description {
	d := description{
		kinds: kinds(hits), sent: sentBetween(hits[0], hits[len(hits)-1].Sent), since: sinceRollout(hits[0], tl),
		phases: podPhases(hits, tl), routed: routedTo(hits), seqs: seqs(hits, total), lanes: lanesOf(hits),
	}
	if since, ok := tl.Since(evidence.RolloutBegun, hits[0]); ok && since.Length >= 0 {
		d.from = ", from " + phrase.Duration(since.Length) + " after " + begun(tl)
	}
	return d
}

// of are wordings of what became of a share of all, such as "3 of 400 requests failed".
func (d description) of(share string) []string {
	where := d.where()
	if d.kinds == "" {
		return []string{share + " " + where + d.from, share + " " + where}
	}
	return []string{fmt.Sprintf("%s (%s) %s%s", share, d.kinds, where, d.from), fmt.Sprintf("%s (%s) %s", share, d.kinds, where),
		share + " " + where}
}

func (d description) facts() []Detail {
	return []Detail{
		{"by kind", d.kinds}, {"sent", d.sent + d.since}, {"lanes", strings.Join(d.lanes, ", ")}, {"pod phase", d.phases},
		{"routed to", d.routed}, {"requests", d.seqs},
	}
}

// where is for headlines, which have no room for more than one lane.
func (d description) where() string {
	if len(d.lanes) == 1 {
		return "on " + d.lanes[0]
	}
	return "on " + phrase.Count(len(d.lanes), "lane")
}

// describeReplies describes replies as describeHits does hits, by a few of them.
func describeReplies(rs []timeline.Replies, tl timeline.Timeline) description {
	d := describeHits(examples(rs), replies(rs), tl)
	last := rs[0].Last
	var lanes []string
	for _, r := range rs {
		last = max(last, r.Last)
		lanes = append(lanes, r.Lanes...)
	}
	slices.Sort(lanes)
	d.lanes, d.sent = slices.Compact(lanes), sentBetween(examples(rs)[0], last)
	return d
}

// known leaves out the facts of which nothing is known.
func known(facts ...Detail) []Detail {
	return slices.DeleteFunc(facts, func(d Detail) bool { return d.Value == "" })
}

func lanesOf(hits []timeline.Hit) []string {
	lanes := make(map[string]bool)
	for _, h := range hits {
		lanes[h.Lane] = true
	}
	return slices.Sorted(maps.Keys(lanes))
}

func sentBetween(first timeline.Hit, last time.Duration) string {
	if first.Sent == last {
		return "at " + phrase.Seconds(first.Sent)
	}
	return fmt.Sprintf("between %s and %s", phrase.Seconds(first.Sent), phrase.Seconds(last))
}

func sinceRollout(first timeline.Hit, tl timeline.Timeline) string {
	since, ok := tl.Since(evidence.RolloutBegun, first)
	switch {
	case !ok:
		return ""
	case since.Length >= 0:
		return fmt.Sprintf(", %s after %s", phrase.Elapsed(since), begun(tl))
	default:
		since.Length = -since.Length
		return fmt.Sprintf(", %s before %s", phrase.Elapsed(since), begun(tl))
	}
}

// begun is what [evidence.RolloutBegun] is called: nobody who watches no cluster knows of a rollout.
func begun(tl timeline.Timeline) string {
	if tl.HostAlone {
		return "the maintenance began"
	}
	return "the rollout began"
}

// podPhases counts hits by the phase of the pod that got them or should have, in the order of a pod's
// phases; empty when that is known of none.
func podPhases(hits []timeline.Hit, tl timeline.Timeline) string {
	counts := make(map[timeline.PodPhase]int)
	first := make(map[timeline.PodPhase]string)
	placed, nowhere := 0, 0
	for _, h := range hits {
		pod, ok := tl.Served(h)
		if !ok && h.Routed.Routing == timeline.RoutedNowhere {
			nowhere++
		}
		if !ok {
			continue
		}
		placed++
		phase, since := tl.PhaseOf(pod, h)
		if counts[phase]++; counts[phase] == 1 {
			first[phase] = fmt.Sprintf("first %s, since %s", pod.Pod, phrase.Elapsed(since))
		}
	}
	if placed == 0 {
		return ""
	}
	var parts []string
	for _, phase := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s (%s)", counts[phase], phase, first[phase]))
	}
	if rest := len(hits) - placed - nowhere; rest > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", rest))
	}
	return strings.Join(parts, ", ")
}

// kinds counts failures by kind; empty without one.
func kinds(hits []timeline.Hit) string {
	counts := make(map[evidence.Fault]int)
	for _, h := range hits {
		if h.Failed() {
			counts[h.Fault]++
		}
	}
	return phrase.Faults(counts)
}

// seqs names the first of some hits, of which there are total, and counts the rest; with several lanes each number carries its lane.
func seqs(hits []timeline.Hit, total int) string {
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

// examples are hits of some replies, by time sent.
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

func versionsOf(rs []timeline.Replies) string {
	var names []string
	for _, r := range rs {
		names = append(names, r.Version)
	}
	return strings.Join(names, " and ")
}
