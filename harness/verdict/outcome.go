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
	Skipped // it did not run
)

var outcomes = []string{Inconclusive: "inconclusive", Pass: "pass", Fail: "fail", Skipped: "skipped"}

func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// MarshalText is the outcome as reports spell it; an unknown outcome is an error.
func (o Outcome) MarshalText() ([]byte, error) {
	if o > Skipped {
		return nil, fmt.Errorf("verdict: marshal outcome: %d is unknown", uint8(o))
	}
	return []byte(o.String()), nil
}

// UnmarshalText reads an outcome as reports spell it; one that this build does not know is an error.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomes, string(text))
	if i < 0 {
		return fmt.Errorf("verdict: unmarshal outcome: %.50q is unknown", text)
	}
	*o = Outcome(i)
	return nil
}
