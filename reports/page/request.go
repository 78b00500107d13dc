package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A request is a hit that decided a rule, in words.
type request struct {
	Lane       string
	Seq        uint64
	Sent       string // since the run began
	After      string // since the rollout began; empty when that is not known
	Result     string // what its client got
	Took       string
	Arrived    string
	Pod        string // that got it, or should have; empty when that is not known
	Version    string // of the pod
	Phase      string // of the pod, when the request was sent
	Since      string // how long the pod had been in that phase
	Connection string
	Rules      []string // that it decided
}

// witnessesOf describes the points that decided a rule, by time sent.
func witnessesOf(points []timeline.Hit, s model.Scenario, tl timeline.Timeline) []request {
	decided := map[model.Witness][]string{}
	for _, rule := range s.Rules {
		for _, w := range rule.Witnesses {
			if !slices.Contains(decided[w], rule.ID) {
				decided[w] = append(decided[w], rule.ID)
			}
		}
	}
	var told []request
	for _, h := range points {
		if rules := decided[model.Witness{Lane: h.Lane, Seq: h.Seq}]; len(rules) > 0 {
			r := newRequest(h, tl)
			r.Rules = rules
			told = append(told, r)
		}
	}
	return told
}

func newRequest(h timeline.Hit, tl timeline.Timeline) request {
	r := request{
		Lane: h.Lane, Seq: h.Seq, Sent: phrase.Seconds(h.Sent), Took: millis(h.Took),
		Result: result(h), Arrived: arrived(h, tl), Connection: connection(h),
	}
	if since, ok := tl.Since(evidence.RolloutBegun, h); ok && !tl.HostAlone {
		r.After = fmt.Sprintf("%+.3fs", since.Length.Seconds())
	}
	if p, ok := podOf(h, tl); ok {
		phase, since := tl.PhaseOf(p, h)
		r.Pod, r.Version = p.Pod, p.Version
		r.Phase = phase.String()
		if phase != timeline.PodUnseen {
			r.Since = phrase.Elapsed(since)
		}
	}
	return r
}

// podOf returns the pod that got a hit or should have. The pod of a control lane is known only from a reply or an arrival.
func podOf(h timeline.Hit, tl timeline.Timeline) (timeline.Pod, bool) {
	i := slices.IndexFunc(tl.Lanes, func(l timeline.Lane) bool { return l.ID == h.Lane })
	if i >= 0 && tl.Lanes[i].Kind().IsControl() && h.By.Pod == "" && len(h.Arrivals) == 0 {
		return timeline.Pod{}, false
	}
	return tl.Served(h)
}

func result(h timeline.Hit) string {
	var said []string
	switch {
	case !h.Failed():
		said = append(said, "replied, as "+cmp.Or(h.By.Version, "an unknown version"))
	case h.Fault == evidence.BadStatus:
		said = append(said, fmt.Sprintf("%s %d", h.Fault, h.Status))
	default:
		said = append(said, string(h.Fault))
	}
	if sentAgain(h) {
		said = append(said, again)
	}
	return strings.Join(said, ", ")
}

func arrived(h timeline.Hit, tl timeline.Timeline) string {
	switch n := arrivals(h, tl); n {
	case -1:
		return "not recorded"
	case 0:
		return "never"
	case 1:
		return "once"
	default:
		return phrase.Count(n, "time")
	}
}

func connection(h timeline.Hit) string {
	said := "new"
	if h.Reused {
		said = "keep-alive"
	}
	if h.LocalPort > 0 {
		said += fmt.Sprintf(", port %d", h.LocalPort)
	}
	if h.Attempts > 1 {
		said += fmt.Sprintf(", %d tried", h.Attempts)
	}
	return said
}
