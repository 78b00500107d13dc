package reports_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

const ms = time.Millisecond

func began() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }

// runFolder records one session with every outcome: two modes that ran, and one that the host does not have. A scenario is about a bug,
// with every answer to whether its cluster has it.
func runFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{
		Schema: 1, ID: "sample-run", Began: began(), Ended: began().Add(95 * time.Second), Version: "v0.1.0", Command: "make conformance",
		Profile: "core", LeftOut: 41, Expected: 80, Jobs: 2, Rate: 50,
		Steps: []string{"iptables: from 100 to 50 requests per second and lane: clients of rollout/drained were 0.3 s late"},
	})
	spend(t, dir,
		spent(evidence.ImagePart, -2, 0.2), spent(evidence.ClusterPart, 0, 40),
		spent(evidence.DeployPart, 40, 5), spent(evidence.SteadyPart, 45, 3.5),
		spent(evidence.RolloutPart, 48.5, 12), spent(evidence.RolloutPart, 50, 12),
		spent(evidence.SettlePart, 62, 9.4), spent(evidence.CleanUpPart, 75, 18),
	)
	for _, mode := range []string{"iptables", "ipvs", "nftables"} {
		writeJSON(t, filepath.Join(dir, "evidence", mode, evidence.ClusterFile), evidence.Cluster{
			Name: "rollcall-" + mode, Mode: mode, Provider: "kind", Kubernetes: "v1.36.3", Kernel: "6.12.0", CNI: "kindnet", Nodes: 3,
			Features: []evidence.Feature{{Name: mode, Supported: mode != "ipvs", Because: "what the kernel offers"}},
		})
	}
	drained := []evidence.Expectation{verdict.FullRate(99), verdict.NoFailures().Decides("C31"), verdict.Serves("v1", "v2"),
		verdict.OnlyServes("v2", evidence.OldGone), verdict.MinAvailable(2)}
	damage := []evidence.Expectation{verdict.DamageSeen().Decides("C31")}

	kept := followed(rollout("iptables", "rollout", "drained", 1,
		append(drained, verdict.NoLostReplies(), nftablesOnly(), verdict.MaxOutage(time.Second).In("iptables"))))
	kept.run.Bug = oldBug()
	record(t, dir, kept)
	record(t, dir, rollout("iptables", "control", "undrained", 1, damage))
	seen := followed(rollout("iptables", "control", "undrained", 2, damage))
	fail(&seen, "worker-fresh", evidence.Refused, 60, 62)
	fail(&seen, "worker-fresh", evidence.Reset, 61)
	seen.arrivals = slices.DeleteFunc(seen.arrivals,
		func(a evidence.Arrival) bool { return a.Lane == "worker-fresh" && (a.Seq == 60 || a.Seq == 62) })
	record(t, dir, seen)

	lossy := rollout("nftables", "rollout", "drained", 1, drained)
	fail(&lossy, "worker-fresh", evidence.Refused, 55, 56, 57)
	lossy.run.Foreign = 10000
	lossy.run.Bug, lossy.run.ComponentVersions = oldBug(), []string{"v1.35.3", "v1.36.3"}
	record(t, dir, lossy)
	lost := rollout("nftables", "control", "undrained", 1, damage)
	lost.run.Reasons = []evidence.Reason{{ID: evidence.StageFailed, Because: "agent on worker2 restarted <once> & lost 12 hits | \x1b[31m"}}
	record(t, dir, lost)
	writeJSON(t, filepath.Join(placeOf(dir, lost.run), "diagnostics", "README.txt"), "why")

	record(t, dir, recording{run: evidence.Run{
		Suite: "rollout", Scenario: "drained", Mode: "ipvs", Attempt: 1, Claim: "a drained rollout fails no request", Covers: []string{"C31"},
		Bug: oldBug(), Skipped: "the kernel of this host has no ip_vs module",
	}})
	return dir
}

// oldBug returns a bug that loses requests, and that old versions of kube-proxy are known to have.
func oldBug() *evidence.Bug {
	return &evidence.Bug{Issue: 139515, Component: "kube-proxy", Affected: []evidence.Releases{{Before: "1.36.0"}}, Fixed: "1.37.0",
		Rule: verdict.NoFailures().Rule}
}

// spent returns a span that begins so many seconds after the run began.
func spent(part evidence.Part, from, seconds float64) evidence.Span {
	return evidence.Span{Part: part, Mode: "iptables", Began: began().Add(time.Duration(from * float64(time.Second))), Seconds: seconds}
}

func spend(t *testing.T, dir string, spans ...evidence.Span) {
	t.Helper()
	for _, s := range spans {
		if err := store.AppendSpan(dir, s); err != nil {
			t.Fatal(err)
		}
	}
}

// nftablesOnly returns a rule that judges no run in another mode.
func nftablesOnly() evidence.Expectation { return verdict.MaxOutage(0).In("nftables") }

// A recording is evidence that a test may change.
type recording struct {
	run      evidence.Run
	hits     []evidence.Hit
	arrivals []evidence.Arrival // nil: not recorded
	events   []evidence.Event
}

// rollout records 100 hits a second for 2 s on each of three lanes, answered by v1 and from 0.8 s on by v2. The endpoint of the last old
// pod leaves at 0.7 s, and the pod is gone at 1 s.
func rollout(mode, suite, scenario string, attempt int, expect []evidence.Expectation) recording {
	r := recording{
		run: evidence.Run{
			Suite: suite, Scenario: scenario, Mode: mode, Attempt: attempt, Tries: 3,
			Claim: scenario + ": what clients see of a rollout", Covers: []string{"C31"},
			Began: began().Add(time.Duration(attempt) * 10 * time.Second), Length: 9*time.Second + 123456*time.Microsecond,
			OldVersion: "v1", NewVersion: "v2", Expect: expect,
			Lanes: []evidence.Lane{
				{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 100},
				{ID: "host-reused", Vantage: evidence.FromHost, Conn: evidence.Reused, Rate: 100},
				{ID: "control", Vantage: evidence.FromControl, Node: "worker", Conn: evidence.Fresh, Rate: 100},
			},
		},
	}
	r.events = []evidence.Event{
		{At: 0, Kind: evidence.PodReady, By: old()},
		{At: 0, Kind: evidence.PodReady, By: evidence.Server{Version: "v1", Pod: "z"}},
		{At: 1 * ms, Kind: evidence.LoadBegun},
		{At: 500 * ms, Kind: evidence.RolloutBegun},
		{At: 650 * ms, Kind: evidence.PodReady, By: fresh()},
		{At: 700 * ms, Kind: evidence.EndpointNotReady, By: old()},
		{At: 700 * ms, Kind: evidence.PodDeleting, By: old()},
		{At: 750 * ms, Kind: evidence.StatusDone},
		{At: 1000 * ms, Kind: evidence.PodGone, By: old()},
		{At: 1000 * ms, Kind: evidence.OldGone},
		{At: 2005 * ms, Kind: evidence.LoadEnded},
	}
	for _, lane := range r.run.Lanes {
		for i := range 200 {
			due := time.Duration(i+1) * 10 * ms
			by := old()
			if due >= 800*ms || due == 760*ms {
				by = fresh()
			}
			if lane.Vantage == evidence.FromControl {
				by = evidence.Server{Version: "fixed", Pod: "control", Node: "worker2"}
			}
			r.hits = append(r.hits, evidence.Hit{
				Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due + 250*time.Microsecond, Took: 1234567, Status: 200, By: by, Attempts: 1,
			})
		}
	}
	return r
}

func old() evidence.Server   { return evidence.Server{Version: "v1", Pod: "a", Node: "worker"} }
func fresh() evidence.Server { return evidence.Server{Version: "v2", Pod: "b", Node: "worker2"} }

// followed adds arrivals, the nodes' clocks and rules, and the cluster's version.
func followed(r recording) recording {
	r.run.Kubernetes = "v1.36.3"
	r.run.Clocks = []evidence.ClockReading{
		{Node: "worker", Offset: 200 * time.Microsecond, Uncertainty: 40 * time.Microsecond},
		{Node: "worker2", Offset: -300 * time.Microsecond, Uncertainty: 55 * time.Microsecond},
	}
	r.events = append(r.events,
		evidence.Event{At: 712 * ms, Clock: "worker", Kind: evidence.RuleGone, By: old(), Object: "worker"},
		evidence.Event{At: 731 * ms, Clock: "worker2", Kind: evidence.RuleGone, By: old(), Object: "worker2"},
	)
	for _, h := range r.hits {
		r.arrivals = append(r.arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + 300*time.Microsecond, By: h.By})
	}
	return r
}

func fail(r *recording, lane string, fault evidence.Fault, seqs ...uint64) {
	for i := range r.hits {
		if h := &r.hits[i]; h.Lane == lane && slices.Contains(seqs, h.Seq) {
			h.Fault, h.Status, h.By = fault, 0, evidence.Server{}
		}
	}
}

func (r recording) evidence() evidence.Evidence {
	ev := evidence.Evidence{Run: r.run, Hits: evidence.Hits(r.hits), Events: r.events}
	if r.arrivals != nil {
		ev.Arrivals = evidence.Arrivals(r.arrivals)
	}
	return ev
}

// record puts a recording into its place in the run folder dir.
func record(t *testing.T, dir string, r recording) {
	t.Helper()
	if err := store.Write(placeOf(dir, r.run), r.evidence()); err != nil {
		t.Fatal(err)
	}
}

func placeOf(dir string, run evidence.Run) string {
	name := run.Scenario
	if run.Attempt > 1 {
		name += "-" + strconv.Itoa(run.Attempt)
	}
	return filepath.Join(dir, "evidence", run.Mode, run.Suite, name)
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	if err := store.WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
}
