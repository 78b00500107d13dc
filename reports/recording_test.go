package reports_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

const ms = time.Millisecond

func began() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }

// runFolder records one session: every outcome, two modes that ran and one the host has not.
func runFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{
		Schema: 1, ID: "sample-run", Began: began(), Ended: began().Add(95 * time.Second), Version: "v0.1.0", Command: "make conformance",
	})
	for _, mode := range []string{"iptables", "ipvs", "nftables"} {
		put(t, filepath.Join(dir, "evidence", mode, evidence.ClusterFile), evidence.Cluster{
			Name: "rollcall-" + mode, Mode: mode, Provider: "kind", Kubernetes: "v1.36.3", Kernel: "6.12.0", CNI: "kindnet", Nodes: 3,
			Features: []evidence.Feature{{Name: mode, Supported: mode != "ipvs", Because: "what the kernel offers"}},
		})
	}
	drained := []evidence.Expectation{verdict.FullRate(99), verdict.NoFailures(), verdict.Serves("v1", "v2"), verdict.OnlyServes("v2", evidence.OldGone), verdict.MinAvailable(2)}
	damage := []evidence.Expectation{verdict.DamageSeen()}

	record(t, dir, rollout("iptables", "rollout", "drained", 1, drained))
	record(t, dir, rollout("iptables", "control", "undrained", 1, damage))
	seen := rollout("iptables", "control", "undrained", 2, damage)
	refuse(&seen, "worker-fresh", 60, 61)
	record(t, dir, seen)

	lossy := rollout("nftables", "rollout", "drained", 1, drained)
	refuse(&lossy, "worker-fresh", 55, 56, 57)
	record(t, dir, lossy)
	lost := rollout("nftables", "control", "undrained", 1, damage)
	lost.Run.Distrust = []string{"agent on worker2 restarted <once> & lost 12 hits | \x1b[31m"}
	record(t, dir, lost)

	record(t, dir, evidence.Evidence{Run: evidence.Run{
		Schema: 1, Suite: "rollout", Scenario: "drained", Mode: "ipvs", Attempt: 1, Claim: "a drained rollout fails no request",
		Skipped: "the kernel of this host has no ip_vs module",
	}})
	return dir
}

// rollout records 100 hits a second for 2 s on each of three lanes: by v1, from 0.8 s on by v2. The last old
// pod's endpoint leaves at 0.7 s and the pod is gone at 1 s.
func rollout(mode, suite, scenario string, attempt int, expect []evidence.Expectation) evidence.Evidence {
	ev := evidence.Evidence{
		Run: evidence.Run{
			Schema: 1, Suite: suite, Scenario: scenario, Mode: mode, Attempt: attempt, Tries: 3,
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
	old, fresh := evidence.Server{Version: "v1", Pod: "a", Node: "worker"}, evidence.Server{Version: "v2", Pod: "b", Node: "worker2"}
	ev.Events = append(ev.Events, []evidence.Event{
		{At: 0, Kind: evidence.PodReady, By: old},
		{At: 0, Kind: evidence.PodReady, By: evidence.Server{Version: "v1", Pod: "z"}},
		{At: 1 * ms, Kind: evidence.LoadBegun},
		{At: 500 * ms, Kind: evidence.RolloutBegun},
		{At: 650 * ms, Kind: evidence.PodReady, By: fresh},
		{At: 700 * ms, Kind: evidence.EndpointNotReady, By: old},
		{At: 700 * ms, Kind: evidence.PodDeleting, By: old},
		{At: 750 * ms, Kind: evidence.StatusDone},
		{At: 1000 * ms, Kind: evidence.PodGone, By: old},
		{At: 1000 * ms, Kind: evidence.OldGone},
		{At: 2005 * ms, Kind: evidence.LoadEnded},
	}...)
	for _, lane := range ev.Run.Lanes {
		for i := range 200 {
			due := time.Duration(i+1) * 10 * ms
			by := old
			if due >= 800*ms || due == 760*ms {
				by = fresh
			}
			if lane.Vantage == evidence.FromControl {
				by = evidence.Server{Version: "fixed", Pod: "control", Node: "worker2"}
			}
			ev.Hits = append(ev.Hits, evidence.Hit{
				Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due + 250*time.Microsecond, Took: 1234567, Status: 200, By: by, Attempts: 1,
			})
		}
	}
	return ev
}

func refuse(ev *evidence.Evidence, lane string, seqs ...uint64) {
	for i := range ev.Hits {
		for _, seq := range seqs {
			if h := &ev.Hits[i]; h.Lane == lane && h.Seq == seq {
				h.Fault, h.Status, h.By = evidence.Refused, 0, evidence.Server{}
			}
		}
	}
}

func record(t *testing.T, dir string, ev evidence.Evidence) {
	t.Helper()
	name := ev.Run.Scenario
	if ev.Run.Attempt > 1 {
		name += "-" + strconv.Itoa(ev.Run.Attempt)
	}
	if err := evidence.Write(filepath.Join(dir, "evidence", ev.Run.Mode, ev.Run.Suite, name), ev); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path string, v any) {
	t.Helper()
	if err := evidence.WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
}
