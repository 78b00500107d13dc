package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// An Unready is a time in which a pod was not ready, although it had been ready and nobody had deleted it.
type Unready struct {
	evidence.Server
	Window                // until it was ready again, was deleted or was gone
	Back   bool           // it was ready again
	Report evidence.Event // of its probe's last failure before that time, or else of the first one in it; zero without one
}

// noteUnready updates p.unready: when the pod was not ready, although it had been ready and nobody had deleted it.
func (p *Pod) noteUnready(e evidence.Event, was podState) {
	var open *Unready
	if n := len(p.unready); n > 0 && p.unready[n-1].To == never {
		open = &p.unready[n-1]
	}
	probed := message.ProbeFailed(e.Report.Kind)
	switch ends := e.Kind == evidence.PodReady || e.Kind == evidence.PodDeleting || e.Kind == evidence.PodGone; {
	case e.Kind == evidence.PodUnready && was.there && was.ready && !was.deleted:
		p.unready = append(p.unready, Unready{Server: e.By, Window: Window{From: e.At, To: never}, Report: p.probe})
	case ends && open != nil:
		open.To, open.Back = e.At, e.Kind == evidence.PodReady
	case probed && open != nil && open.Report.Kind == "":
		open.Report = e
	}
	switch {
	case probed:
		p.probe = e
	case e.Kind == evidence.PodReady:
		p.probe = evidence.Event{}
	}
}

// unreadiness lists by time when pods of the rollout became unready without a deletion, if they became ready again or a
// failure of their probe was reported.
func (t Timeline) unreadiness() (all []Unready) {
	for _, p := range t.Pods {
		for _, u := range p.unready {
			if t.rolled(p.Server) && (u.Back || u.Report.Kind != "") {
				all = append(all, u)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Unready) int { return cmp.Compare(a.From, b.From) })
	return all
}

// UnreadyBetween lists when pods had become unready by themselves, of any time between two moments.
func (t Timeline) UnreadyBetween(from, to time.Duration) []Unready {
	return slices.DeleteFunc(t.unreadiness(), func(u Unready) bool { return u.From > to || u.To < from })
}
