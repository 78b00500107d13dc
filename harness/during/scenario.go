package during

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// Names of the recording in its run folder.
const (
	suite    = "during"
	scenario = "maintenance"
)

// replicas is one more than the default number of load nodes. The app drains, and its PodDisruptionBudget allows one pod to be away.
const replicas = 3

// tail is longer than the load can go on after the maintenance. Its effects may last that long: after a reboot of its node a control pod
// has another address, which its lanes do not know, and pods come back at any time.
const tail = 24 * time.Hour

// controlFailures is the reason for distrust that requests on control lanes failed.
const controlFailures = "control-failures"

// expected returns the reasons for distrust that maintenance may cause, on any node.
func expected() []string {
	return []string{"node-unready", controlFailures, "watch-blind", "pod-log-lost", evidence.ObserverLost, evidence.AgentLost}
}

func app() fixtures.App {
	return fixtures.App{
		Replicas: replicas, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), StartDelay: time.Second,
		PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
	}
}

// expectations returns what each lane is held to: the options, or else no lost request and no slow reply.
func (a settings) expectations() []evidence.Expectation {
	list := a.Expectations()
	if a.unlimited() {
		list = append(list, verdict.NoSlowReplies())
	}
	// If packets are dropped for less than TCP's first timer, no request fails: the SYN is sent again (RFC 6298, 2).
	seen := cmp.Or(a.Outage, timeline.SYNResent.Timer())
	if rate := time.Duration(a.streams.Rate); rate > 0 { // one that is cut was sent before, so that streams need not be so frequent
		seen = max(seen, 4*time.Second/rate)
	}
	return append(list, verdict.SentInMaintenance(seen))
}

// unlimited reports whether no option says what clients may lose, or how long they may wait.
func (a settings) unlimited() bool { return a.Losses == userapp.Losses{} }

// scenario returns what is recorded: an app that stays as it is, and the maintenance as its disruption.
func (m *maintenance) scenario() harness.Scenario {
	does := phrase.Cut(phrase.Printable(m.does), 200)
	when := "during " + does
	if m.change != nil {
		when = "while " + does
	}
	words := m.Words()
	if m.unlimited() {
		words += " or gets a slow reply"
	}
	claim, expect := fmt.Sprintf("no client %s %s", words, when), m.expectations()
	unjudged := m.change != nil && m.change.Unjudged
	switch {
	case unjudged:
		claim, expect = "what clients lose "+when+" is shown, and not judged", nil
	case m.change.allows() > 0:
		share := userapp.Losses{Permille: max(m.Permille, m.change.allows())}
		claim, expect = fmt.Sprintf("no client %s %s, as in the rollout before", share.Words(), when), share.Expectations()
	case m.change != nil && m.change.Loses:
		claim, expect = "clients lose requests "+when, []evidence.Expectation{verdict.DamageSeen()}
	}
	if m.mustEnd() {
		expect = append(expect, verdict.Fact(evidence.RolloutEnd, evidence.Reached))
	}
	if len(m.command) > 0 || m.change != nil { // whoever works by hand marks what is done
		expect = append(expect, verdict.SomethingChanged())
	}
	return harness.Scenario{
		ID: m.id, Claim: claim, App: app(), Expect: expect,
		Kind: harness.UnderLoad{
			Settle: m.settle, Timeout: m.timeout,
			Lasts:   harness.Steady + m.lasts + m.settle + m.streams.Longest, // beside the command, of which nobody knows
			Rollout: rollout.Steady(harness.OldVersion),
			Disruption: &disruption.Disruption{ID: m.id, Does: does, Expects: expected(), Do: m.do, AwaitWhole: m.awaitWhole,
				Lasts: m.deadline, Whole: wholeLimit, Tail: tail, RollsOut: m.change != nil, Unjudged: unjudged},
		},
	}
}

// mustEnd reports whether a rollout that cannot end has failed.
func (m *maintenance) mustEnd() bool { return m.change != nil && m.change.MustEnd }

// allows returns the share of its requests that a client may lose, in thousandths, whatever the options say; 0: what they say counts.
func (c *Change) allows() int {
	if c == nil || c.Allows == nil {
		return 0
	}
	return c.Allows()
}
