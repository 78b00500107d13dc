package verdict

import "fmt"

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

func (o Outcome) String() string {
	switch o {
	case Inconclusive:
		return "inconclusive"
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Skipped:
		return "skipped"
	default:
		return fmt.Sprintf("outcome(%d)", uint8(o))
	}
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
	for known := Inconclusive; known <= Skipped; known++ {
		if known.String() == string(text) {
			*o = known
			return nil
		}
	}
	return fmt.Errorf("verdict: unmarshal outcome: %.50q is unknown", text)
}
