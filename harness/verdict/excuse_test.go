package verdict_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

func TestExcuseStarved(t *testing.T) {
	timeout := func(at int) edit {
		e := pod(at, evidence.Reported, "v2", "c")
		e.Detail = "Unhealthy: Readiness probe failed: context deadline exceeded"
		return with(e)
	}
	stopping := func(at int) edit {
		e := pod(at, evidence.Reported, "v1", "b")
		e.Detail = "Killing: Stopping container echo"
		return with(e)
	}
	killing := pod(1500, evidence.Reported, "v1", "z")
	killing.Detail = "Killing: Stopping container echo"
	stoppedLate := all(with(pod(100, evidence.PodReady, "v1", "z")), with(pod(500, evidence.PodDeleting, "v1", "z")), with(killing)) // by 1 s
	noted := with(evidence.Event{At: 1900 * ms, Kind: evidence.Fact, Object: "until done", Detail: "800ms"})
	told := verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 100*ms)
	late := all(sigterm("a", 710), sigterm("b", 1000))
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		want     verdict.Outcome
		because  string
	}{
		{"a fact that took too long while a probe timed out", verdict.FactWithin("until done", 0, 700*ms), all(noted, timeout(1200)),
			verdict.Inconclusive, "until done: 0.800s, expected 0.000s to 0.700s, but a kubelet was starved: its probe of c timed out at 1.200s"},
		{"a fact that took too long after a probe had timed out", verdict.FactWithin("until done", 0, 700*ms), all(noted, timeout(1099)),
			verdict.Fail, "until done: 0.800s, expected 0.000s to 0.700s"},
		{"a fact that took too long by as much as a kubelet was late", verdict.FactWithin("until done", 0, 700*ms),
			all(noted, stoppedLate), verdict.Inconclusive,
			"until done: 0.800s, expected 0.000s to 0.700s, but a kubelet was starved: it began to stop z 1.000s after its deletion, at 1.500s"},
		{"a fact that took too long by more than a kubelet was late", verdict.FactWithin("until done", 0, 700*ms),
			all(with(evidence.Event{At: 2700 * ms, Kind: evidence.Fact, Object: "until done", Detail: "1.8s"}), stoppedLate),
			verdict.Fail, "until done: 1.800s, expected 0.000s to 0.700s"},
		{"a fact that took too short a time", verdict.FactWithin("until done", time.Second, 2*time.Second), all(noted, timeout(1200)),
			verdict.Fail, "until done: 0.800s, expected 1.000s to 2.000s"},
		{"a kubelet that told that it began later than the deletion was seen", told, all(late, stopping(900)),
			verdict.Pass, "pod-sigterm came 0.010s to 0.150s after pod-deleting of 2 pods, expected 0.000s to 0.100s" +
				"; the kubelet began to stop b 0.100s before pod-sigterm"},
		{"a kubelet that took too long from then, too", told, all(late, stopping(899)),
			verdict.Fail, "pod-sigterm came 0.010s to 0.150s after pod-deleting of 2 pods, expected 0.000s to 0.100s"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			row.spoil(&ev)
			v := judge(t, ev)
			if v.Outcome != row.want || v.Because != row.because || v.Starved != (row.want == verdict.Inconclusive) {
				t.Errorf("%s, starved %v: %s\nwant %s: %s", v.Outcome, v.Starved, v.Because, row.want, row.because)
			}
		})
	}
}

// With the pods ready all along that turned unready by themselves, as many are available as expected, or that is no excuse.
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
			e.Detail = "Unhealthy: Readiness probe failed: context deadline exceeded"
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
