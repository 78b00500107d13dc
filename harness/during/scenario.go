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
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// Names of the recording in its run folder.
const (
	suite    = "during"
	scenario = "maintenance"
)

// The app drains, and has a pod more than the default of load nodes can lose at a time. Its budget has it lose one.
const replicas = 3

// wholeLimit is how long the cluster may take to be whole after the maintenance: a node that boots takes minutes, and its pods wait
// for images.
const wholeLimit = 10 * time.Minute

// tail is longer than any load goes on after the maintenance: a control pod whose node booted has another address from then on, which
// its lanes do not know, and pods come back when they do.
const tail = 24 * time.Hour

// expected are all reasons for distrust that maintenance may make, on any node.
func expected() []string {
	return []string{"node-unready", "control-failures", "watch-blind", "pod-log-lost", evidence.ObserverLost, evidence.AgentLost}
}

func app() fixtures.App {
	return fixtures.App{
		Replicas: replicas, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), StartDelay: time.Second,
		PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
	}
}

// expectations judge each lane by what its client may lose: nothing, unless it is said.
func (a asked) expectations() []evidence.Expectation {
	// Packets that are dropped for less than TCP's first timer fail no request: the SYN is sent again (RFC 6298, 2).
	return append(a.Expectations(), verdict.SentInMaintenance(cmp.Or(a.Outage, timeline.SYNResent.Timer())))
}

// claim says the same in words.
func (a asked) claim(does string) string {
	return fmt.Sprintf("no client %s during %s", a.Words(), does)
}

// scenario is what is recorded: an app that stays as it is, and what somebody else does meanwhile.
func (m *maintenance) scenario() harness.Scenario {
	does := phrase.Cut(phrase.Printable(m.does), 200)
	claim, expect := m.claim(does), m.expectations()
	if m.change != nil && m.change.Loses {
		claim, expect = "clients lose requests during "+does, []evidence.Expectation{verdict.DamageSeen()}
	}
	return harness.Scenario{
		ID: m.id, Claim: claim, App: app(),
		Load:    harness.Load{Rate: harness.FullRate, Settle: m.settle},
		Rollout: rollout.Steady(harness.OldVersion),
		Disruption: &disruption.Disruption{ID: m.id, Does: does, Expects: expected(), Do: m.do, AwaitWhole: m.awaitWhole,
			Lasts: m.deadline, Whole: wholeLimit, Tail: tail},
		Expect: expect,
	}
}
