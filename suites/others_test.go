package suites_test

import (
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A cluster that is slower than one on kind, or whose kubelet is less steady, is not a failure. What its trial measured stretches the
// bounds.
func TestClustersOfOthersAreNoFailure(t *testing.T) {
	const second = time.Second
	for _, row := range []struct {
		sentence        string
		suite, scenario string
		folder          string
		change          changed
		stretch         int
		fails           []string // rules; nil: it passes
	}{
		{"pods start 12 s later than on kind", "statusgap", "recreate", "iptables-recreate", awayFor(12 * second), 1, nil},
		{"nodes' rules follow within 4 s, and pods drain for longer", "rollout", "drained-rolling-update",
			"iptables-drained", routedFor(4 * second), 3, nil},
		{"nodes' rules follow within 4 s, as nobody measured", "rollout", "drained-rolling-update", "iptables-drained",
			routedFor(4 * second), 1, []string{"max-rule-lag"}},
		{"nodes' rules follow within 4 s, later than the claim says", "statusgap", "status-trap", "iptables-drained",
			routedFor(4 * second), 3, []string{"max-rule-lag", "most-drain-lags"}},
		{"nodes' rules follow within 4 s, and pods exit at once", "control", "undrained-rolling-update", "iptables-undrained",
			rulesLate(4 * second), 3, nil},
		{"nodes switch within 4 s", "switchover", "blue-green-back", "blue-green-back", switchedAfter(4 * second), 3, nil},
		{"nodes switch within 5 s, which is more than was measured", "switchover", "blue-green-back", "blue-green-back",
			switchedAfter(5 * second), 3, []string{"max-switch"}},
	} {
		t.Run(row.scenario+"/"+row.sentence, func(t *testing.T) {
			s := named(t, row.suite, row.scenario).At(harness.FullRate, row.stretch)
			v := judgedAs(t, row.folder, s, row.change)
			var failed []string
			for _, f := range v.Findings {
				if f.Outcome == verdict.Fail {
					failed = append(failed, f.Rule)
				}
			}
			slices.Sort(failed)
			if want := map[bool]verdict.Outcome{true: verdict.Pass, false: verdict.Fail}[row.fails == nil]; v.Outcome != want ||
				!slices.Equal(failed, row.fails) {
				t.Errorf("%s by %q, want %s by %q: %s", v.Outcome, failed, want, row.fails, v.Because)
			}
		})
	}
}

// judgedAs judges a recorded folder, as changed, by a scenario.
func judgedAs(t *testing.T, folder string, s harness.Scenario, change changed) verdict.Verdict {
	t.Helper()
	ev := recordedFor(t, folder)
	ev.Run.Covers, ev.Run.Expect = s.Covers(), s.Expect
	change(&ev)
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(ev.Run, tl)
}

// A new pod that is shown as not ready once more for 0.3 s is one available pod less. If its app asks that pods are ready for a second
// before they count, no old pod has gone by then.
func TestAFlickerOfANewPodIsNoShortfall(t *testing.T) {
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			expects := func(of func(evidence.Expectation) bool) bool { return slices.ContainsFunc(s.Expect, of) }
			kept := expects(func(x evidence.Expectation) bool { return x.Rule == "min-available" && x.Count == int(s.App.Replicas) })
			replaced := expects(func(x evidence.Expectation) bool { return x.Rule == "serves" && len(x.Versions) == 2 })
			if kept && replaced && s.App.MinReady < time.Second {
				t.Errorf("%s/%s expects that %d pods are available, and controllers count one as soon as it is ready", suite, s.ID, s.App.Replicas)
			}
		}
	}
	for _, row := range []struct {
		sentence string
		waits    time.Duration
		want     verdict.Outcome
	}{
		{"an old pod is deleted as soon as the new one is ready", 0, verdict.Fail},
		{"an old pod is deleted when the new one has been ready for a second", time.Second, verdict.Pass},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := harness.Scenario{Expect: []evidence.Expectation{verdict.MinAvailable(3)}} // as many as the recorded app has
			if v := judgedAs(t, "iptables-drained", s, flickering(300*time.Millisecond, row.waits)); v.Outcome != row.want {
				t.Errorf("%s: %s", v.Outcome, v.Because)
			}
		})
	}
}

// awayFor makes the outage of a recording longer: while it lasts, what comes next is put off, and clients go on being refused.
func awayFor(d time.Duration) changed {
	return func(ev *evidence.Evidence) {
		from := time.Duration(0) // half a second before the outage ends
		for _, e := range ev.Events {
			if e.Kind == evidence.PodReady && e.By.Version == ev.Run.NewVersion && (from == 0 || e.At < from) {
				from = e.At - time.Second/2
			}
		}
		for i, e := range ev.Events {
			if e.At >= from {
				ev.Events[i].At += d
			}
		}
		hits, arrivals := whole(ev.Hits.All()), whole(ev.Arrivals.All())
		first := map[string]uint64{} // number of each lane's first request that is put off
		last := map[string]evidence.Hit{}
		for i, h := range hits {
			if h.Sent < from {
				if h.Seq >= last[h.Lane].Seq {
					last[h.Lane] = h
				}
				continue
			}
			if at, seen := first[h.Lane]; !seen || h.Seq < at {
				first[h.Lane] = h.Seq
			}
			hits[i].Sent, hits[i].Due = h.Sent+d, h.Due+d
		}
		for _, lane := range ev.Run.Lanes {
			more := uint64(d.Seconds() * float64(lane.Rate))
			put := func(seq uint64) uint64 {
				if at, seen := first[lane.ID]; seen && seq >= at {
					return seq + more
				}
				return seq
			}
			for i, h := range hits {
				if h.Lane == lane.ID {
					hits[i].Seq = put(h.Seq)
				}
			}
			for i, a := range arrivals {
				if a.Lane == lane.ID {
					if arrivals[i].Seq = put(a.Seq); arrivals[i].Seq != a.Seq {
						arrivals[i].At += d
					}
				}
			}
			for n := range more {
				later := time.Duration(n+1) * time.Second / time.Duration(lane.Rate)
				h := last[lane.ID]
				h.Seq, h.Sent, h.Due = h.Seq+n+1, h.Sent+later, h.Due+later
				if lane.Kind().IsControl() {
					arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent, By: h.By})
				} else {
					h.Fault, h.Status, h.By, h.LocalPort, h.Reused = evidence.Refused, 0, evidence.Server{}, 0, false
				}
				hits = append(hits, h)
			}
		}
		ev.Run.Length += d
		ev.Hits, ev.Arrivals = evidence.Hits(hits), evidence.Arrivals(arrivals)
	}
}

func whole[T any](records []T, err error) []T {
	if err != nil {
		panic(err)
	}
	return records
}

// switchedAfter makes nodes switch to the new version so late, and the barrier follow them.
func switchedAfter(d time.Duration) changed {
	return func(ev *evidence.Evidence) {
		switchesFor(d)(ev)
		later(evidence.Barrier, d)(ev)
	}
}

// rulesLate makes every node's rules route to pods for so long after they left the endpoints, and no client notice.
func rulesLate(d time.Duration) changed {
	return func(ev *evidence.Evidence) { lateRules(ev, d) }
}

// lateRules does that, and returns when the pods left.
func lateRules(ev *evidence.Evidence, d time.Duration) (left map[evidence.Server]time.Duration) {
	left = map[evidence.Server]time.Duration{}
	for i, e := range ev.Events {
		switch e.Kind {
		case evidence.EndpointNotReady:
			left[e.By] = e.At
		case evidence.RuleGone:
			ev.Events[i].At = max(e.At, left[e.By]+d)
		}
	}
	return left
}

// flickering makes each new pod not ready again for so long, soon after it became ready, and old pods be deleted so much later.
func flickering(unready, later time.Duration) changed {
	return func(ev *evidence.Evidence) {
		for i, e := range ev.Events {
			switch {
			case e.Kind == evidence.PodReady && e.By.Version == ev.Run.NewVersion:
				again := e.At + 100*time.Millisecond
				ev.Events = append(ev.Events, evidence.Event{Kind: evidence.PodUnready, At: again, By: e.By},
					evidence.Event{Kind: evidence.PodReady, At: again + unready, By: e.By})
			case e.Kind == evidence.PodDeleting && e.By.Version == ev.Run.OldVersion:
				ev.Events[i].At += later
			}
		}
	}
}

// An autoscaler that has metrics does more than keep its bounds: what it makes of the size then is not judged.
func TestAnAutoscalerWithMetricsIsNoFailure(t *testing.T) {
	const because = "an autoscaler has metrics here"
	for _, row := range []struct {
		sentence string
		metrics  bool
		want     verdict.Outcome
	}{
		{"the cluster has metrics", true, verdict.Skipped},
		{"it has none, and the autoscaler gives another size", false, verdict.Fail},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			v := judgedAs(t, "reapply-the-same-size", named(t, "autoscale", "reapply-the-same-size"), func(ev *evidence.Evidence) {
				noted("replicas when the autoscaler has looked", "2")(ev)
				if row.metrics {
					ev.Run.Lacks = append(ev.Run.Lacks, evidence.Feature{Name: cluster.NoMetrics, Because: because})
				}
			})
			last := v.Findings[len(v.Findings)-1]
			if last.Outcome != row.want || v.Outcome == verdict.Fail != (row.want == verdict.Fail) {
				t.Errorf("%s: %s; the size: %s: %s", v.Outcome, v.Because, last.Outcome, last.Because)
			}
		})
	}
}
