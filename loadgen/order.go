package loadgen

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// noteFetchedEvery is the least time between two writes to the spool of when hits were asked for.
const noteFetchedEvery = 10 * time.Second

// begin starts every lane, or none if one cannot be opened or the spool cannot be written; the caller holds the lock and has checked the
// order.
func (a *Agent) begin(ctx context.Context, o startRequest) (err error) {
	cfg, began := a.config(o), time.Now()
	var clients []*client
	defer func() {
		if err != nil {
			closeAll(clients)
		}
	}()
	for i, lane := range o.Lanes {
		var kept buffer
		if a.spool != nil {
			log, err := a.spool.newLane(i, batchOf(lane))
			if err != nil {
				return unwritable(err)
			}
			kept.spooled(log)
		}
		c, err := newClient(lane, cfg, &kept)
		if err != nil {
			return err
		}
		clients = append(clients, c)
	}
	a.state = spoolState{Fetched: time.Now().UnixNano()}
	if a.spool != nil {
		if err := a.spool.write(stateFile, a.state); err != nil {
			return unwritable(err)
		}
		kept, err := a.seal(o, began)
		if err != nil {
			return unwritable(err)
		}
		if err := a.spool.write(orderFile, kept); err != nil {
			return unwritable(err)
		}
	}
	for _, c := range clients {
		a.attacks = append(a.attacks, start(ctx, c, began))
	}
	a.order = a.instance
	a.watch(cfg.Unfetched, cfg.Unfetched)
	return nil
}

// errUnwritable is wrapped by errors about an agent's spool.
var errUnwritable = errors.New("its spool cannot be written")

func unwritable(err error) error { return fmt.Errorf("%w: %w", errUnwritable, err) }

func closeAll(clients []*client) {
	for _, c := range clients {
		c.close()
	}
}

// watch ends the load if nobody asks for hits for as long as first, or later for as long as then. The caller holds the lock.
func (a *Agent) watch(first, then time.Duration) {
	a.unfetched = then
	a.fetchTimer = time.AfterFunc(first, func() {
		for _, attack := range a.started() {
			attack.abandon(then)
		}
	})
}

// abandon ends the load of a lane whose hits nobody asks for.
func (a *Attack) abandon(after time.Duration) {
	a.client.buffer.giveUp(fmt.Errorf("no collector contacted the agent for %v, so it stopped", after))
	a.cancel()
}

// asked notes that hits were asked for, which keeps the load running.
func (a *Agent) asked(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fetchTimer == nil || !a.fetchTimer.Stop() {
		return
	}
	a.fetchTimer.Reset(a.unfetched)
	if a.spool != nil && now.UnixNano()-a.state.Fetched >= int64(noteFetchedEvery) {
		a.state.Fetched = now.UnixNano()
		_ = a.spool.write(stateFile, a.state) // if the spool is full, its lanes say so
	}
}

// noteStop writes to the spool that no later process of the agent is to load.
func (a *Agent) noteStop() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.spool == nil || a.state.Stopped {
		return nil
	}
	a.state.Stopped = true
	return a.spool.write(stateFile, a.state)
}
