package verdict_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// waits adds that a process stood on a run queue, in a recording that measured waits.
func waits(who timeline.Actor, from, to, waited int) edit {
	return with(evidence.Event{At: time.Duration(to) * ms, For: time.Duration(to-from) * ms, Kind: evidence.CPUWait, Count: waited,
		By: evidence.Server{Pod: who.Pod}, Object: who.Node, Detail: who.Program})
}

// onlyEnds leaves one old pod that is deleted.
func onlyEnds(name string) edit {
	return keeping(nil, func(e evidence.Event) bool {
		return e.By.Pod == name || e.Kind != evidence.PodDeleting && e.Kind != evidence.PodGone
	})
}

// An excuseRow is a rollout in which something was late, and somebody waited for a processor.
type excuseRow struct {
	sentence string
	expect   evidence.Expectation
	spoil    edit
	want     verdict.Outcome
	retry    verdict.Retry
}

func checkExcuses(t *testing.T, rows []excuseRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			for i := range ev.Events { // all pods are on one node
				if ev.Events[i].By.Pod != "" {
					ev.Events[i].By.Node = "worker"
				}
			}
			all(with(mark(0, evidence.CPUWaitBegun)), row.spoil)(&ev)
			v := judge(t, ev)
			if v.Outcome != row.want || v.Retry != row.retry || (len(v.Waits) > 0) != (row.want == verdict.Inconclusive) {
				t.Errorf("%s, retry %v: %s\nwant %s, %v", v.Outcome, v.Retry, v.Because, row.want, row.retry)
			}
		})
	}
}

func echoOn(pod string) timeline.Actor {
	return timeline.Actor{Pod: pod, Node: "worker2", Program: "echo"}
}

func onWorker(program string) timeline.Actor { return timeline.Actor{Node: "worker", Program: program} }

func TestExcuseOfRequests(t *testing.T) {
	// A request that pod d got, but did not answer within 2 s.
	timedOut := all(on("worker-reused", func(h *evidence.Hit) {
		h.Took, h.Fault, h.Status, h.By = 2000*ms, evidence.Timeout, 0, evidence.Server{}
	},
		120), func(ev *recording) {
		ev.Arrivals = append(ev.Arrivals, evidence.Arrival{Lane: "worker-reused", Seq: 120, At: 1300 * ms,
			By: evidence.Server{Version: "v2", Pod: "d"}})
	})
	stream := all(on("worker-reused", func(h *evidence.Hit) { h.Took, h.Tokens = 5000*ms, 30 }, 120),
		func(ev *recording) { ev.Run.Timeout = 2000 * ms }) // its last token came after 3 s
	unfinished := on("worker-reused", func(h *evidence.Hit) { h.Took, h.Fault = 2000*ms, evidence.Timeout }, 120) // by d
	slow := on("worker-fresh", func(h *evidence.Hit) { h.Took = 1500 * ms }, 140)                                 // by d, sent at 1.41 s
	lostMore := all(disrupted("worker"), func(ev *recording) {
		for i := range ev.Events { // of two old pods one
			if ev.Events[i].By.Pod == "b" {
				ev.Events[i].By.Node = "worker2"
			}
		}
	}, on("worker-fresh", func(h *evidence.Hit) {
		h.Took, h.Fault, h.Status, h.By = 2000*ms, evidence.Timeout, 0, evidence.Server{}
	}, from(120, 197)...))
	checkExcuses(t, []excuseRow{
		{"a request that timed out while nobody waited", verdict.NoFailures(), timedOut, verdict.Fail, verdict.NoRetry},
		{"whose pod waited for half of the time", verdict.NoFailures(), all(timedOut, waits(echoOn("d"), 1210, 3210, 1000)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"whose pod waited for less", verdict.NoFailures(), all(timedOut, waits(echoOn("d"), 1210, 3210, 990)), verdict.Fail, verdict.NoRetry},
		{"whose pod waited as long, most of it before", verdict.NoFailures(), all(timedOut, waits(echoOn("d"), 0, 2210, 1500)),
			verdict.Fail, verdict.NoRetry},
		{"while another pod waited", verdict.NoFailures(), all(timedOut, waits(echoOn("c"), 1210, 3210, 2000)), verdict.Fail, verdict.NoRetry},
		{"a reply that a pod's end cannot have cut", asCut("fixed:250ms", 0), all(bEnds, cut(evidence.Closed, 94, 98), unfinished), verdict.Fail,
			verdict.NoRetry},
		{"by a pod that waited for half of the time", asCut("fixed:250ms", 0), all(bEnds, cut(evidence.Closed, 94, 98), unfinished,
			waits(echoOn("d"), 1210, 3210, 1000)), verdict.Inconclusive, verdict.FewerJobs},
		{"a stream whose next token did not come", verdict.NoFailures(), all(timedOut, stream, waits(echoOn("d"), 4210, 6210, 990)), verdict.Fail,
			verdict.NoRetry},
		{"by a pod that waited for half of the time since the last one", verdict.NoFailures(), all(timedOut, stream,
			waits(echoOn("d"), 4210, 6210, 1000)), verdict.Inconclusive, verdict.FewerJobs},
		{"while packets waited on the host", verdict.NoFailures(), all(timedOut, waits(timeline.Actor{Program: timeline.SoftIRQ}, 1210, 3210, 1200)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"one of two that timed out has no excuse", verdict.NoFailures(), all(timedOut, waits(echoOn("d"), 1210, 3210, 2000),
			breaking("worker-fresh", evidence.Timeout, 180)), verdict.Fail, verdict.NoRetry},
		{"a request that was refused while all waited", verdict.NoFailures(), all(breaking("worker-fresh", evidence.Refused, 120),
			waits(echoOn("d"), 1000, 2000, 1000), waits(onWorker(timeline.KubeProxy), 1000, 2000, 1000)), verdict.Fail, verdict.NoRetry},
		{"a request that was routed to a pod that had ended, while kube-proxy waited for as long as it was late", verdict.NoFailures(),
			all(onlyEnds("a"), breaking("worker-fresh", evidence.Refused, 179), waits(onWorker(timeline.KubeProxy), 900, 1700, 500)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"one that came within the time that the rules of an idle node take is none of kube-proxy's", verdict.NoFailures(),
			all(onlyEnds("a"), breaking("worker-fresh", evidence.Refused, 95), waits(onWorker(timeline.KubeProxy), 700, 900, 150)), verdict.Fail, verdict.NoRetry},
		{"more than a node's share of requests timed out", verdict.LostShare(0, 1500*ms, evidence.RolloutBegun), lostMore,
			verdict.Fail, verdict.NoRetry},
		{"while packets waited for all of them", verdict.LostShare(0, 1500*ms, evidence.RolloutBegun),
			all(lostMore, waits(timeline.Actor{Program: timeline.SoftIRQ}, 1000, 4000, 2900)), verdict.Inconclusive, verdict.FewerJobs},
		{"a slow reply while nobody waited", verdict.NoSlowReplies(), slow, verdict.Fail, verdict.NoRetry},
		{"a slow reply by a pod that waited as long as it was late", verdict.NoSlowReplies(), all(slow, waits(echoOn("d"), 1410, 2910, 500)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"a slow reply whose client was late itself", verdict.NoSlowReplies(),
			all(slow, on("worker-reused", func(h *evidence.Hit) { h.Due -= 600 * ms }, 199)), verdict.Inconclusive, verdict.LowerRate},
	})
}

func TestExcuseOfDurationsAndPods(t *testing.T) {
	api := timeline.Actor{Node: "control-plane", Program: timeline.APIServer}
	noted := with(evidence.Event{At: 1900 * ms, Kind: evidence.Fact, Object: "until done", Detail: "1.8s"})
	unready := all(with(pod(1000, evidence.PodUnready, "v2", "c")), with(pod(1100, evidence.PodReady, "v2", "c")))
	killing := pod(900, evidence.Reported, "v1", "b")
	killing.Reason, killing.Message = "Killing", "Stopping container echo"
	told := verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 100*ms)
	checkExcuses(t, []excuseRow{
		{"a fact that took too long while nobody waited", verdict.FactWithin("until done", 0, 700*ms), noted, verdict.Fail, verdict.NoRetry},
		{"the API server waited for that, less the period", verdict.FactWithin("until done", 0, 700*ms), all(noted, waits(api, 200, 400, 100)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"it waited a little less", verdict.FactWithin("until done", 0, 700*ms), all(noted, waits(api, 200, 390, 99)),
			verdict.Fail, verdict.NoRetry},
		{"it waited only now and then", verdict.FactWithin("until done", 0, 700*ms), all(noted, waits(api, 200, 1900, 800)),
			verdict.Fail, verdict.NoRetry},
		{"a fact that took too short a time", verdict.FactWithin("until done", 2*time.Second, 3*time.Second),
			all(noted, waits(api, 200, 1900, 1700)), verdict.Fail, verdict.NoRetry},
		{"a pod that turned unready while nobody waited", verdict.MinAvailable(2), unready, verdict.Fail, verdict.NoRetry},
		{"a kubelet that waited for its probe", verdict.MinAvailable(2), all(unready, waits(onWorker(timeline.Kubelet), -4900, 1000, 4000)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"a kubelet that reported a begin soon after the deletion was seen", told, all(sigterm("a", 710), sigterm("b", 1000),
			with(killing)), verdict.Pass, verdict.NoRetry},
		{"a kubelet that let a pod have too long", told, all(sigterm("a", 710), sigterm("b", 1000)), verdict.Fail, verdict.NoRetry},
		{"a pod that waited for its SIGTERM", told, all(sigterm("a", 710), sigterm("b", 1000), waits(echoOn("b"), 850, 1000, 120)),
			verdict.Inconclusive, verdict.FewerJobs},
		{"a pod that waited does not excuse another that got SIGTERM too soon",
			verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 50*ms, 100*ms),
			all(sigterm("a", 705), sigterm("b", 1000), waits(echoOn("b"), 850, 1000, 120)), verdict.Fail, verdict.NoRetry},
	})
}

// A wait that a pod logs itself counts if waits were not measured from outside, and not while a new pod is starting on its node.
func TestExcuseByPodThatTells(t *testing.T) {
	slow := on("worker-fresh", func(h *evidence.Hit) { h.Took = 1500 * ms }, 140) // by d, sent at 1.41 s
	resent := on("worker-fresh", func(h *evidence.Hit) { h.Took, h.Connect, h.Resent = 1004*ms, 1002*ms, 1 }, 160)
	told := with(evidence.Event{At: 2500 * ms, For: 900 * ms, Kind: evidence.PodWaited, By: evidence.Server{Version: "v2", Pod: "d"}})
	another := pod(1700, evidence.PodCreated, "v2", "e")
	elsewhere := another
	elsewhere.By.Node = "worker2"
	for _, row := range []struct {
		sentence string
		spoil    edit
		want     verdict.Outcome
	}{
		{"a pod that waited as long as it was late", all(slow, told), verdict.Inconclusive},
		{"and beside it a SYN was sent again, which packet loss may have caused", all(slow, told, resent), verdict.Inconclusive},
		{"a SYN was sent again beside a pod that had not waited", all(slow, resent), verdict.Fail},
		{"measured from outside, it had not waited", all(slow, told, with(mark(0, evidence.CPUWaitBegun))), verdict.Fail},
		{"while a new pod was started on its node", all(slow, told, with(another)), verdict.Fail},
		{"while a new pod was started on another", all(slow, told, with(elsewhere)), verdict.Inconclusive},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoSlowReplies())
			row.spoil(&ev)
			if v := judge(t, ev); v.Outcome != row.want {
				t.Errorf("%s: %s\nwant %s", v.Outcome, v.Because, row.want)
			}
		})
	}
}

// Pods that became unready by themselves excuse a finding only if it would have passed had they stayed ready.
func TestExcuseUnready(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const pods = 5
		var names []string
		ev := recording{Run: evidence.Run{OldVersion: "v1", NewVersion: "v2", Unloaded: true}, Events: []evidence.Event{
			mark(0, evidence.LoadBegun), mark(1, evidence.RolloutBegun), mark(90, evidence.OldGone), mark(100, evidence.LoadEnded),
			pod(2, evidence.PodCreated, "v2", "new")}} // without any change there would be nothing to judge
		ev.Run.Expect = []evidence.Expectation{verdict.MinAvailable(rapid.IntRange(1, pods).Draw(t, "least"))}
		for i := range pods {
			names = append(names, "echo-"+strconv.Itoa(i))
			ev.Events = append(ev.Events, pod(0, evidence.PodReady, "v1", names[i]))
		}
		kinds := []evidence.EventKind{evidence.PodUnready, evidence.PodReady, evidence.PodDeleting, evidence.PodGone, evidence.Reported}
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			e := pod(rapid.IntRange(2, 99).Draw(t, "at"), rapid.SampledFrom(kinds).Draw(t, "kind"), "v1", rapid.SampledFrom(names).Draw(t, "pod"))
			e.Reason, e.Message = "Unhealthy", "Readiness probe failed: context deadline exceeded"
			ev.Events = append(ev.Events, e)
		}
		v := mustJudge(t, ev)
		steady := ev
		steady.Events = slices.DeleteFunc(slices.Clone(ev.Events), func(e evidence.Event) bool { return e.Kind == evidence.PodUnready })
		if kept := mustJudge(t, steady); v.Outcome == verdict.Inconclusive && kept.Outcome != verdict.Pass {
			t.Fatalf("%s, and without any pod turning unready: %s", v.Because, kept.Because)
		}
	})
}
