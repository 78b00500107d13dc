package timeline_test

import (
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestPodPhase(t *testing.T) {
	events := []evidence.Event{
		pod(10, evidence.PodCreated, "v1", "p"), pod(12, evidence.PodStarted, "v1", "p"), pod(20, evidence.PodReady, "v1", "p"),
		pod(21, evidence.EndpointReady, "v1", "p"), pod(30, evidence.EndpointNotReady, "v1", "p"), pod(32, evidence.EndpointReady, "v1", "p"),
		pod(40, evidence.PodDeleting, "v1", "p"), pod(41, evidence.EndpointNotReady, "v1", "p"), pod(50, evidence.PodSigterm, "v1", "p"),
		pod(51, evidence.PodUnready, "v1", "p"), pod(60, evidence.PodExited, "v1", "p"), pod(62, evidence.EndpointGone, "v1", "p"),
		pod(70, evidence.PodGone, "v1", "p"),
		pod(80, evidence.PodCreated, "v2", "p"),
	}
	tl := join(t, recording(nil, events, fresh("a", "n1")))
	if len(tl.Pods) != 1 {
		t.Fatalf("%d pods of 1", len(tl.Pods))
	}
	for _, row := range []struct {
		at, since int
		want      timeline.PodPhase
	}{
		{9, 0, timeline.PodUnseen}, {10, 10, timeline.PodStarting}, {19, 10, timeline.PodStarting}, {20, 20, timeline.PodServing},
		{30, 30, timeline.PodLeaving}, {32, 32, timeline.PodServing}, {40, 40, timeline.PodDeleting}, {41, 41, timeline.PodLeaving},
		{55, 50, timeline.PodSignaled}, {65, 60, timeline.PodExited}, {75, 70, timeline.PodGone}, {80, 80, timeline.PodStarting},
	} {
		phase, since := tl.PhaseOf(tl.Pods[0], timeline.Hit{Hit: evidence.Hit{Lane: "a", Sent: time.Duration(row.at) * ms}})
		if phase != row.want || since.Length != time.Duration(row.at-row.since)*ms {
			t.Errorf("at %d ms the pod is %q for %s, want %q since %d ms", row.at, phase, since.Length, row.want, row.since)
		}
	}
}

func TestServed(t *testing.T) {
	refused := evidence.Hit{Lane: "a", Sent: 50 * ms, Fault: evidence.Refused}
	answered := evidence.Hit{Lane: "a", Sent: 50 * ms, By: evidence.Server{Version: "v1", Pod: "stays"}}
	leaving := []evidence.Event{pod(1, evidence.PodReady, "v1", "stays"), pod(1, evidence.PodReady, "v1", "leaves"),
		pod(40, evidence.PodDeleting, "v1", "leaves")}
	for _, row := range []struct {
		sentence string
		hit      timeline.Hit
		events   []evidence.Event
		want     string
		source   timeline.PodSource
	}{
		{"the pod that replied", timeline.Hit{Hit: answered}, leaving, "stays", timeline.ByReply},
		{"else the pod that logged it", timeline.Hit{Hit: refused, Arrivals: []evidence.Arrival{{By: evidence.Server{Pod: "stays"}}}}, leaving,
			"stays", timeline.ByLog},
		{"else the pod that its node routed its connection to", timeline.Hit{Hit: refused, Kept: evidence.Server{Pod: "leaves"},
			Routed: timeline.Routed{Routing: timeline.RoutedToPod, Server: evidence.Server{Pod: "stays"}}}, leaving, "stays",
			timeline.ByConntrack},
		{"else the only one that was being deleted", timeline.Hit{Hit: refused}, leaving, "leaves", timeline.ByElimination},
		{"a pod of kube-system that is being deleted too is none of the app", timeline.Hit{Hit: refused}, append(slices.Clone(leaving),
			evidence.Event{At: 45 * ms, Kind: evidence.SystemPodDeleting, By: evidence.Server{Pod: "kube-proxy-x"}, Object: "kube-proxy"}),
			"leaves", timeline.ByElimination},
		{"one that has just gone may be it too", timeline.Hit{Hit: refused}, append(leaving, pod(45, evidence.PodGone, "v1", "leaves")),
			"leaves", timeline.ByElimination},
		{"one that was gone long before cannot", timeline.Hit{Hit: evidence.Hit{Sent: 6 * time.Second, Fault: evidence.Refused}},
			append(leaving, pod(45, evidence.PodGone, "v1", "leaves")), "", timeline.NoSource},
		{"else the pod its keep-alive connection was to", timeline.Hit{Hit: refused, Kept: evidence.Server{Pod: "stays"}}, leaving, "stays",
			timeline.ByConnection},
		{"one that has ended before one that could still answer", timeline.Hit{Hit: refused},
			append(leaving, pod(41, evidence.EndpointGone, "v1", "stays"), pod(42, evidence.PodExited, "v1", "leaves")), "leaves",
			timeline.ByElimination},
		{"of two that had ended neither", timeline.Hit{Hit: refused},
			append(leaving, pod(41, evidence.PodExited, "v1", "stays"), pod(42, evidence.PodExited, "v1", "leaves")), "",
			timeline.NoSource},
		{"of two being deleted neither", timeline.Hit{Hit: refused}, append(leaving, pod(41, evidence.EndpointGone, "v1", "stays")), "",
			timeline.NoSource},
		{"without a pod being deleted, none", timeline.Hit{Hit: refused}, leaving[:2], "", timeline.NoSource},
		{"a pod nobody saw is not known", timeline.Hit{Hit: evidence.Hit{By: evidence.Server{Version: "v1", Pod: "other"}}}, leaving, "",
			timeline.NoSource},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(nil, row.events, fresh("a", "n1")))
			got, source := tl.ServedAccordingTo(row.hit)
			if got.Pod != row.want || source != row.source {
				t.Errorf("served by %q, known %s, want %q, %s", got.Pod, source, row.want, row.source)
			}
			if _, ok := tl.Served(row.hit); ok != (source != timeline.NoSource) {
				t.Errorf("served: %t", ok)
			}
		})
	}
}
