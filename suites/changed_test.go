package suites_test

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A request is what client and pod recorded of a request: the arrival is nil if it reached no pod.
type request struct {
	*evidence.Hit
	arrival *evidence.Arrival
}

// by makes a pod have answered the request.
func (r request) by(pod evidence.Server) {
	r.Fault, r.Status, r.By = evidence.NoFault, 200, pod
	if r.arrival != nil {
		r.arrival.By = pod
	}
}

// refuse makes the request have been refused, and reach no pod.
func (r request) refuse() {
	r.Fault, r.Status, r.By = evidence.Refused, 0, evidence.Server{}
	if r.arrival != nil {
		r.arrival.Lane = "" // of no recorded lane
	}
}

// requests changes the requests of an evidence for which holds is true.
func requests(holds func(evidence.Evidence, evidence.Hit) bool, change func(evidence.Evidence, request)) changed {
	return func(ev *evidence.Evidence) {
		hits, err := ev.Hits.All()
		if err != nil {
			panic(err)
		}
		arrivals, err := ev.Arrivals.All()
		if err != nil {
			panic(err)
		}
		type number struct {
			lane string
			seq  uint64
		}
		arrived := map[number]*evidence.Arrival{}
		for i, a := range arrivals {
			arrived[number{a.Lane, a.Seq}] = &arrivals[i]
		}
		for i, h := range hits {
			if !holds(*ev, h) {
				continue
			}
			r := request{&hits[i], arrived[number{h.Lane, h.Seq}]}
			change(*ev, r)
			if r.arrival == nil && !r.Failed() { // a pod that answers has got the request
				arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + h.Took/2, By: r.By})
			}
		}
		arrivals = slices.DeleteFunc(arrivals, func(a evidence.Arrival) bool { return a.Lane == "" })
		ev.Hits, ev.Arrivals = evidence.Hits(hits), evidence.Arrivals(arrivals)
	}
}

// fresh reports whether a hit went through the Service over a new connection.
func fresh(ev evidence.Evidence, h evidence.Hit) bool {
	i := slices.IndexFunc(ev.Run.Lanes, func(l evidence.Lane) bool { return l.ID == h.Lane })
	return i >= 0 && ev.Run.Lanes[i].Conn == evidence.Fresh && ev.Run.Lanes[i].Kind().RequestsApp()
}

// first returns the first event of a kind, by time.
func first(ev evidence.Evidence, kind evidence.EventKind) evidence.Event {
	return slices.MinFunc(slices.DeleteFunc(slices.Clone(ev.Events), func(e evidence.Event) bool { return e.Kind != kind }),
		func(a, b evidence.Event) int { return int(a.At - b.At) })
}

// pod returns any pod of a version that became ready.
func pod(ev evidence.Evidence, version string) evidence.Server {
	i := slices.IndexFunc(ev.Events, func(e evidence.Event) bool { return e.Kind == evidence.PodReady && e.By.Version == version })
	return ev.Events[i].By
}

// refused makes new connections be refused, from one time to another after the first pod's deletion.
func refused(from, to time.Duration) changed {
	return requests(func(ev evidence.Evidence, h evidence.Hit) bool {
		since := h.Sent - first(ev, evidence.PodDeleting).At
		return fresh(ev, h) && since >= from && since < to
	}, func(_ evidence.Evidence, r request) { r.refuse() })
}

// routedFor makes every node route to pods for so long after they left the endpoints, and clients notice it.
func routedFor(d time.Duration) changed {
	return func(ev *evidence.Evidence) {
		left := lateRules(ev, d)
		last := func(at time.Duration) (by evidence.Server) {
			for pod, since := range left {
				if since < at && at < since+d && since > left[by] {
					by = pod
				}
			}
			return by
		}
		requests(func(ev evidence.Evidence, h evidence.Hit) bool { return fresh(ev, h) && last(h.Sent).Pod != "" },
			func(_ evidence.Evidence, r request) { r.by(last(r.Sent)) })(ev)
	}
}

// answeredBy makes a pod of a version answer every request through the Service since a mark.
func answeredBy(version string, mark evidence.EventKind) changed {
	return requests(func(ev evidence.Evidence, h evidence.Hit) bool {
		return h.Sent > first(ev, mark).At && requestsApp(ev, h)
	},
		func(ev evidence.Evidence, r request) { r.by(pod(ev, version)) })
}

// switchesFor makes the old version answer every second new connection for so long after the switch.
func switchesFor(d time.Duration) changed {
	return requests(func(ev evidence.Evidence, h evidence.Hit) bool {
		since := h.Sent - first(ev, evidence.RolloutBegun).At
		return fresh(ev, h) && h.Seq%2 == 0 && since > 0 && since < d
	}, func(ev evidence.Evidence, r request) { r.by(pod(ev, ev.Run.OldVersion)) })
}

// mixedFor makes an old pod answer a new connection so long after the first new pod was ready.
func mixedFor(d time.Duration) changed {
	return func(ev *evidence.Evidence) {
		until := pod(*ev, "v2")
		var ready time.Duration
		for _, e := range ev.Events {
			if e.Kind == evidence.PodReady && e.By == until {
				ready = e.At
			}
		}
		requests(func(ev evidence.Evidence, h evidence.Hit) bool {
			since := h.Sent - ready
			return fresh(ev, h) && since > d && since < d+time.Second
		}, func(ev evidence.Evidence, r request) { r.by(pod(ev, "v1")) })(ev)
	}
}

// unfailing makes some pod have answered every request.
func unfailing(ev *evidence.Evidence) {
	requests(func(_ evidence.Evidence, h evidence.Hit) bool { return h.Failed() },
		func(ev evidence.Evidence, r request) { r.by(pod(ev, "v1")) })(ev)
}

// answered and unanswered change how the requests of a lane end.
func answered(lane string) changed {
	return requests(of(lane), func(ev evidence.Evidence, r request) { r.by(pod(ev, "v2")) })
}

func unanswered(lane string) changed {
	return requests(of(lane), func(_ evidence.Evidence, r request) { r.refuse() })
}

// byNewest makes the pod answer the requests of a lane that was last to become ready.
func byNewest(lane string) changed {
	return requests(of(lane), func(ev evidence.Evidence, r request) {
		var newest evidence.Event
		for _, e := range ev.Events {
			if e.Kind == evidence.PodReady && e.At <= r.Sent && e.At > newest.At {
				newest = e
			}
		}
		r.by(newest.By)
	})
}

func of(lane string) func(evidence.Evidence, evidence.Hit) bool {
	return func(_ evidence.Evidence, h evidence.Hit) bool { return h.Lane == lane }
}

func requestsApp(ev evidence.Evidence, h evidence.Hit) bool {
	return slices.ContainsFunc(ev.Run.Lanes, func(l evidence.Lane) bool { return l.ID == h.Lane && l.Kind().RequestsApp() })
}

// missing makes so many of the old pods never have been ready.
func missing(n int) changed {
	return func(ev *evidence.Evidence) {
		var gone []evidence.Server
		for _, e := range ev.Events {
			if e.Kind == evidence.PodReady && e.By.Version == "v1" && len(gone) < n && !slices.Contains(gone, e.By) {
				gone = append(gone, e.By)
			}
		}
		ev.Events = slices.DeleteFunc(ev.Events, func(e evidence.Event) bool {
			return (e.Kind == evidence.PodReady || e.Kind == evidence.EndpointReady) && slices.Contains(gone, e.By)
		})
	}
}

// more raises the number of pods asked for, whenever any are.
func more(n int) changed {
	return func(ev *evidence.Evidence) {
		for i, e := range ev.Events {
			if e.Kind == evidence.ReplicaSetScaled && e.Count > 0 {
				ev.Events[i].Count += n
			}
		}
	}
}

// noted changes what the steps have found out.
func noted(fact, value string) changed {
	return func(ev *evidence.Evidence) {
		for i, e := range ev.Events {
			if e.Kind == evidence.Fact && e.Object == fact {
				ev.Events[i].Detail = value
			}
		}
	}
}

// later delays the events of a kind.
func later(kind evidence.EventKind, d time.Duration) changed {
	return func(ev *evidence.Evidence) {
		for i, e := range ev.Events {
			if e.Kind == kind {
				ev.Events[i].At += d
			}
		}
	}
}

// found adds what steps of today find out, as pairs of names and values.
func found(facts ...string) changed {
	return func(ev *evidence.Evidence) {
		end := first(*ev, evidence.LoadEnded).At
		for i := 0; i < len(facts); i += 2 {
			ev.Events = append(ev.Events, evidence.Event{At: end, Kind: evidence.Fact, Object: facts[i], Detail: facts[i+1]})
		}
	}
}

// marked moves a mark to another.
func marked(kind, to evidence.EventKind) changed {
	return func(ev *evidence.Evidence) {
		at := first(*ev, to).At
		for i, e := range ev.Events {
			if e.Kind == kind {
				ev.Events[i].At = at
			}
		}
	}
}

// createdAt makes every new pod be created at a mark.
func createdAt(mark evidence.EventKind) changed {
	return func(ev *evidence.Evidence) {
		at := first(*ev, mark).At
		for i, e := range ev.Events {
			if e.Kind == evidence.PodCreated && e.By.Version == "v2" {
				ev.Events[i].At = at
			}
		}
	}
}

// sized changes the first size above 0 that the ReplicaSet of a version is given.
func sized(version string, size int) changed {
	return func(ev *evidence.Evidence) {
		i := slices.IndexFunc(ev.Events, func(e evidence.Event) bool {
			return e.Kind == evidence.ReplicaSetScaled && e.Detail == version && e.Count > 0
		})
		ev.Events[i].Count = size
	}
}
