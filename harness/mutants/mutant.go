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
	"example.com/rollcall/suites"
)

// A Mutant is a scenario that goes wrong in one way.
type Mutant struct {
	ID      string // permanent, kebab-case
	Damages string // what goes wrong, for the table
	Of      string // suite and scenario, such as "rollout/drained-rolling-update"
	// EveryMode runs the mutant in every mode, because the damage depends on how nodes route. Others run in iptables mode.
	EveryMode bool

	// The damage; either may be nil.
	Change func(*harness.Scenario) // edits the scenario before it is recorded
	Do     disruption.Act          // is done at the moment When

	When Moment
	Once bool // only the first recording is damaged

	Want  verdict.Outcome
	Cause string // id of the rule or the reason for distrust that has to be named, or [Retry]
}

// Retry is the cause if a second recording had to be made, because the first could not tell.
const Retry = "retry"

// A Moment is some time after the first event of a kind. The zero value is before the recording.
type Moment struct {
	Event   evidence.EventKind
	Version string // of the event's pod; empty: any, or none
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

// In reports whether the mutant runs in a mode.
func (m Mutant) In(mode string) bool { return m.EveryMode || mode == dataplane.Names()[0] }

// Scenario returns the scenario with the mutant's Change and id, and with one try.
func (m Mutant) Scenario() (harness.Scenario, error) {
	suite, id, _ := strings.Cut(m.Of, "/")
	scenarios := suites.All()[suite]
	i := slices.IndexFunc(scenarios, func(s harness.Scenario) bool { return s.ID == id })
	if i < 0 {
		return harness.Scenario{}, fmt.Errorf("mutant %s: no scenario %s", m.ID, m.Of)
	}
	s := scenarios[i]
	s.Tries, s.Expect = 1, slices.Clone(s.Expect)
	if m.Change != nil {
		m.Change(&s)
	}
	s.ID = m.ID
	return s, nil
}
