package evidence

import "time"

// An Arrival is one request as seen by the pod that received it. Two with the same lane and number mean that
// the request was sent twice.
type Arrival struct {
	Lane string        `json:"lane"` // as named in the request
	Seq  uint64        `json:"seq"`
	At   time.Duration `json:"at"` // when the pod had read the request's headers, on the clock of By.Node
	By   Server        `json:"by"` // the pod
}
