package evidence

import "time"

// An Absence is that a load agent sent nothing of a lane for a while: its process had ended, and its next one went on. Nobody
// knows what became of the requests that were in flight. Times are on the clock of the lane's node.
type Absence struct {
	Lane  string        `json:"lane"`
	From  uint64        `json:"from"`  // first number that was not sent
	To    uint64        `json:"to"`    // first one that was sent again; From: none was left out
	Since time.Duration `json:"since"` // when From was due
	Until time.Duration `json:"until"` // when the next process was there, the same for all lanes of an agent
	// Unknown are numbers sent before of which no outcome was kept, ascending.
	Unknown []uint64 `json:"unknown,omitempty"`
	Why     string   `json:"why"` // such as "its container started again"
}

// Skips reports whether a number was left out.
func (a Absence) Skips(seq uint64) bool { return seq >= a.From && seq < a.To }
