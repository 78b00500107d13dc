package evidence

import "time"

// A ClockReading compares a node's clock with the recorder's at one moment: the node's clock showed
// At+Offset, plus or minus Uncertainty. Times of clients and pods on the node are on the node's clock.
type ClockReading struct {
	Node        string        `json:"node"`
	At          time.Duration `json:"at"`          // nanoseconds since Run.Began, on the recorder's clock
	Offset      time.Duration `json:"offset"`      // nanoseconds by which the node's clock is ahead
	Uncertainty time.Duration `json:"uncertainty"` // nanoseconds: half the round trip of the reading
}
