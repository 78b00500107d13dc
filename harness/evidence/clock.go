package evidence

import "time"

// A ClockReading compares a node's clock with the recorder's at one moment: the node showed
// At+Offset, give or take Uncertainty. Times of clients and pods on the node are on its clock.
type ClockReading struct {
	Node        string        `json:"node"`
	At          time.Duration `json:"at"`          // nanoseconds since Run.Began, on the recorder's clock
	Offset      time.Duration `json:"offset"`      // nanoseconds the node is ahead
	Uncertainty time.Duration `json:"uncertainty"` // nanoseconds: half the round trip in which it was read
}
