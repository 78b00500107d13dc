package loadgen

import (
	"example.com/rollcall/harness/evidence"
)

// mostNoted is how many events of a kind are kept of a lane: a server may have a new certificate for each connection.
const mostNoted = 100

// note keeps what a lane met for the first time, and numbers what it met of that kind.
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
		_ = a.spool.write(stateFile, a.state) // if it is full, its lanes say so
	}
}
