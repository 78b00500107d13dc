package evidence

import "time"

// An Arrival is one request as the pod that got it saw it. Two of one lane and number betray a
// request that was sent twice.
type Arrival struct {
	Lane string        `json:"lane"` // as the request named it
	Seq  uint64        `json:"seq"`
	At   time.Duration `json:"at"` // when the pod had read its headers, on the clock of By.Node
	By   Server        `json:"by"`
}
