package model

// Terminations counts the ends of old pods, each as the clients on one node see it.
type Terminations struct {
	Count int     `json:"count"`
	Lost  int     `json:"lost"`          // that may have cost a request
	Upper float64 `json:"upper_percent"` // largest share of all there could be that lose one, at 95 % confidence
}

// NeededDrains is the distribution of needed_drain_ms over terminations, in milliseconds.
type NeededDrains struct {
	Terminations int     `json:"terminations"` // from nodes whose rules were observed
	P50          float64 `json:"p50"`
	Max          float64 `json:"max"`
	MaxCovers    float64 `json:"max_covers_percent"` // smallest share of all there could be that Max covers, at 95 % confidence
	// P95 covers 95 % of all there could be, at 95 % confidence; absent: fewer than 59 terminations cannot say.
	P95 *float64 `json:"p95,omitempty"`
	// Margin is the shortest time that a pod's process went on after a node's rules had left it out; absent: not seen.
	Margin *float64 `json:"margin,omitempty"`
}
