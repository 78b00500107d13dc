package mutants

import (
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func connectionMutants() []recordedMutant {
	once := cutAt(apart, second)
	return []recordedMutant{
		{"a connection that is cut twice", drainedRecorded, asking(verdict.MaxCuts(1)), cutAt(apart, second, 2*second), verdict.Fail, "max-cuts",
			once},
		{"connections that are cut once", drainedRecorded, asking(verdict.CutAgain(2)), once, verdict.Fail, "cut-again",
			cutAt(apart, second, 2*second)},
		{"a client that resends, and nobody knows", drainedRecorded, asking(verdict.Ledger()),
			hit(reused, second, func(r *recording, h *evidence.Hit) { r.arrivedAt(h, h.By, h.By) }), verdict.Fail, "ledger", nil},
		{"a server that answers again", drainedRecorded, asking(verdict.Ledger()),
			func(r *recording) { r.Connections[0].Again++ }, verdict.Fail, "ledger", once},
		{"connections that are reset", drainedRecorded, asking(verdict.ToldBeforeEnd()), reset, verdict.Fail, "told-before-end", once},
		{"a server that closes connections without a word", drainedRecorded, asking(verdict.ToldBeforeEnd()), untold, verdict.Fail,
			"told-before-end", once},
		{"connections that are opened again 0.9 s later", drainedRecorded, asking(verdict.BackWithin(500 * ms)), sooner(900 * ms), verdict.Fail,
			"back-within", once},
		{"connections that end before their pod is killed", drainedRecorded, asking(verdict.EndedByKill(1)), sooner(second), verdict.Fail,
			"ended-by-kill", killed},
		{"a pod on which connections gather", drainedRecorded, asking(verdict.MaxConnectionShare(60)), cutAt(together, second), verdict.Fail,
			"max-connection-share", once},
		{"connections that are spread evenly", drainedRecorded, asking(verdict.MinConnectionShare(60)), once, verdict.Fail,
			"min-connection-share", cutAt(together, second)},
	}
}

// apart has the two connections of a lane lead to two pods, and together to one.
func apart(slot int, pods []evidence.Server) evidence.Server { return pods[slot] }

func together(_ int, pods []evidence.Server) evidence.Server { return pods[0] }

// cutAt gives each lane with kept connections two, to old pods and after the first cut to new ones. At some times since the rollout began
// a reply on each tells its client to go. The recorded folders have no rows of connections.
func cutAt(to func(slot int, pods []evidence.Server) evidence.Server, cuts ...time.Duration) spoil {
	return func(r *recording) {
		r.Connections = nil
		begun := r.at(evidence.RolloutBegun)
		rows := map[string]map[uint32]*evidence.Connection{} // by lane and number
		for i := range r.Hits {
			h := &r.Hits[i]
			if !strings.HasSuffix(h.Lane, "-reused") {
				continue
			}
			turn, slot := 0, int(h.Seq%2)
			for turn < len(cuts) && h.Sent >= begun+cuts[turn] {
				turn++
			}
			h.Connection, h.By, h.Reused, h.LocalPort = uint32(2*turn+slot+1), to(slot, r.readyPods([]string{"v1", "v2"}[min(turn, 1)])), true, 7
			if rows[h.Lane] == nil {
				rows[h.Lane] = map[uint32]*evidence.Connection{}
			}
			c := rows[h.Lane][h.Connection]
			if c == nil {
				c = &evidence.Connection{Lane: h.Lane, Number: h.Connection, Slot: slot, Opened: h.Sent, By: h.By, End: evidence.EndOwn}
				rows[h.Lane][h.Connection], h.Reused = c, false
			}
			c.Sent, c.Answered, c.Ended = c.Sent+1, c.Answered+1, h.End()
			if turn < len(cuts) {
				c.Told, c.ToldBy = h.End(), evidence.CloseHeader
			}
		}
		for _, of := range rows {
			for _, c := range of {
				r.Connections = append(r.Connections, *c)
			}
		}
		r.Arrivals = nil
		for _, h := range r.Hits {
			r.Arrivals = append(r.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + h.Took/2, By: h.By})
		}
	}
}

// shared makes the lanes with kept connections share them.
func shared(r *recording) {
	for i := range r.Run.Lanes {
		if l := &r.Run.Lanes[i]; l.Conn == evidence.Reused {
			l.Protocol = evidence.H2C
		}
	}
}

// readyPods returns the pods of a version that became ready.
func (r recording) readyPods(version string) (pods []evidence.Server) {
	for _, e := range r.Events {
		if e.Kind == evidence.PodReady && e.By.Version == version && !slices.Contains(pods, e.By) {
			pods = append(pods, e.By)
		}
	}
	return pods
}

// untold has the connections that were cut end without their clients being told.
func untold(r *recording) {
	for i := range r.Connections {
		if c := &r.Connections[i]; c.ToldBy != "" {
			c.Told, c.ToldBy, c.End = 0, "", evidence.EndFin
		}
	}
}

// reset has them reset.
func reset(r *recording) {
	untold(r)
	for i := range r.Connections {
		if c := &r.Connections[i]; c.End == evidence.EndFin {
			c.End = evidence.EndReset
		}
	}
}

// sooner has the connections that were cut end sooner.
func sooner(by time.Duration) spoil {
	return func(r *recording) {
		for i := range r.Connections {
			if c := &r.Connections[i]; c.Cut() {
				c.Ended, c.Told = c.Ended-by, max(0, c.Told-by)
			}
		}
	}
}

// killed has an old pod killed 2 s after the rollout began, which cuts its connections.
func killed(r *recording) {
	cutAt(together, 2*second)(r)
	untold(r)
	pod := r.readyPods("v1")[0]
	at := r.at(evidence.RolloutBegun) + 2*second
	r.Events = slices.DeleteFunc(r.Events, func(e evidence.Event) bool {
		return e.By.Pod == pod.Pod && (e.Kind == evidence.PodExited || e.Kind == evidence.PodSigterm)
	})
	r.Events = append(r.Events, evidence.Event{At: at - 200*ms, Kind: evidence.PodKilled, By: pod})
}
