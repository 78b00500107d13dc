package mutants

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A recording is a recording of a real cluster that a test may change.
type recording struct {
	Run      evidence.Run
	Hits     []evidence.Hit
	Arrivals []evidence.Arrival
	Events   []evidence.Event
	Damage   []evidence.Damage

	Connections []evidence.Connection // nil: an earlier build recorded it
}

// recorded reads a recording from testdata.
func recorded(t *testing.T, folder string) recording {
	t.Helper()
	ev, err := store.Read(filepath.Join("..", "..", filepath.FromSlash(folder)))
	if err != nil {
		t.Fatal(err)
	}
	r := recording{Run: ev.Run, Events: ev.Events, Damage: ev.Damage}
	if r.Hits, err = ev.Hits.All(); err == nil {
		r.Arrivals, err = ev.Arrivals.All()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r recording) judge(t *testing.T) verdict.Verdict {
	t.Helper()
	ev := evidence.Evidence{Run: r.Run, Hits: evidence.Hits(r.Hits), Arrivals: evidence.Arrivals(r.Arrivals), Events: r.Events,
		Damage: r.Damage}
	if r.Connections != nil {
		ev.Connections = evidence.Connections(r.Connections)
	}
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(r.Run, tl)
}

// at returns the time of the first event of a kind.
func (r recording) at(kind evidence.EventKind) time.Duration {
	i := slices.IndexFunc(r.Events, func(e evidence.Event) bool { return e.Kind == kind })
	return r.Events[i].At
}

// sent returns the hits of a lane that were sent in a time since the rollout began.
func (r recording) sent(lane string, from, to time.Duration) (found []*evidence.Hit) {
	begun := r.at(evidence.RolloutBegun)
	for i := range r.Hits {
		if h := &r.Hits[i]; h.Lane == lane && h.Sent >= begun+from && h.Sent < begun+to {
			found = append(found, h)
		}
	}
	return found
}

// oldPod returns a pod of the old version.
func (r recording) oldPod() evidence.Server {
	i := slices.IndexFunc(r.Events, func(e evidence.Event) bool { return e.Kind == evidence.PodDeleting })
	return r.Events[i].By
}

// arrivedAt replaces the arrivals of a hit by one at each of these pods.
func (r *recording) arrivedAt(h *evidence.Hit, pods ...evidence.Server) {
	r.Arrivals = slices.DeleteFunc(r.Arrivals, func(a evidence.Arrival) bool { return a.Lane == h.Lane && a.Seq == h.Seq })
	for _, pod := range pods {
		r.Arrivals = append(r.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + h.Took/2, By: pod})
	}
}

// A spoil changes a recording in one way.
type spoil func(*recording)

// failing makes the hits of a lane in a time since the rollout began fail before they reach a pod.
func failing(lane string, fault evidence.Fault, from, to time.Duration) spoil {
	return func(r *recording) {
		for _, h := range r.sent(lane, from, to) {
			h.Fault, h.Status, h.By = fault, 0, evidence.Server{}
			r.arrivedAt(h)
		}
	}
}

// late makes the replies to a lane's requests take longer.
func late(lane string, from, to, took time.Duration) spoil {
	return func(r *recording) {
		for _, h := range r.sent(lane, from, to) {
			h.Took = took
		}
	}
}

// resent makes the connections for a lane's requests open by a second SYN.
func resent(lane string, from, to time.Duration) spoil {
	return func(r *recording) {
		for _, h := range r.sent(lane, from, to) {
			h.Took, h.Connect, h.Resent = 1012*ms, 1004*ms, 1
		}
	}
}

// stoodStill makes the newest pod answer nothing for a while, from a second after it was ready.
func stoodStill(d time.Duration) spoil {
	return func(r *recording) {
		pod, from := "", time.Duration(0)
		for _, e := range r.Events {
			if e.Kind == evidence.PodReady && e.By.Version == r.Run.NewVersion {
				pod, from = e.By.Pod, e.At+second
			}
		}
		for i := range r.Hits {
			if h := &r.Hits[i]; h.By.Pod == pod && h.Sent >= from && h.Sent < from+d {
				h.Took += from + d - h.Sent
			}
		}
	}
}

// served makes a pod of the recording answer every hit of a lane.
func served(lane string) spoil {
	return func(r *recording) {
		for i := range r.Hits {
			if h := &r.Hits[i]; h.Lane == lane && h.Failed() {
				h.Fault, h.Status, h.By, h.Took = evidence.NoFault, 200, r.oldPod(), time.Millisecond
				r.arrivedAt(h, h.By)
			}
		}
	}
}

// answered makes a pod answer the hits of a lane in a time since the rollout began; a version names a pod of its own.
func answered(lane string, from, to time.Duration, by func(*recording) evidence.Server) spoil {
	return func(r *recording) {
		for _, h := range r.sent(lane, from, to) {
			h.By = by(r)
			r.arrivedAt(h, h.By)
		}
	}
}

func byOldPod(r *recording) evidence.Server { return r.oldPod() }

func byVersion(version string) func(*recording) evidence.Server {
	return func(r *recording) evidence.Server {
		return evidence.Server{Version: version, Pod: "stray", Node: r.oldPod().Node}
	}
}

// hit changes the first hit of a lane that was sent so long after the rollout began.
func hit(lane string, from time.Duration, change func(*recording, *evidence.Hit)) spoil {
	return func(r *recording) { change(r, r.sent(lane, from, time.Hour)[0]) }
}

// moved moves the first n events of a kind, about pods of a version unless that is empty, in time; 0 are all.
func moved(kind evidence.EventKind, version string, n int, by time.Duration) spoil {
	return each(kind, version, n, func(_ *recording, e *evidence.Event) { e.At += by })
}

// movedTo moves all events of a kind to the time of the first event of another.
func movedTo(kind, other evidence.EventKind, version string) spoil {
	return func(r *recording) {
		at := r.at(other)
		each(kind, version, 0, func(_ *recording, e *evidence.Event) { e.At = at })(r)
	}
}

// each changes the first n events of a kind, about pods of a version unless that is empty; 0 are all.
func each(kind evidence.EventKind, version string, n int, change func(*recording, *evidence.Event)) spoil {
	return func(r *recording) {
		seen := 0
		for i := range r.Events {
			e := &r.Events[i]
			if e.Kind != kind || version != "" && e.By.Version != version && e.Detail != version {
				continue
			}
			if seen++; n == 0 || seen <= n {
				change(r, e)
			}
		}
		r.sort()
	}
}

// dropped drops the first n events of a kind; 0 are all.
func dropped(kind evidence.EventKind, version string, n int) spoil {
	return func(r *recording) {
		seen := 0
		r.Events = slices.DeleteFunc(r.Events, func(e evidence.Event) bool {
			if e.Kind != kind || version != "" && e.By.Version != version && e.Detail != version {
				return false
			}
			seen++
			return n == 0 || seen <= n
		})
	}
}

// noted adds an event at a time since the rollout began.
func noted(after time.Duration, e func(*recording) evidence.Event) spoil {
	return func(r *recording) {
		added := e(r)
		added.At = r.at(evidence.RolloutBegun) + after
		r.Events = append(r.Events, added)
		r.sort()
	}
}

// reached adds a step of maintenance at the begin of the rollout.
func reached(step string) spoil {
	return noted(0, event(evidence.Event{Kind: evidence.Step, Detail: step, Object: "worker"}))
}

func event(e evidence.Event) func(*recording) evidence.Event {
	return func(*recording) evidence.Event { return e }
}

func (r *recording) sort() {
	slices.SortStableFunc(r.Events, func(a, b evidence.Event) int { return int(a.At - b.At) })
}

// hitsDropped drops hits and their arrivals.
func hitsDropped(drop func(*recording, evidence.Hit) bool) spoil {
	return func(r *recording) {
		gone := map[string]map[uint64]bool{}
		r.Hits = slices.DeleteFunc(r.Hits, func(h evidence.Hit) bool {
			if !drop(r, h) {
				return false
			}
			if gone[h.Lane] == nil {
				gone[h.Lane] = map[uint64]bool{}
			}
			gone[h.Lane][h.Seq] = true
			return true
		})
		r.Arrivals = slices.DeleteFunc(r.Arrivals, func(a evidence.Arrival) bool { return gone[a.Lane][a.Seq] })
	}
}

func run(change func(*evidence.Run)) spoil { return func(r *recording) { change(&r.Run) } }
