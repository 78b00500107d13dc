package reports

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

// A recorded rollout whose app sleeps long enough is changed as if something else had happened: for each advice a case that calls for it,
// and a similar one that does not.
func TestAdviceOnMadeRecordings(t *testing.T) {
	const port = "FailedScheduling: 0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. preemption: 0/3"
	const killed = "Killing: Container web failed liveness probe, will be restarted"
	fine := []string{"RC3006", "RC3007"}
	for _, row := range []struct {
		sentence string
		change   func(*testing.T, *evidence.Evidence)
		codes    []string
	}{
		{"as recorded", func(*testing.T, *evidence.Evidence) {}, fine},
		{"a rollout whose losses are only shown", func(_ *testing.T, ev *evidence.Evidence) { ev.Run.Disruption.Unjudged = true }, nil},
		{"a new pod finds no node", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			report(ev, firstCreated, port)
		}, []string{"RC3013"}},
		{"a new pod finds a node after a while", func(_ *testing.T, ev *evidence.Evidence) { report(ev, firstCreated, port) }, fine},
		{"a new pod finds no node, and is deleted again", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			report(ev, firstCreated, port)
			ev.Events = append(ev.Events, evidence.Event{At: firstReady, Kind: evidence.PodDeleting, By: evidence.Server{Version: "d9bd56c9c",
				Pod: "good-d9bd56c9c-vrf5v"}})
		}, nil},
		{"another pod of its name finds no node, and is restarted", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstReady)
			for i, kind := range []evidence.EventKind{evidence.PodDeleting, evidence.PodGone, evidence.PodCreated} {
				ev.Events = append(ev.Events, evidence.Event{At: firstReady + time.Duration(i)*time.Millisecond, Kind: kind,
					By: evidence.Server{Version: "d9bd56c9c", Pod: "good-d9bd56c9c-vrf5v"}})
			}
			report(ev, firstReady+time.Second, port)
			report(ev, firstReady+2*time.Second, killed)
		}, []string{"RC3013", "RC3014"}},
		{"a pod of another app finds no node", func(_ *testing.T, ev *evidence.Evidence) {
			reportOf(ev, "Pod/other-7d9-x2x2x", firstCreated, port)
		}, fine},
		{"another app gets no pod", func(_ *testing.T, ev *evidence.Evidence) {
			reportOf(ev, "ReplicaSet/other-7d9", firstCreated, "FailedCreate: exceeded quota: q")
		}, fine},
		{"a pod of another app is restarted", func(_ *testing.T, ev *evidence.Evidence) {
			reportOf(ev, "Pod/other-7d9-x2x2x", firstCreated, killed)
		}, fine},
		{"an old pod is made anew, and finds no node", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			ev.Events = append(ev.Events, evidence.Event{At: firstReady, Kind: evidence.PodCreated, By: evidence.Server{Version: "84cfcc4f6f",
				Pod: "good-84cfcc4f6f-x2x2x"}})
			reportOf(ev, "Pod/good-84cfcc4f6f-x2x2x", firstReady, port)
		}, nil},
		{"the image of a new pod does not exist", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			report(ev, firstCreated, `Failed: Failed to pull image "web:3": rpc error: code = NotFound desc = web:3: not found`)
		}, []string{"RC3013"}},
		{"the registry of a new pod is away", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			report(ev, firstCreated, `Failed: Failed to pull image "web:3": dial tcp: i/o timeout`)
		}, nil},
		{"the image of a new pod is there at last", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			report(ev, firstCreated, `Failed: Failed to pull image "web:3": rpc error: code = NotFound desc = web:3: not found`)
			report(ev, firstReady, `Pulled: Successfully pulled image "web:3" in 2s`)
		}, nil},
		{"quota refuses the next pod", func(_ *testing.T, ev *evidence.Evidence) {
			stopAt(ev, firstCreated)
			reportOf(ev, "ReplicaSet/good-d9bd56c9c", firstReady, `FailedCreate: Error creating: pods "x" is forbidden: exceeded quota: q`)
		}, []string{"RC3013"}},
		{"quota refuses the next pod for a while", func(_ *testing.T, ev *evidence.Evidence) {
			reportOf(ev, "ReplicaSet/good-d9bd56c9c", firstCreated, `FailedCreate: Error creating: pods "x" is forbidden: exceeded quota: q`)
		}, fine},
		{"a pod is restarted before it is ready", func(_ *testing.T, ev *evidence.Evidence) { report(ev, firstCreated, killed) },
			append(fine, "RC3014")},
		{"a pod is restarted after it was ready", func(_ *testing.T, ev *evidence.Evidence) { report(ev, firstReady, killed) }, fine},
		{"pods go on closing connections that were idle", func(t *testing.T, ev *evidence.Evidence) {
			slowly(ev)
			lose(t, ev, func(h evidence.Hit, ending bool) bool {
				return h.Reused && !ending && h.Seq%4 == 0 && h.Sent > allReady
			}, evidence.Reset)
		}, []string{"RC3015"}},
		{"pods close all connections at once, as one that crashes", func(t *testing.T, ev *evidence.Evidence) {
			slowly(ev)
			lose(t, ev, func(h evidence.Hit, ending bool) bool {
				return h.Reused && !ending && h.Sent > allReady && h.Sent < allReady+2*time.Second
			}, evidence.Reset)
		}, nil},
		{"pods that end close kept connections", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return h.Reused && ending }, evidence.Reset)
		}, []string{"RC3011"}},
		{"pods that end drop what they accepted", func(t *testing.T, ev *evidence.Evidence) {
			ev.Run.UserApp.PreStop = 0
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !h.Reused && ending }, evidence.Reset)
		}, []string{"RC3006", "RC3016"}},
		{"pods that end drop what they accepted just before", func(t *testing.T, ev *evidence.Evidence) {
			ev.Run.UserApp.PreStop = 0
			lose(t, ev, func(h evidence.Hit, ending bool) bool {
				return !h.Reused && !ending && slices.ContainsFunc(ev.Events, func(e evidence.Event) bool {
					return e.Kind == evidence.PodDeleting && e.By.Pod == h.By.Pod && e.At < h.End()+400*time.Millisecond
				})
			}, evidence.Reset)
		}, []string{"RC3006", "RC3016"}},
		{"pods that end drop what they accepted although they slept", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !h.Reused && ending }, evidence.Closed)
		}, []string{"RC3016"}},
		{"pods that end reset what they had not accepted", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !h.Reused && ending }, evidence.Reset)
			hits, _ := ev.Hits.All()
			for i := range hits {
				hits[i].Connect = 0
			}
			ev.Hits = evidence.Hits(hits)
		}, []string{"RC3007"}},
		{"pods that end accept nothing", func(t *testing.T, ev *evidence.Evidence) {
			ev.Run.UserApp.PreStop = 0
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !h.Reused && ending }, evidence.Refused)
		}, fine},
		{"what ready pods ask is ending", func(t *testing.T, ev *evidence.Evidence) {
			other := evidence.Event{At: allReady, Kind: evidence.OtherPodDeleting, By: evidence.Server{Pod: "back-1"}}
			ev.Events = append(ev.Events, other)
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !ending && h.Sent > allReady }, evidence.BadStatus)
		}, []string{"RC3017"}},
		{"ready pods answer badly before anything beside them ends", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !ending && h.Sent > allReady }, evidence.BadStatus)
		}, nil},
		{"what a pod that ends asks has ended before", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(_ evidence.Hit, ending bool) bool { return ending }, evidence.BadStatus)
		}, []string{"RC3004"}},
		{"pods that stay answer 502", func(t *testing.T, ev *evidence.Evidence) {
			lose(t, ev, func(h evidence.Hit, ending bool) bool { return !ending && h.Seq%9 == 0 }, evidence.BadStatus)
		}, []string{"RC3028"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev, err := store.Read(filepath.Join("testdata/advice", "drained"))
			if err != nil {
				t.Fatal(err)
			}
			row.change(t, &ev)
			s := judged(t, ev)
			if diff := cmp.Diff(row.codes, codesIn(s.Advice)); diff != "" {
				t.Errorf("advice (-want +got):\n%s\n%v", diff, s.Advice)
			}
		})
	}
}

// A recorded StatefulSet, whose new pods have the names of the old ones, is changed: its pods do not sleep, and so they lose requests.
func TestAdviceOnAMadeStatefulSet(t *testing.T) {
	ev, err := store.Read("testdata/advice/stateful-set")
	if err != nil {
		t.Fatal(err)
	}
	ev.Run.UserApp.PreStop = 0
	lose(t, &ev, func(h evidence.Hit, ending bool) bool { return !h.Reused && ending }, evidence.Refused)
	want := []string{"RC3006", "RC3007"}
	if diff := cmp.Diff(want, codesIn(judged(t, ev).Advice)); diff != "" {
		t.Errorf("advice (-want +got):\n%s", diff)
	}
}

// The controller of a StatefulSet reports about the set, not about a pod, that it could not create one.
func TestAdviceOnAStatefulSetThatQuotaStops(t *testing.T) {
	const refused = `FailedCreate: create Pod web-2 in StatefulSet web failed error: pods "web-2" is forbidden: exceeded quota: q`
	for _, row := range []struct {
		sentence, object string
		over, advised    bool
	}{
		{sentence: "quota refuses the next pod", object: "StatefulSet/web", advised: true},
		{sentence: "for a while", object: "StatefulSet/web", over: true},
		{sentence: "of another set", object: "StatefulSet/other"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev, err := store.Read("testdata/advice/stateful-set")
			if err != nil {
				t.Fatal(err)
			}
			ev.Run.UserApp.Workload = map[string]any{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": map[string]any{"name": "web"}}
			reportOf(&ev, row.object, allReady, refused)
			if row.over {
				reportOf(&ev, row.object, allReady+time.Second, "SuccessfulCreate: create Pod web-2 in StatefulSet web successful")
			}
			if codes := codesIn(judged(t, ev).Advice); slices.Contains(codes, "RC3013") != row.advised {
				t.Errorf("advice %v", codes)
			}
		})
	}
}

// Moments of the recording: after the first new pod was created, after it was ready, and after the last old one was gone.
const (
	firstCreated = 8450 * time.Millisecond
	firstReady   = 9570 * time.Millisecond
	allReady     = 18 * time.Second
)

func judged(t *testing.T, ev evidence.Evidence) (s model.Scenario) {
	t.Helper()
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	fill(&s, kept.Recording{Run: ev.Run, Timeline: tl, Verdict: verdict.Judge(ev.Run, tl)})
	return s
}

func codesIn(advice []model.Advice) (codes []string) {
	for _, a := range advice {
		codes = append(codes, a.Code)
	}
	return codes
}

// stopAt removes what the cluster did from a moment on.
func stopAt(ev *evidence.Evidence, at time.Duration) {
	var kept []evidence.Event
	for _, e := range ev.Events {
		if e.At < at || e.Kind == evidence.LoadEnded || e.Kind == evidence.NodeBusy {
			kept = append(kept, e)
		}
	}
	ev.Events = kept
}

// report adds an Event about the first new pod.
func report(ev *evidence.Evidence, at time.Duration, text string) {
	reportOf(ev, "Pod/good-d9bd56c9c-vrf5v", at, text)
}

// reportOf adds an Event, whose text is its reason and its message.
func reportOf(ev *evidence.Evidence, object string, at time.Duration, text string) {
	e := evidence.Event{At: at, Kind: evidence.Reported, Object: object, Count: 1}
	e.Reason, e.Message, _ = strings.Cut(text, ": ")
	if name, is := strings.CutPrefix(object, "Pod/"); is {
		e.By = evidence.Server{Version: "d9bd56c9c", Pod: name}
	}
	ev.Events = append(ev.Events, e)
}

// slowly keeps every third request over each kept connection, so that the connection is idle for 2.4 s before each.
func slowly(ev *evidence.Evidence) {
	hits, _ := ev.Hits.All()
	var kept []evidence.Hit
	seen, next := map[uint16]int{}, map[string]uint64{}
	for _, h := range hits {
		if strings.HasSuffix(h.Lane, "-reused") {
			seen[h.LocalPort]++
			if seen[h.LocalPort]%3 != 1 {
				continue
			}
		}
		h.Seq = next[h.Lane]
		next[h.Lane]++
		kept = append(kept, h)
	}
	ev.Hits = evidence.Hits(kept)
}

// lose has those requests to the Service fail for which picks returns true; ending says whether the deletion of their pod had been seen.
func lose(t *testing.T, ev *evidence.Evidence, picks func(h evidence.Hit, ending bool) bool, fault evidence.Fault) {
	t.Helper()
	deleted := map[evidence.Server]time.Duration{}
	for _, e := range ev.Events {
		if e.Kind == evidence.PodDeleting {
			deleted[e.By] = e.At
		}
	}
	lost := map[string]map[uint64]bool{}
	if _, err := timeline.JoinShowing(*ev, func(h evidence.Hit, _ error) {
		at, ends := deleted[h.By]
		if !strings.HasSuffix(h.Lane, "-control") && h.By.Pod != "" && picks(h, ends && h.Sent > at+10*time.Millisecond) {
			if lost[h.Lane] == nil {
				lost[h.Lane] = map[uint64]bool{}
			}
			lost[h.Lane][h.Seq] = true
		}
	}); err != nil {
		t.Fatal(err)
	}
	hits, _ := ev.Hits.All()
	for i := range hits {
		if h := &hits[i]; lost[h.Lane][h.Seq] {
			h.Fault, h.Status = fault, 0
			if fault == evidence.BadStatus {
				h.Status = 502
			}
			if fault == evidence.Refused {
				h.Connect = 0
			}
		}
	}
	ev.Hits = evidence.Hits(hits)
}

// Rollouts of small apps on a real cluster, each with what is wrong with it.
func TestAdviceOnRecordings(t *testing.T) {
	for _, row := range []struct {
		folder string
		codes  []string
		routed model.Routed // of all lanes
	}{
		{"hook-failed", []string{"RC3001", "RC3007"}, model.Routed{Pod: 2410}},
		{"hook-cut", []string{"RC3007", "RC3008"}, model.Routed{Pod: 3345}},
		{"none-available", []string{"RC3002", "RC3006", "RC3016"}, model.Routed{Pod: 2071, Nowhere: 261}},
		{"hook-stops-listening", []string{"RC3005", "RC3007"}, model.Routed{Pod: 2208}},
		{"drained", []string{"RC3006", "RC3007"}, model.Routed{Pod: 2211}},
		{"stateful-set", []string{"RC3006", "RC3007"}, model.Routed{Pod: 3608}},
	} {
		t.Run(row.folder, func(t *testing.T) {
			ev, err := store.Read(filepath.Join("testdata/advice", row.folder))
			if err != nil || len(ev.Damage) > 0 {
				t.Fatal(err, ev.Damage)
			}
			s := judged(t, ev)
			if diff := cmp.Diff(row.codes, codesIn(s.Advice)); diff != "" {
				t.Errorf("advice (-want +got):\n%s\n%v", diff, s.Advice)
			}
			var routed model.Routed
			for _, lane := range s.Lanes {
				if r := lane.Routed; r != nil {
					routed.Pod, routed.Nowhere, routed.Unknown = routed.Pod+r.Pod, routed.Nowhere+r.Nowhere, routed.Unknown+r.Unknown
				}
			}
			if diff := cmp.Diff(row.routed, routed); diff != "" {
				t.Errorf("routed (-want +got):\n%s", diff)
			}
		})
	}
}
