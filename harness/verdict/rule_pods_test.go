package verdict_test

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Rules about when old pods end, and whether a rollout is done.
var podRows = []ruleRow{
	{"old pods are still there when the rollout is said to be done", verdict.OldAtStatus(1), all(created("a"), created("b")),
		verdict.Pass},
	{"fewer old pods are there than expected when the rollout is said to be done", verdict.OldAtStatus(2), all(created("a"), created("b")),
		verdict.Fail},
	{"an old pod whose name has come back is not there, though nobody saw it go", verdict.OldAtStatus(1), createdAs("v2", "b", 880),
		verdict.Fail},
	{"what is told of a pod that is gone does not bring it back", verdict.OldAtStatus(2), with(pod(810, evidence.PodUnready, "v1", "a")),
		verdict.Fail},
	{"old pods whose names have come back since were there", verdict.OldAtStatus(1),
		all(createdAs("v2", "a", 1210), createdAs("v2", "b", 1220)), verdict.Pass},
	{"an expectation of 0 old pods decides nothing", verdict.OldAtStatus(0), created("a"),
		verdict.Inconclusive},
	{"new pods come when the old ones have ended", verdict.OldEndsFirst(), all(exited("a", 700), exited("b", 750), createdAs("v2", "c", 760)),
		verdict.Pass},
	{"a new pod comes before the last old one has ended", verdict.OldEndsFirst(),
		all(exited("a", 700), exited("b", 770), createdAs("v2", "c", 760)),
		verdict.Fail},
	{"an old pod of which no end was seen", verdict.OldEndsFirst(), all(created("b"), exited("a", 700), createdAs("v2", "c", 760)),
		verdict.Inconclusive},
	{"the last old pod is deleted as soon after the first new one is ready as allowed", verdict.VersionsOverlap(0, 400*ms),
		all(with(pod(500, evidence.PodReady, "v2", "c")), with(pod(900, evidence.PodDeleting, "v1", "a"))), verdict.Pass},
	{"the last old pod is deleted too late", verdict.VersionsOverlap(0, 400*ms),
		all(with(pod(500, evidence.PodReady, "v2", "c")), with(pod(901, evidence.PodDeleting, "v1", "a"))), verdict.Fail},
	{"the last old pod is deleted before a new one is ready", verdict.VersionsOverlap(0, 400*ms),
		all(with(pod(900, evidence.PodDeleting, "v1", "a")), func(ev *recording) {
			for i, e := range ev.Events {
				if e.Kind == evidence.PodReady && e.By.Version == "v2" {
					ev.Events[i].At = 901 * ms
				}
			}
		}), verdict.Fail},
	{"an old pod that nobody deletes", verdict.VersionsOverlap(0, 400*ms),
		all(created("d"), with(pod(500, evidence.PodReady, "v2", "c"))), verdict.Inconclusive},
	{"versions that cannot be told apart", verdict.VersionsOverlap(0, 400*ms),
		all(with(pod(500, evidence.PodReady, "v1", "c")), func(ev *recording) { ev.Run.NewVersion = ev.Run.OldVersion }), verdict.Inconclusive},
	{"new pods that cannot be told from old ones", verdict.OldEndsFirst(),
		all(created("a"), created("b"), exited("a", 700), exited("b", 750), func(ev *recording) { ev.Run.NewVersion = ev.Run.OldVersion }),
		verdict.Inconclusive},
	{"a rollout that stands still until its controller is back", verdict.DoneAfter(evidence.DisruptionUndone),
		all(disrupted(""), without(evidence.StatusDone), with(mark(1100, evidence.StatusDone))), verdict.Pass},
	{"a rollout that is done while its controller is away", verdict.DoneAfter(evidence.DisruptionUndone), disrupted(""), verdict.Fail},
	{"a rollout that is done without its scheduler, of which a new pod was created after that was away",
		verdict.DoneAfter(evidence.DisruptionUndone), all(disrupted(""), step(700, "control", "kube-scheduler is away")), verdict.Fail},
	{"a rollout whose new pods were all there before its scheduler was away", verdict.DoneAfter(evidence.DisruptionUndone),
		all(disrupted(""), step(850, "control", "kube-scheduler is away")), verdict.Inconclusive},
	{"a controller that never came back", verdict.DoneAfter(evidence.DisruptionUndone),
		all(disrupted(""), without(evidence.DisruptionUndone)), verdict.Inconclusive},
}

// Rules about facts that steps noted.
var factRows = []ruleRow{
	{"a fact that is one of those expected", verdict.Fact("revisions", "2", "3"), noting("revisions", "1", "3"), verdict.Pass},
	{"a fact that is something else", verdict.Fact("revisions", "2", "3"), noting("revisions", "4"), verdict.Fail},
	{"a fact that nobody found out", verdict.Fact("revisions", "2"), none, verdict.Inconclusive},
	{"a fact without an expectation", verdict.Fact("revisions"), noting("revisions", "4"), verdict.Inconclusive},
	{"a fact that may be anything", verdict.Noted("revisions"), noting("revisions", "4"), verdict.Pass},
	{"a fact that may be anything, and that nobody found out", verdict.Noted("revisions"), none, verdict.Inconclusive},
	{"a duration in its bounds", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6s"),
		verdict.Pass},
	{"a duration out of them", verdict.FactWithin("until SIGTERM", 4*time.Second, 6*time.Second), noting("until SIGTERM", "6.001s"),
		verdict.Fail},
	{"a duration that is none", verdict.FactWithin("until SIGTERM", 0, time.Second), noting("until SIGTERM", "soon"), verdict.Inconclusive},
}

// Rules about the number of pods.
var sizeRows = []ruleRow{
	{"sizes in the order expected, and then others", verdict.Scaling("v2:1", "v1:1"),
		all(scaled(100, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
		verdict.Pass},
	{"sizes in another order", verdict.Scaling("v1:1", "v2:1"), all(scaled(510, "v2", 1), scaled(600, "v1", 1)),
		verdict.Fail},
	{"fewer sizes than expected", verdict.Scaling("v2:1", "v1:1"), scaled(510, "v2", 1), verdict.Fail},
	{"sizes in the order expected, until an autoscaler gives another one", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v1", 1), rescaled(511, 6), scaled(600, "v1", 6), scaled(700, "v2", 2)), verdict.Pass},
	{"an autoscaler whose Event is seen after the new size", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v1", 1), scaled(600, "v1", 6), rescaled(601, 6), scaled(700, "v2", 2)), verdict.Pass},
	{"an autoscaler that gives another size when two ReplicaSets have pods", verdict.Scaling("v1:1", "v2:1", "v1:0"),
		all(scaled(510, "v1", 1), scaled(520, "v2", 1), rescaled(530, 6), scaled(600, "v1", 3), scaled(601, "v2", 3)), verdict.Pass},
	{"an autoscaler that is quicker than the Deployment controller", verdict.Scaling("v1:1", "v2:1"),
		all(rescaled(505, 6), scaled(510, "v1", 6), scaled(700, "v2", 2)), verdict.Inconclusive},
	{"another order before an autoscaler gives another size", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v2", 1), scaled(520, "v1", 1), rescaled(600, 6), scaled(610, "v1", 6)), verdict.Fail},
	{"a wrong step before an autoscaler gives another size", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v1", 1), scaled(520, "v2", 2), rescaled(600, 6), scaled(610, "v1", 6)), verdict.Fail},
	{"a wrong step to what an autoscaler gives much later", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v1", 1), scaled(520, "v2", 4), rescaled(9000, 4)), verdict.Fail},
	{"another order after what an autoscaler gave before the rollout", verdict.Scaling("v1:1", "v2:1"),
		all(rescaled(400, 2), scaled(510, "v2", 1), scaled(520, "v1", 1)), verdict.Fail},
	{"sizes that fell short of those expected, and no autoscaler's", verdict.Scaling("v1:1", "v2:1"),
		all(scaled(510, "v1", 1), rescaled(511, 6)), verdict.Fail},
	{"ReplicaSets ask for as many pods as allowed", verdict.MaxActive(3),
		all(scaled(0, "v1", 2), scaled(510, "v2", 1), scaled(600, "v1", 1), scaled(700, "v2", 2)),
		verdict.Pass},
	{"ReplicaSets ask for too many pods", verdict.MaxActive(2), all(scaled(0, "v1", 2), scaled(510, "v2", 1)), verdict.Fail},
	{"ReplicaSets that nobody saw", verdict.MaxActive(2), none, verdict.Inconclusive},
	{"ReplicaSets that were given no size by the rollout", verdict.MaxActive(2), scaled(100, "v1", 2),
		verdict.Inconclusive},
	{"enough pods were available", verdict.MinAvailable(2), none,
		verdict.Pass},
	{"too few pods were available", verdict.MinAvailable(3), none,
		verdict.Fail},
	{"a deleting pod is not available", verdict.MinAvailable(2), with(pod(550, evidence.PodDeleting, "v1", "a")),
		verdict.Fail},
	{"without pod events capacity is unknown", verdict.MinAvailable(1),
		all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
		verdict.Inconclusive},
	{"an expectation of 0 pods decides nothing", verdict.MinAvailable(0), none,
		verdict.Inconclusive},
	{"as many pods as before, since none changed", verdict.MinAvailable(2),
		keeping(nil, func(e evidence.Event) bool { return e.By.Pod == "" || e.At == 0 }),
		verdict.Inconclusive},
	{"few enough pods", verdict.MaxPods(3), none,
		verdict.Pass},
	{"terminating pods count", verdict.MaxPods(2), none,
		verdict.Fail},
	{"a limit of 0 pods decides nothing", verdict.MaxPods(0), none,
		verdict.Inconclusive},
	{"unknown pods cannot be too many", verdict.MaxPods(1),
		all(without(evidence.PodReady), without(evidence.PodGone), without(evidence.PodDeleting)),
		verdict.Inconclusive},
	{"a rule of a newer build decides nothing", evidence.Expectation{Rule: "no-sorrow"}, none,
		verdict.Inconclusive},
}

func drawPodRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of pods")
	if r.chance(80) {
		d.add(evidence.Event{At: r.at(d.begun, d.ended), Kind: evidence.Fact, Object: "thing",
			Detail: []string{"a", "b", "3", "1.5s", "17 of 20"}[r.pick(5)]})
	}
	return []evidence.Expectation{
		verdict.MinAvailable(1 + r.pick(5)), verdict.MaxPods(1 + r.pick(10)), verdict.Scaling(drawSizes(d, r)...),
		verdict.MaxActive(1 + r.pick(6)),
		verdict.OldAtStatus(1 + r.pick(3)), verdict.OldEndsFirst(), verdict.VersionsOverlap(-r.lasts(), r.lasts()),
		verdict.DoneAfter(evidence.DisruptionUndone), verdict.SomethingChanged(), verdict.Fact("thing", "a", "3"),
		verdict.CutAsPredicted([]evidence.Length{"fixed:3ms", "uniform:1ms:2s", "exponential:200ms"}[r.pick(3)], r.at(0, 1000), r.pick(2)),
		verdict.FactAtLeast("thing", r.pick(20)), verdict.FactWithin("thing", time.Second, time.Second+r.lasts()), verdict.Noted("thing"),
	}
}

// drawSizes draws sizes that ReplicaSets were given, and an autoscaler that interferes. It returns the sizes that are expected, which may
// be others.
func drawSizes(d *drawing, r random) (sizes []string) {
	for i := range r.pick(5) {
		version, size := []string{"v1", "v2"}[r.pick(2)], r.pick(4)
		d.add(evidence.Event{At: time.Duration(d.begun+10+i*100) * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-" + version,
			Detail: version, Count: size})
		sizes = append(sizes, fmt.Sprintf("%s:%d", version, size))
	}
	if r.chance(20) {
		d.add(evidence.Event{At: r.at(d.begun, d.ended), Kind: evidence.Reported, Object: "HorizontalPodAutoscaler/echo",
			Reason: "SuccessfulRescale", Message: fmt.Sprintf("New size: %d; reason: x", r.pick(4))})
	}
	if len(sizes) > 1 && r.chance(30) {
		sizes = sizes[:len(sizes)-1]
	}
	if r.chance(20) {
		sizes = append(sizes, "v2:9")
	}
	return sizes
}
