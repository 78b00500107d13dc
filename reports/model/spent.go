package model

import "example.com/rollcall/harness/evidence"

// Spent is how much of a run's time went into one part.
type Spent struct {
	Part    evidence.Part
	Seconds float64
}

// Spent lists the parts whose time is known, in the order in which a run comes to them.
func (r Run) Spent() (all []Spent) {
	for _, part := range evidence.Parts() {
		if seconds, told := r.Seconds[part]; told {
			all = append(all, Spent{part, seconds})
		}
	}
	return all
}
