package loadgen

import (
	"example.com/rollcall/harness/evidence"
)

// mostNoted bounds the events of a kind that are kept per lane: a server may have a new certificate for each connection.
const mostNoted = 100

// note keeps an event that is new to its lane, and numbers the lane's events of that kind.
func (a *Agent) note(e evidence.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Count = 1
	for _, known := range a.state.Noted {
		if known.Object == e.Object && known.Kind == e.Kind {
			if known.Detail == e.Detail || e.Count == mostNoted {
				return
			}
			e.Count++
		}
	}
	a.state.Noted = append(a.state.Noted, e)
	if a.spool != nil {
		_ = a.spool.write(stateFile, a.state) // if the spool is full, its lanes say so
	}
}
