package model

import "example.com/rollcall/harness/evidence"

// Spent is what of a run's time went into a part.
type Spent struct {
	Part    evidence.Part
	Seconds float64
}

// Spent lists the parts of which there is anything to tell, in the order in which a run comes to them.
func (r Run) Spent() (all []Spent) {
	for _, part := range evidence.Parts() {
		if seconds, told := r.Seconds[part]; told {
			all = append(all, Spent{part, seconds})
		}
	}
	return all
}
