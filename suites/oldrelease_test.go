package suites_test

import (
	"slices"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// Claims on a cluster that is older than those that are supported: what it cannot do yet is not a violation.
func TestWhatAnOlderReleaseCannotDoIsNoViolation(t *testing.T) {
	facts := func(sleepOfZero, sleepOfSix string) []evidence.Event {
		var events []evidence.Event
		for _, f := range [][2]string{
			{"sleep of -1s with a grace of 5s", "Invalid value: -1: must be greater than 0 and less than terminationGracePeriodSeconds (5)"},
			{"sleep of 0s with a grace of 5s", sleepOfZero},
			{"sleep of 5s with a grace of 5s", "accepted"},
			{"sleep of 6s with a grace of 5s", sleepOfSix},
			{"two kinds in one hook", "Forbidden: may not specify more than 1 handler type"},
		} {
			events = append(events, evidence.Event{Kind: evidence.Fact, Object: f[0], Detail: f[1]})
		}
		return events
	}
	const refused = "must be greater than 0 and less than terminationGracePeriodSeconds (5)"
	for _, row := range []struct {
		sentence, version string
		want              verdict.Outcome
	}{
		{"the release of the articles", "v1.30.5", verdict.Pass},
		{"one that accepts a sleep of 0 s, and here does not", "v1.33.0", verdict.Fail},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := named(t, "termination", "hook-validation")
			ev := evidence.Evidence{Run: evidence.Run{Schema: evidence.SchemaVersion, Scenario: s.ID, Suite: "termination", Mode: "iptables",
				Claim: s.Claim, Covers: s.Covers(), Expect: s.Expect, Unloaded: true, Kubernetes: row.version, Attempt: 1, Tries: 1},
				Events: facts("Invalid value: 0: "+refused, "Invalid value: 6: "+refused)}
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			i := slices.IndexFunc(v.Claims, func(c verdict.Claim) bool { return c.ID == "C33" })
			if v.Outcome != row.want || i < 0 || v.Claims[i].Outcome != row.want {
				t.Errorf("%s: %s; claims %+v", v.Outcome, v.Because, v.Claims)
			}
		})
	}
	zero := named(t, "termination", "hook-sleep-zero")
	if because := verdict.OtherRelease(zero.Expect, "v1.30.5"); because != "expected since Kubernetes 1.33, this is v1.30.5" {
		t.Errorf("%s is recorded there: %q", zero.ID, because)
	}
}
