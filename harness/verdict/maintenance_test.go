package verdict_test

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Only a change of what clients depend on shows that something was done.
func TestSomethingChanged(t *testing.T) {
	of := func(kind evidence.EventKind, name string) edit { return with(pod(800, kind, "v1", name)) }
	node := func(kind evidence.EventKind, name, detail string) edit {
		return with(evidence.Event{At: 800 * ms, Kind: kind, Object: name, Detail: detail})
	}
	fact := func(name, value string) edit {
		return with(evidence.Event{At: 900 * ms, Kind: evidence.Fact, Object: name, Detail: value})
	}
	system := func(component, node string) edit {
		return with(evidence.Event{At: 800 * ms, Kind: evidence.SystemPodDeleting, Object: component, By: evidence.Server{Pod: "x", Node: node}})
	}
	const nothing = "no sign of what was done: "
	for _, row := range []struct {
		sentence string
		edit     edit
		outcome  verdict.Outcome
		says     string
	}{
		{"nothing happened", all(), verdict.Inconclusive, nothing + "the app's pods, endpoints and workload, and nodes of theirs and of clients, stayed as they were"},
		{"a pod of the app was deleted", of(evidence.PodDeleting, "a"), verdict.Pass, "1 change"},
		{"a pod of the app began", of(evidence.PodCreated, "c"), verdict.Pass, "1 change"},
		{"a pod of the app was deleted before", with(pod(300, evidence.PodDeleting, "v1", "a")), verdict.Inconclusive, nothing},
		{"an endpoint left the Service", of(evidence.EndpointGone, "a"), verdict.Pass, "1 change"},
		{"an endpoint of another app came, since the selector was changed",
			with(evidence.Event{At: 800 * ms, Kind: evidence.EndpointReady, By: evidence.Server{Pod: "green-1"}}), verdict.Pass, "1 change"},
		{"a pod of another workload of the namespace ended", of(evidence.OtherPodDeleting, "api"), verdict.Inconclusive,
			"; only pods of other workloads ended: 1"},
		{"a node was cordoned, and a budget blocked its drain", node(evidence.NodeCordoned, "worker", ""), verdict.Inconclusive,
			"; only worker: cordoned"},
		{"a node joined", node(evidence.NodeReady, "worker9", ""), verdict.Inconclusive, "; only worker9: joined"},
		{"a node booted that has neither", node(evidence.NodeChanged, "other", "booted"), verdict.Inconclusive, "; only other: booted"},
		{"a node with a client booted", node(evidence.NodeChanged, "worker", "booted"), verdict.Pass, "1 change"},
		{"the Service or the workload was changed", fact(evidence.AppChanged, "service web"), verdict.Pass, "1 change"},
		{"kube-proxy was started again", fact(evidence.SystemChanged, "kube-proxy on worker"), verdict.Pass, "1 change"},
		{"kube-proxy ended on a node with a client", system("kube-proxy", "worker"), verdict.Pass, "1 change"},
		{"kube-proxy ended on a node that has neither", system("kube-proxy", "elsewhere"), verdict.Inconclusive,
			"; only elsewhere: kube-proxy ends"},
		{"CoreDNS ended, on any node", system("coredns", "elsewhere"), verdict.Pass, "1 change"},
		{"another version replied", on("worker-fresh", func(h *evidence.Hit) {
			if h.Sent > 1800*ms {
				h.By.Version = "v3"
			}
		}), verdict.Pass, "1 change"},
		{"a rollout was under way before, and may have ended the pod",
			all(fact(evidence.RolloutUnderWay, "deployment web has 2 of 3 pods updated"), of(evidence.PodDeleting, "a")), verdict.Inconclusive,
			"a rollout was under way before"},
		{"a rollout was under way before, and its workload was changed again", all(fact(evidence.RolloutUnderWay, "x"),
			fact(evidence.AppChanged, "deployment web")), verdict.Pass, "1 change"},
		{"the command failed, and nothing happened", fact(evidence.CommandExit, "127"), verdict.Inconclusive,
			"the command failed with exit code 127; " + nothing},
		{"the command failed after it had changed something", all(fact(evidence.CommandExit, "1"), of(evidence.PodDeleting, "a")), verdict.Pass,
			"1 change"},
		{"there was no cluster to look at", func(ev *recording) { ev.Run.Mode = evidence.NoCluster }, verdict.Inconclusive,
			"no cluster was watched, and replies show no change"},
		{"nor was there one, but --until failed until it was over", all(func(ev *recording) { ev.Run.Mode = evidence.NoCluster },
			fact(evidence.UntilTurned, "after 3 failures")), verdict.Pass, "1 change"},
		{"on a cluster that is not enough", fact(evidence.UntilTurned, "after 3 failures"), verdict.Inconclusive, nothing},
		{"the app's pods might not be watched", func(ev *recording) { ev.Run.UserApp = &evidence.UserApp{Named: true} }, verdict.Inconclusive,
			"the app's pods were not watched, and replies show no change"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.SomethingChanged())
			ev.Run.NewVersion = "v1"
			ev.Events = []evidence.Event{pod(0, evidence.PodReady, "v1", "a"), pod(0, evidence.PodReady, "v1", "b"),
				mark(0, evidence.LoadBegun), mark(500, evidence.RolloutBegun), readyNode("worker"), readyNode("other"), mark(2000, evidence.LoadEnded)}
			for i := range ev.Hits {
				ev.Hits[i].By = evidence.Server{Version: "v1", Pod: "a"}
			}
			all(disrupted("", "node-unready"), row.edit)(&ev)
			f := judge(t, ev).Findings[0]
			if f.Outcome != row.outcome || !strings.Contains(f.Because, row.says) {
				t.Errorf("%s, want %s: %s", f.Outcome, row.outcome, f.Because)
			}
		})
	}
}

// readyNode returns the event that a node was ready from the beginning.
func readyNode(name string) evidence.Event {
	return evidence.Event{Kind: evidence.NodeReady, Object: name}
}
