package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// maxSeqs is how many sequence numbers a sentence lists, at most.
const maxSeqs = 8

// A description says when and on which lanes some hits were sent, in which phase their pods were, and which hits they are.
type description struct {
	kinds string
	where string // the lane, or how many lanes if several: a headline has no room for all
	from  string // how long after the rollout or maintenance began, for headlines; empty: before it
	facts []Detail
}

// describeHits describes hits by time sent, of at least one, which are all of total hits or examples of them.
func describeHits(hits []timeline.Hit, total int, tl timeline.Timeline) description {
	var lanes []string
	for _, h := range hits {
		lanes = append(lanes, h.Lane)
	}
	return describe(hits, total, hits[len(hits)-1].Sent, lanes, tl)
}

// describeReplies describes replies by their examples.
func describeReplies(rs []timeline.Replies, tl timeline.Timeline) description {
	last := rs[0].Last
	var lanes []string
	for _, r := range rs {
		last = max(last, r.Last)
		lanes = append(lanes, r.Lanes...)
	}
	return describe(examples(rs), replies(rs), last, lanes, tl)
}

func describe(hits []timeline.Hit, total int, last time.Duration, lanes []string, tl timeline.Timeline) description {
	slices.Sort(lanes)
	lanes = slices.Compact(lanes)
	d := description{kinds: kinds(hits), where: "on " + phrase.Count(len(lanes), "lane")}
	if len(lanes) == 1 {
		d.where = "on " + lanes[0]
	}
	sent := "at " + phrase.Seconds(last)
	if hits[0].Sent != last {
		sent = fmt.Sprintf("between %s and %s", phrase.Seconds(hits[0].Sent), phrase.Seconds(last))
	}
	if since, ok := tl.Since(evidence.RolloutBegun, hits[0]); ok && since.Length >= 0 {
		d.from = ", from " + phrase.Duration(since.Length) + " after " + begun(tl)
		sent += fmt.Sprintf(", %s after %s", phrase.Elapsed(since), begun(tl))
	} else if ok {
		since.Length = -since.Length
		sent += fmt.Sprintf(", %s before %s", phrase.Elapsed(since), begun(tl))
	}
	d.facts = []Detail{{"by kind", d.kinds}, {"sent", sent}, {"lanes", strings.Join(lanes, ", ")}, {"pod phase", podPhases(hits, tl)},
		{"routed to", routedTo(hits)}, {"requests", seqs(hits, total)}}
	if texts := tl.RPCTexts(lanes); len(texts) > 0 {
		d.facts = append(d.facts, Detail{"clients read", strings.Join(texts[:min(len(texts), maxStatuses)], "; ")})
	}
	return d
}

// of returns wordings of a sentence such as "3 of 400 requests failed" with more of the description; later ones are shorter.
func (d description) of(share string) []string {
	brief := share + " " + d.where
	if d.kinds == "" {
		return []string{brief + d.from, brief}
	}
	full := fmt.Sprintf("%s (%s) %s", share, d.kinds, d.where)
	return []string{full + d.from, full, brief}
}

// withoutEmpty leaves out the facts without a value.
func withoutEmpty(facts ...Detail) []Detail {
	return slices.DeleteFunc(facts, func(d Detail) bool { return d.Value == "" })
}

// begun returns the words for [evidence.RolloutBegun]: without a cluster to watch, nothing is known of a rollout.
func begun(tl timeline.Timeline) string {
	if tl.HostAlone {
		return "the maintenance began"
	}
	return "the rollout began"
}

// podPhases counts hits by the phase of the pod that got them or should have, in the order of a pod's
// phases; empty when that is known for none.
func podPhases(hits []timeline.Hit, tl timeline.Timeline) string {
	counts := make(map[timeline.PodPhase]int)
	first := make(map[timeline.PodPhase]string)
	unknown := 0
	for _, h := range hits {
		pod, ok := tl.Served(h)
		if !ok {
			if h.Routed.Routing != timeline.RoutedNowhere {
				unknown++
			}
			continue
		}
		phase, since := tl.PhaseOf(pod, h)
		if counts[phase]++; counts[phase] == 1 {
			first[phase] = fmt.Sprintf("first %s, since %s", pod.Pod, phrase.Elapsed(since))
		}
	}
	if len(counts) == 0 {
		return ""
	}
	var parts []string
	for _, phase := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s (%s)", counts[phase], phase, first[phase]))
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", unknown))
	}
	return strings.Join(parts, ", ")
}

// maxStatuses is how many statuses of bad replies a text lists, at most.
const maxStatuses = 3

// kinds counts failures by kind, such as "2 refused, 7 bad_status (404, 503)"; empty without one.
func kinds(hits []timeline.Hit) string {
	by := counts(hits, func(h timeline.Hit) evidence.Fault { return h.Fault })
	delete(by, "") // good replies
	bad := slices.DeleteFunc(slices.Clone(hits), func(h timeline.Hit) bool { return h.Fault != evidence.BadStatus || h.Status == 0 })
	var statuses []string
	for _, status := range slices.Sorted(maps.Keys(counts(bad, func(h timeline.Hit) int16 { return h.Status }))) {
		statuses = append(statuses, evidence.StatusName(status))
	}
	if len(statuses) > maxStatuses {
		statuses = append(statuses[:maxStatuses], "and others")
	}
	if len(statuses) == 0 {
		return phrase.Faults(by)
	}
	with := fmt.Sprintf("%s (%s)", evidence.BadStatus, strings.Join(statuses, ", "))
	return strings.Replace(phrase.Faults(by), string(evidence.BadStatus), with, 1)
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

func examples(rs []timeline.Replies) []timeline.Hit {
	var hits []timeline.Hit
	for _, r := range rs {
		hits = append(hits, r.Examples...)
	}
	slices.SortStableFunc(hits, timeline.BySent)
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
