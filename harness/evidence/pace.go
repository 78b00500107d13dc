package evidence

import "time"

// A Pace is how fast scenarios went before each recording found its rate by itself: how often clients sent, and how long
// everything took and might take. Recordings of that time are judged by it.
type Pace string

// The paces. A recording that names none was made at the normal one.
const (
	NormalPace Pace = "normal"
	// LightPace is for a machine that does half of the usual over new connections: there clients that
	// send as often as elsewhere leave a rollout too little of it, and are late themselves. It takes no longer there.
	LightPace Pace = "light"
	// SlowPace is for a machine that takes many times longer than usual to start programs and open connections: there
	// kube-proxy takes seconds to write its rules, and the clients' own work would keep it from doing so.
	SlowPace Pace = "slow"
)

// A Calibration is what a short trial showed of the machine that clients and cluster share.
type Calibration struct {
	Cores   int           `json:"cores"`
	Connect time.Duration `json:"connect"` // median of opening a TCP connection to itself, nanoseconds
	Start   time.Duration `json:"start"`   // median of starting a program that does nothing, nanoseconds
	// requests per second of one client that sends each when it has the last one's reply, over a new connection
	Fresh float64       `json:"fresh"`
	Rate  float64       `json:"rate"` // requests per second sent, of those asked
	Lag   time.Duration `json:"lag"`  // 99 % of them were sent no later than this, nanoseconds
}
