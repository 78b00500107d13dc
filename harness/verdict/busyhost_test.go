package verdict_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// at returns a time of a recording in seconds, as the sentences about it write it.
func at(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// The edits below change the first event of a kind since a moment, about the pod whose name ends with a text.
func moved(kind evidence.EventKind, pod, says string, from, to float64) edit {
	return changing(kind, pod, says, from, func(e *evidence.Event) { e.At = at(to) })
}

func dropped(kind evidence.EventKind, pod, says string, from float64) edit {
	return changing(kind, pod, says, from, func(e *evidence.Event) { *e = evidence.Event{At: e.At, Kind: evidence.APIAnswered} })
}

func saying(pod, says string, from float64, text string) edit {
	return changing(evidence.Reported, pod, says, from, func(e *evidence.Event) { e.Reason, e.Message, _ = strings.Cut(text, ": ") })
}

func renoted(fact, value string) edit {
	return func(ev *recording) {
		i := slices.IndexFunc(ev.Events, func(e evidence.Event) bool { return e.Object == fact })
		ev.Events[i].Detail = value
	}
}

func changing(kind evidence.EventKind, pod, says string, from float64, change func(*evidence.Event)) edit {
	return func(ev *recording) {
		i := slices.IndexFunc(ev.Events, func(e evidence.Event) bool {
			return e.Kind == kind && strings.HasSuffix(e.By.Pod, pod) && strings.HasPrefix(e.Reason+": "+e.Message, says) && e.At >= at(from)
		})
		if i < 0 {
			panic("the recording has no such event")
		}
		change(&ev.Events[i])
	}
}

// deleted adds the deletion of one more pod, with or without a new size of its ReplicaSet.
func deleted(when float64, pod string) edit {
	return with(evidence.Event{At: at(when), Kind: evidence.PodDeleting, By: evidence.Server{Version: "v2", Pod: pod}})
}

func sized(when float64, set, version string, size int) edit {
	return with(evidence.Event{At: at(when), Kind: evidence.ReplicaSetScaled, Object: set, Detail: version, Count: size})
}

// Two recordings of healthy clusters on a host with a load average of 58, and the same with one thing changed. They did not measure
// waits, so that other signs have to show them.
func TestExcusesOnRecordedFolders(t *testing.T) {
	const (
		oldSet, newSet = "echo-845db64b65", "echo-ff58b6fdf"
		timeout        = `Unhealthy: Readiness probe failed: Get "http://10.244.2.175:8080/ready": context`
		available      = "pods available while no new pod gets ready"
	)
	atOnce := moved(evidence.Reported, "echo", "Killing", 14, 14.15)
	measured := with(evidence.Event{At: at(1), Kind: evidence.CPUWaitBegun})
	for _, row := range []struct {
		folder, sentence string
		change           edit
		want             verdict.Outcome
	}{
		{"fenceposts-twelve", "a pod that nobody had deleted was unready after its probe had timed out", all(), verdict.Inconclusive},
		{"fenceposts-twelve", "nobody waited, as was measured", measured, verdict.Fail},
		{"fenceposts-twelve", "it was not ready again, but its probe is said to have failed", dropped(evidence.PodReady, "8kjn8", "", 128),
			verdict.Inconclusive},
		{"fenceposts-twelve", "it was ready again, and nothing is said about its probe", dropped(evidence.Reported, "8kjn8", timeout, 100),
			verdict.Fail},
		{"fenceposts-twelve", "it was not ready again, and nothing is said about its probe",
			all(dropped(evidence.PodReady, "8kjn8", "", 128), dropped(evidence.Reported, "8kjn8", timeout, 100)), verdict.Fail},
		{"fenceposts-twelve", "it was deleted before", deleted(128.066, newSet+"-8kjn8"), verdict.Fail},
		{"fenceposts-twelve", "another is deleted while it is not ready", deleted(128.2, newSet+"-xzzdd"), verdict.Fail},
		{"fenceposts-twelve", "the ReplicaSet was given a smaller size while it was not ready",
			all(sized(128.1, newSet, "v2", 11), deleted(128.2, newSet+"-xzzdd")), verdict.Fail},
		{"fenceposts-twelve", "another is deleted before, and was one too many already", deleted(123, newSet+"-xzzdd"), verdict.Fail},
		{"fenceposts-twelve", "four old pods are deleted at the beginning instead of three",
			all(sized(53.2, oldSet, "v1", 8), deleted(53.3, oldSet+"-xxdht")), verdict.Fail},
		{"fenceposts-twelve", "the Deployment says so when the pod has long been ready again", renoted(available, "8"), verdict.Fail},
		{"fenceposts-twelve", "the Deployment says so, as a pod is not ready then, whose probe was answered",
			all(renoted(available, "8"), unready(143, 144, newSet+"-xzzdd")), verdict.Fail},
		{"fenceposts-twelve", "the Deployment says fewer than that explains",
			all(renoted(available, "7"), unready(143, 144, newSet+"-xzzdd")), verdict.Fail},
		{"fenceposts-twelve", "more is asked for than allowed, however many are not ready", sized(128.1, newSet, "v2", 15), verdict.Fail},

		{"grace-filled", "a kubelet began 1.5 s late", all(), verdict.Inconclusive},
		{"grace-filled", "it did not wait, as was measured", measured, verdict.Fail},
		{"grace-filled", "a kubelet that began at once, and let the app have more than its grace", atOnce, verdict.Fail},
		{"grace-filled", "it began less late than it looks after its containers", moved(evidence.Reported, "echo", "Killing", 14, 15.1),
			verdict.Fail},
		{"grace-filled", "it did not say when it began", dropped(evidence.Reported, "echo", "Killing", 14), verdict.Fail},
		{"grace-filled", "it began late, and the app did not get its 2 s", moved(evidence.PodGone, "echo", "", 31, 22.5), verdict.Fail},
		{"grace-filled", "another pod's probe timed out on the node meanwhile",
			all(atOnce, probed(27, "other", "rollcall-nftables-worker")), verdict.Inconclusive},
		{"grace-filled", "a probe timed out on another node",
			all(atOnce, probed(25, "other", "rollcall-nftables-worker2")), verdict.Fail},
		{"grace-filled", "a probe timed out before",
			all(atOnce, probed(12, "other", "rollcall-nftables-worker")), verdict.Fail},
		{"grace-filled", "the pod's own probe timed out, as its network had gone", all(atOnce, saying("echo", "Unhealthy", 25, timeout)),
			verdict.Fail},
	} {
		t.Run(row.folder+": "+row.sentence, func(t *testing.T) {
			ev, err := store.Read(filepath.Join("testdata", "recorded", row.folder))
			if err != nil || len(ev.Damage) > 0 {
				t.Fatal(err, ev.Damage)
			}
			changed := recording{Run: ev.Run, Arrivals: []evidence.Arrival{}, Events: ev.Events}
			row.change(&changed)
			v := judge(t, changed)
			if v.Outcome != row.want || row.want == verdict.Inconclusive && v.Retry != verdict.FewerJobs {
				t.Errorf("%s, retry %v: %s\nwant %s", v.Outcome, v.Retry, v.Because, row.want)
			}
		})
	}
}

// The clients of a recording gave up 50 requests after 2 s, while the pod of each got no processor for as long; and the same without that.
func TestTimeoutsOfAPodThatWaited(t *testing.T) {
	const pod = "lsphc" // the end of its name
	for _, row := range []struct {
		sentence string
		change   func(*evidence.Event)
		want     verdict.Outcome
	}{
		{"as recorded", func(*evidence.Event) {}, verdict.Inconclusive},
		{"the pod did not wait", func(e *evidence.Event) { e.Count = 0 }, verdict.Fail},
		{"another pod waited", func(e *evidence.Event) { e.By.Pod = "other" }, verdict.Fail},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev, err := store.Read(filepath.Join("testdata", "recorded", "timeouts-excused"))
			if err != nil || len(ev.Damage) > 0 {
				t.Fatal(err, ev.Damage)
			}
			for i, e := range ev.Events {
				if e.Kind == evidence.CPUWait && strings.HasSuffix(e.By.Pod, pod) {
					row.change(&ev.Events[i])
				}
			}
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			if v.Outcome != row.want || (v.Retry == verdict.FewerJobs) != (row.want == verdict.Inconclusive) {
				t.Errorf("%s, retry %v: %s\nwant %s", v.Outcome, v.Retry, v.Because, row.want)
			}
		})
	}
}

func unready(from, to float64, pod string) edit {
	by := evidence.Server{Version: "v2", Pod: pod}
	return all(with(evidence.Event{At: at(from), Kind: evidence.PodUnready, By: by}),
		with(evidence.Event{At: at(to), Kind: evidence.PodReady, By: by}))
}

// probed adds a pod that serves on a node and whose probe timed out.
func probed(when float64, pod, node string) edit {
	by := evidence.Server{Version: "v1", Pod: pod, Node: node}
	timeout := evidence.Event{At: at(when), Kind: evidence.Reported, By: by}
	timeout.Reason, timeout.Message = "Unhealthy", "Readiness probe failed: context deadline exceeded"
	return all(with(evidence.Event{At: at(11), Kind: evidence.PodReady, By: by}), with(timeout))
}
