package mutants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/suites/control"
	"example.com/rollcall/suites/rollout"
	"example.com/rollcall/suites/statusgap"
	"example.com/rollcall/suites/termination"
)

// A Mutant is a scenario that goes wrong in one way.
type Mutant struct {
	ID      string // permanent, kebab-case
	Damages string // what goes wrong, as the table has it
	Of      string // the suite and the scenario that it is done to
	// EveryMode has it done in every mode: what it damages differs by how a node routes. Others are done in iptables mode.
	EveryMode bool

	// What is done, where it is not nil.
	Change func(*harness.Scenario) // to the scenario, before it is recorded
	Do     disruption.Act          // at the moment When

	When Moment
	Once bool // it is done to the first recording alone

	Want  verdict.Outcome
	Cause string // the rule or the reason of distrust that says so, by id, or [Retry]
}

// Retry is the cause of an outcome that a second recording has, because the first could not tell.
const Retry = "retry"

// A Moment is some time after the first event of a kind. The zero value is before the recording.
type Moment struct {
	Event   evidence.EventKind
	Version string // of the pod that it is about; empty: any, or none
	After   time.Duration
}

func (m Moment) of(e evidence.Event) bool {
	return e.Kind == m.Event && (m.Version == "" || m.Version == e.By.Version)
}

func (m Moment) String() string {
	if m.Event == "" {
		return "before the recording"
	}
	text := string(m.Event)
	if m.Version != "" {
		text += " of " + m.Version
	}
	if m.After > 0 {
		text += " + " + m.After.String()
	}
	return text
}

// All lists every mutant, by family.
func All() []Mutant {
	return slices.Concat(proxyMutants(), packetMutants(), serviceMutants(), controlPlaneMutants(), appMutants(), starvedMutants(),
		rigMutants())
}

// In reports whether the mutant is done in a mode.
func (m Mutant) In(mode string) bool { return m.EveryMode || mode == dataplane.Names()[0] }

// Scenario is the one that the mutant is done to, changed, under the mutant's id. It has one try.
func (m Mutant) Scenario() (harness.Scenario, error) {
	suite, id, _ := strings.Cut(m.Of, "/")
	scenarios := suites()[suite]
	i := slices.IndexFunc(scenarios, func(s harness.Scenario) bool { return s.ID == id })
	if i < 0 {
		return harness.Scenario{}, fmt.Errorf("mutant %s: there is no scenario %s", m.ID, m.Of)
	}
	s := scenarios[i]
	s.Tries, s.Expect = 1, slices.Clone(s.Expect)
	if m.Change != nil {
		m.Change(&s)
	}
	s.ID = m.ID
	return s, nil
}

// suites are those that mutants are done to.
func suites() map[string][]harness.Scenario {
	return map[string][]harness.Scenario{"control": control.All(), "rollout": rollout.All(), "statusgap": statusgap.All(),
		"termination": termination.All()}
}
