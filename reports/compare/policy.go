package compare

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A Policy says what a candidate has to show beyond being no worse than its baseline, and what is known to be worse and accepted.
type Policy struct {
	usage.Head `json:",inline"`
	Required   Required    `json:"required,omitzero"`
	Exceptions []Exception `json:"exceptions,omitempty"`
}

// Required is what has to pass in every mode that the candidate did not skip as a whole, whatever the baseline showed.
type Required struct {
	Claims    []string `json:"claims,omitempty"`    // such as C31: every scenario that covers it, and one at least
	Scenarios []string `json:"scenarios,omitempty"` // suite/id
	Modes     []string `json:"modes,omitempty"`     // that the candidate has to have
}

// An Exception is something that is known to be worse, and is accepted for a while.
type Exception struct {
	Scenario string `json:"scenario"`         // suite/id
	Mode     string `json:"mode,omitempty"`   // empty: every mode
	Number   string `json:"number,omitempty"` // as junit.xml spells it; empty: the outcome and every number
	Until    string `json:"until"`            // the last day, such as 2027-01-31, in UTC
	Because  string `json:"because"`
}

const policyKind = "AcceptancePolicy"

// PolicySchema is the JSON Schema, draft 2020-12, of a policy file.
//
//go:embed policy.schema.json
var PolicySchema string

// ReadPolicy reads a policy file. The error, one line, names the file and the field.
func ReadPolicy(file string) (Policy, error) {
	var p Policy
	if err := usage.Read(file, policyKind, &p); err != nil {
		return Policy{}, err
	}
	if err := p.check(); err != nil {
		return Policy{}, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// check returns an error for what can be seen to be wrong without any run.
func (p Policy) check() error {
	for i, claim := range p.Required.Claims {
		if _, ok := reports.SeedClaimOf(claim); !ok {
			return fmt.Errorf("required.claims[%d]: %q is not a claim: use C1 to C%d", i, claim, reports.SeedClaims)
		}
	}
	for i, name := range p.Required.Scenarios {
		if err := checkName(name); err != nil {
			return fmt.Errorf("required.scenarios[%d]: %w", i, err)
		}
	}
	for i, x := range p.Exceptions {
		if err := x.check(); err != nil {
			return fmt.Errorf("exceptions[%d].%w", i, err)
		}
	}
	return nil
}

func (x Exception) check() error {
	if err := checkName(x.Scenario); err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	keys := model.Distinct(model.ComparedMetrics(), model.Metric.Key)
	if x.Number != "" && !slices.Contains(keys, x.Number) {
		return fmt.Errorf("number: %q is not a compared number: use one of %s", x.Number, strings.Join(keys, ", "))
	}
	if _, err := time.Parse(time.DateOnly, x.Until); err != nil {
		return fmt.Errorf("until: %q is not a day: write it like 2027-01-31", x.Until)
	}
	if strings.TrimSpace(x.Because) == "" {
		return fmt.Errorf("because: it is empty: say why this is accepted")
	}
	return nil
}

func checkName(name string) error {
	if suite, id, two := strings.Cut(name, "/"); !two || suite == "" || id == "" || strings.Contains(id, "/") {
		return fmt.Errorf("%q is not a scenario: name it like rollout/drained-rolling-update", name)
	}
	return nil
}

// covers reports whether the exception is about a reason.
func (x Exception) covers(r Reason) bool {
	return x.Scenario == r.Scenario && (x.Mode == "" || x.Mode == r.Mode) && (x.Number == "" || x.Number == r.Number)
}

// excepts returns a function that reports whether an exception covers a number on a day.
func (p Policy) excepts(today time.Time) func(scenario, mode, number string) bool {
	return func(scenario, mode, number string) bool {
		r := Reason{Scenario: scenario, Mode: mode, Number: number}
		return slices.ContainsFunc(p.Exceptions, func(x Exception) bool { return x.covers(r) && !x.expired(today) })
	}
}

// expired reports whether the exception's last day has passed.
func (x Exception) expired(today time.Time) bool { return today.UTC().Format(time.DateOnly) > x.Until }
