package verdict

import (
	"fmt"
	"slices"
)

// An Outcome is how a rule or a scenario ended. The zero value is Inconclusive, so that forgetting
// to judge can never pass.
type Outcome uint8

// The outcomes.
const (
	Inconclusive Outcome = iota // the recording cannot tell
	Pass
	Fail
	Skipped // it was not judged, or did not run
)

var outcomes = []string{Inconclusive: "inconclusive", Pass: "pass", Fail: "fail", Skipped: "skipped"}

func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// MarshalText returns the outcome as reports spell it, or an error for an unknown one.
func (o Outcome) MarshalText() ([]byte, error) {
	if o > Skipped {
		return nil, fmt.Errorf("verdict: marshal outcome: %d is unknown", uint8(o))
	}
	return []byte(o.String()), nil
}

// UnmarshalText parses an outcome as reports spell it, and returns an error for an unknown one.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomes, string(text))
	if i < 0 {
		return fmt.Errorf("verdict: unmarshal outcome: %.50q is unknown", text)
	}
	*o = Outcome(i)
	return nil
}
