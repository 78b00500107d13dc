package loadgen

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// open opens the spool, and continues what an earlier process was told to start, if there was one.
func (a *Agent) open(dir string) error {
	found, order, state, err := openSpool(dir, SpoolLimit)
	if err != nil {
		return err
	}
	a.spool = found
	if order == nil {
		return nil
	}
	a.order, a.state = order.Instance, state
	return a.resume(*order, time.Now())
}

// resume continues an order: the plan stays the same, and requests that were due meanwhile are left out. An order that was stopped,
// or whose hits nobody has asked for in too long, only keeps its hits. Offsets are by the wall clock at this moment.
func (a *Agent) resume(order spooledOrder, now time.Time) error {
	o, err := a.unseal(order)
	if err != nil {
		return err
	}
	cfg := a.config(o)
	left := cfg.Unfetched - now.Sub(time.Unix(0, a.state.Fetched))
	loads := !a.state.Stopped && left > 0
	plans := make([]plan, len(o.Lanes))
	logs := make([]*laneLog, len(o.Lanes))
	for i, lane := range o.Lanes {
		var err error
		if logs[i], err = a.spool.findLane(i, batchOf(lane)); err != nil {
			return err
		}
		away, rest := absence(logs[i], lane, order, now, loads)
		a.state.note(away)
		plans[i] = rest
	}
	if err := a.spool.write(stateFile, a.state); err != nil { // before the logs begin segments that no longer have it
		return err
	}
	for i := range o.Lanes {
		if err := logs[i].resume(plans[i].number(0), now.Sub(cfg.Began)); err != nil {
			return err
		}
	}
	for i, lane := range o.Lanes {
		var kept buffer
		kept.spooled(logs[i])
		a.attacks = append(a.attacks, a.resumed(lane, cfg, plans[i], &kept, order.Began, now, loads))
	}
	if loads {
		a.watch(left, cfg.Unfetched)
	}
	return nil
}

// resumed returns the attack that goes on with a plan that began at some time, or an ended one if the agent does not load or its protocol
// cannot be opened again.
func (a *Agent) resumed(lane evidence.Lane, cfg Config, rest plan, kept *buffer, began, now time.Time, loads bool) *Attack {
	if !loads {
		if !a.state.Stopped {
			kept.giveUp(fmt.Errorf("no collector contacted the agent for %v, so it stopped", cfg.Unfetched))
		}
		return endedAttack(&client{lane: lane, buffer: kept})
	}
	c, err := newClient(lane, cfg, kept)
	if err != nil {
		kept.giveUp(err)
		return endedAttack(&client{lane: lane, buffer: kept})
	}
	c.plan = rest
	return start(context.Background(), c, now.Add(began.Sub(now)))
}

// absence returns what a lane missed until now, and the plan that it continues with if it loads.
func absence(log *laneLog, lane evidence.Lane, order spooledOrder, now time.Time, loads bool) (away evidence.Absence, rest plan) {
	began, whole := order.Order.Began, planOf(lane)
	unknown, from := log.unknown()
	rest = whole.resumed(from, 0)
	if loads {
		rest = whole.resumed(from, now.Sub(order.Began))
	}
	away = evidence.Absence{Lane: lane.ID, From: from, To: rest.number(0), Unknown: unknown, Why: restartCause(order)}
	away.Until = now.Sub(began)
	away.Since = min(away.Until, order.Began.Sub(began)+time.Duration(away.From+1)*whole.interval)
	return away, rest
}

// note keeps an absence, unless nothing is missing. Two from the same number on are merged: no request was sent in between.
func (s *spoolState) note(away evidence.Absence) {
	if away.From == away.To && len(away.Unknown) == 0 {
		return
	}
	for i, known := range s.Absences {
		if known.Lane == away.Lane && known.From == away.From {
			away.Unknown = slices.Compact(slices.Sorted(slices.Values(slices.Concat(known.Unknown, away.Unknown))))
			s.Absences[i] = away
			return
		}
	}
	s.Absences = append(s.Absences, away)
}

// restartCause returns why there is a new process.
func restartCause(order spooledOrder) string {
	if order.Boot != bootID() {
		return "its node booted"
	}
	return "its container started again"
}
