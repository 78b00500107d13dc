package timeline

import (
	"maps"
	"math"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A podState is how far a pod got, as far as whether it can answer depends on it.
type podState struct{ ready, listening, deleted, signaled, ended bool }

// serving reports whether the pod answers whoever is led to it: it got ready and its process has got no SIGTERM.
func (p podState) serving() bool { return p.ready && !p.signaled && !p.ended }

// whenPods lists, by time, when what is asked of all pods of the rollout, those that have ended too, held since it began.
func (t Timeline) whenPods(holds func([]podState) bool) (windows []Window) {
	pods := map[string]podState{}
	begun, open := t.begun(), false
	for _, e := range t.Events {
		if !t.rolled(e.By) {
			continue
		}
		p := pods[e.By.Pod]
		switch e.Kind {
		case evidence.PodCreated: // anew, if a StatefulSet gives the name again
			p = podState{}
		case evidence.PodReady:
			p.ready = true
		case evidence.PodUnready:
			p.ready = false
		case evidence.PodListening:
			p.listening = true
		case evidence.PodDeleting:
			p.deleted = true
		case evidence.PodSigterm:
			p.signaled = true
		case evidence.PodExited, evidence.PodGone:
			p.ended = true
		default:
			continue
		}
		pods[e.By.Pod] = p
		switch is := e.At >= begun && holds(slices.Collect(maps.Values(pods))); {
		case is && !open:
			windows = append(windows, Window{From: e.At, To: math.MaxInt64, Uncertainty: t.clocks.between("", e.Clock)})
			open = true
		case !is && open:
			last := &windows[len(windows)-1]
			last.To, last.Uncertainty = e.At, max(last.Uncertainty, t.clocks.between("", e.Clock))
			open = false
		}
	}
	return windows
}

// NoneServing lists when no pod of the rollout could answer: none was ready but those that had got SIGTERM.
func (t Timeline) NoneServing() []Window {
	return t.whenPods(func(pods []podState) bool {
		for _, p := range pods {
			if p.serving() {
				return false
			}
		}
		return true
	})
}

// ReadyUnlistening lists when a pod of the rollout counted as ready and did not listen yet.
func (t Timeline) ReadyUnlistening() []Window {
	return t.whenPods(func(pods []podState) bool {
		return slices.ContainsFunc(pods, func(p podState) bool { return p.serving() && !p.listening })
	})
}

// OnlyTerminating lists when pods that were being deleted were the only ones that could answer, and no pod had got SIGTERM yet.
func (t Timeline) OnlyTerminating() []Window {
	return t.whenPods(func(pods []podState) bool {
		serving := false
		for _, p := range pods {
			if p.serving() && !p.deleted || p.deleted && p.signaled {
				return false
			}
			serving = serving || p.serving()
		}
		return serving
	})
}

// SentIn reports whether a hit was surely sent in one of some windows, and, where before is more than 0, that long before its end.
func (l Lane) SentIn(h Hit, windows []Window, before time.Duration) bool {
	for _, w := range windows {
		u := l.uncertainty + w.Uncertainty
		if h.Sent-u >= w.From && h.Sent+u < w.To-before {
			return true
		}
	}
	return false
}

// SentAfter is how long after a moment on the recorder's clock one of the lane's hits was sent.
func (l Lane) SentAfter(sent, moment time.Duration) Elapsed {
	return Elapsed{sent - moment, l.uncertainty}
}
