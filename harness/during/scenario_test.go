package during

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
)

// made returns a recording of clients that send once a second each, until a minute after the maintenance. Its first step is at steady, and
// it takes 10 min from then on.
func made(a settings, steady time.Duration, lanes ...string) evidence.Evidence {
	m := &maintenance{settings: a, does: byHand}
	s := m.scenario()
	does := s.UnderLoad().Disruption
	end := steady + 10*time.Minute
	run := evidence.Run{OldVersion: "v1", NewVersion: "v1", Expect: s.Expect, Length: end + time.Minute,
		Disruption: &evidence.Disruption{ID: s.ID, Expects: does.Expects, Tail: does.Tail}}
	var hits []evidence.Hit
	for _, id := range lanes {
		run.Lanes = append(run.Lanes, evidence.Lane{ID: id, Vantage: evidence.FromPod, Node: id, Conn: evidence.Fresh, Rate: 1})
		for at := time.Duration(0); at < run.Length; at += time.Second {
			hits = append(hits, evidence.Hit{Lane: id, Seq: uint64(at / time.Second), Due: at, Sent: at, Took: time.Millisecond, Status: 200,
				By: evidence.Server{Version: "v1", Pod: "a"}, Attempts: 1})
		}
	}
	events := []evidence.Event{{Kind: evidence.LoadBegun}, {At: time.Second, Kind: evidence.RolloutBegun},
		{At: 2 * time.Second, Kind: evidence.DisruptionBegun}, {At: steady, Kind: evidence.Step, Detail: "drain worker"},
		{At: end, Kind: evidence.DisruptionUndone}, {At: end, Kind: evidence.ClusterWhole}, {At: end, Kind: evidence.Barrier},
		{At: run.Length, Kind: evidence.LoadEnded}}
	return evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: events}
}

// away makes the agents of nodes, which boot, be away between two times, on whole seconds.
func away(ev *evidence.Evidence, from, to time.Duration, nodes ...string) {
	for _, node := range nodes {
		ev.Events = append(ev.Events, evidence.Event{At: to, Kind: evidence.NodeChanged, Object: node, Detail: evidence.Booted})
	}
	hits, _ := ev.Hits.All()
	ev.Hits = evidence.Hits(slices.DeleteFunc(hits, func(h evidence.Hit) bool {
		return slices.Contains(nodes, h.Lane) && h.Sent >= from && h.Sent < to
	}))
	for _, node := range nodes {
		ev.Run.Absences = append(ev.Run.Absences, evidence.Absence{Lane: node, From: uint64(from / time.Second), To: uint64(to / time.Second),
			Since: from, Until: to, Why: "its node booted"})
	}
}

// failing makes the requests of a node's client fail between two times.
func failing(ev *evidence.Evidence, from, to time.Duration, node string) {
	hits, _ := ev.Hits.All()
	for i := range hits {
		if h := &hits[i]; h.Lane == node && h.Sent >= from && h.Sent < to {
			h.Status, h.Fault, h.By = 0, evidence.Refused, evidence.Server{}
		}
	}
	ev.Hits = evidence.Hits(hits)
}

func losing(outage time.Duration, permille int) settings {
	return settings{Losses: userapp.Losses{Outage: outage, Permille: permille}}
}

// What is claimed of a rollout by rollcall try is a sentence about a rollout.
func TestTheClaimOfARollout(t *testing.T) {
	m := &maintenance{settings: losing(0, 0), does: "Deployment web restarts", change: &Change{ID: "rollout"}}
	s := m.scenario()
	const want = "no client loses a request or gets a slow reply while Deployment web restarts"
	if does := s.UnderLoad().Disruption; s.Claim != want || !does.RollsOut {
		t.Errorf("claim %q of %+v, want %q", s.Claim, does, want)
	}
	m.change.Loses = true
	if got, want := m.scenario().Claim, "clients lose requests while Deployment web restarts"; got != want {
		t.Errorf("claim %q, want %q", got, want)
	}
	m.change.Loses, m.change.Unjudged = false, true
	s = m.scenario()
	if want := "what clients lose while Deployment web restarts is shown, and not judged"; s.Claim != want ||
		!s.UnderLoad().Disruption.Unjudged || !cmp.Equal(s.Expect, []evidence.Expectation{verdict.SomethingChanged()}) {
		t.Errorf("claim %q with %v, want %q", s.Claim, s.Expect, want)
	}
	if got := m.name(); got != "the rollout" {
		t.Errorf("what was interrupted is %q", got)
	}
}

func TestVerdictOfMaintenance(t *testing.T) {
	const steady = 30 * time.Second
	over := steady + 10*time.Minute
	outage := losing(10*time.Second, 0)
	for _, row := range []struct {
		sentence string
		given    settings
		steady   time.Duration
		spoil    func(*evidence.Evidence)
		want     verdict.Outcome
		by       string // the rules that decide; empty: all
	}{
		{"clients sent all the time and lost nothing", outage, steady, func(*evidence.Evidence) {}, verdict.Pass, ""},
		{"agents that are all away while the command runs saw nothing", outage, steady,
			func(ev *evidence.Evidence) { away(ev, 2*time.Second, over+time.Second, "worker", "worker2") }, verdict.Inconclusive,
			"sent-in-maintenance"},
		{"nor did they, whatever the limits", losing(10*time.Second, 10), steady,
			func(ev *evidence.Evidence) { away(ev, steady, over, "worker", "worker2") }, verdict.Inconclusive, "sent-in-maintenance"},
		{"clients of nodes that are down in turn had no outage before and after", outage, steady, func(ev *evidence.Evidence) {
			away(ev, steady, steady+time.Minute, "worker")
			away(ev, steady+2*time.Minute, steady+3*time.Minute, "worker2")
		}, verdict.Pass, ""},
		{"outages before a node goes down and when it is back may be one", outage, steady, func(ev *evidence.Evidence) {
			failing(ev, steady+time.Minute-5*time.Second, steady+time.Minute, "worker")
			away(ev, steady+time.Minute, steady+4*time.Minute, "worker")
			failing(ev, steady+4*time.Minute, steady+4*time.Minute+5*time.Second, "worker")
		}, verdict.Inconclusive, "max-outage reply-gap"},
		{"an agent that goes down with a request in flight may have had an outage", outage, steady, func(ev *evidence.Evidence) {
			away(ev, steady+time.Minute-time.Second, steady+4*time.Minute, "worker")
			took := &ev.Run.Absences[0]
			took.From, took.Since, took.Unknown = took.From+1, took.Since+time.Second, []uint64{took.From}
		}, verdict.Inconclusive, "max-outage reply-gap"},
		{"an agent that stays away when its node is back is distrusted", outage, steady, func(ev *evidence.Evidence) {
			away(ev, steady, steady+time.Minute, "worker")
			ev.Events[len(ev.Events)-1].At = steady + 30*time.Second
		}, verdict.Inconclusive, "max-outage reply-gap"},
		{"an outage that may not last a second needs three requests in it", settings{}, steady, func(*evidence.Evidence) {}, verdict.Inconclusive,
			"sent-in-maintenance"},
		{"twelve steady hours before the first step do not hide a burst", losing(10*time.Second, 1), 12 * time.Hour,
			func(ev *evidence.Evidence) {
				failing(ev, 12*time.Hour+time.Minute, 12*time.Hour+time.Minute+5*time.Second, "worker")
			}, verdict.Fail, "max-failed-share"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := made(row.given, row.steady, "worker", "worker2")
			row.spoil(&ev)
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			var by []string
			for _, f := range v.Findings {
				if f.Outcome == v.Outcome {
					by = append(by, f.Rule)
				}
			}
			if v.Outcome != row.want || row.by != "" && strings.Join(by, " ") != row.by {
				t.Errorf("%s by %v, want %s by %s: %s", v.Outcome, by, row.want, row.by, v.Because)
			}
		})
	}
}
