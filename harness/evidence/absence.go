package evidence

import "time"

// An Absence is a time in which a load agent sent nothing of a lane: its process had ended, and the next one went on later. The
// outcome of requests in flight is unknown. Times are on the clock of the lane's node.
type Absence struct {
	Lane  string        `json:"lane"`
	From  uint64        `json:"from"`  // number of the first request not sent
	To    uint64        `json:"to"`    // that of the first one sent again; equal to From: none was left out
	Since time.Duration `json:"since"` // when From was due
	Until time.Duration `json:"until"` // when the next process began, the same for all lanes of an agent
	// Unknown are the numbers of requests sent before From whose outcome was lost, ascending.
	Unknown []uint64 `json:"unknown,omitempty"`
	Why     string   `json:"why"` // such as "its container started again"
}

// Skips reports whether a sequence number was left out.
func (a Absence) Skips(seq uint64) bool { return seq >= a.From && seq < a.To }
