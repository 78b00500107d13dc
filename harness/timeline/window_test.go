package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestMixedWindow(t *testing.T) {
	for _, row := range []struct {
		sentence string
		outcomes string
		want     timeline.Window
		ok       bool
	}{
		{"from the first new reply to the last old one", "112121122", timeline.Window{From: 32 * ms, To: 72 * ms}, true},
		{"a clean cut has no length", "1122", timeline.Window{From: 32 * ms, To: 32 * ms}, true},
		{"without a new reply there is none", "11x1", timeline.Window{}, false},
		{"without an old reply there is none", "2222", timeline.Window{}, false},
		{"without any reply there is none", "xx", timeline.Window{}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(paced("a", row.outcomes), nil, fresh("a", "n1")))
			got, ok := tl.MixedWindow(tl.ServiceLanes())
			if got != row.want || ok != row.ok {
				t.Errorf("mixed window %v %t, want %v %t", got, ok, row.want, row.ok)
			}
		})
	}
}

func TestMixedWindowIgnoresTheControlLane(t *testing.T) {
	control := evidence.Lane{ID: "control", Vantage: evidence.FromControl}
	hits := append(paced("a", "1122"), paced("control", "111111")...)
	tl := join(t, recording(hits, nil, fresh("a", "n1"), control))
	got, ok := tl.MixedWindow(tl.ServiceLanes())
	if want := (timeline.Window{From: 32 * ms, To: 32 * ms}); got != want || !ok {
		t.Errorf("mixed window %v %t, want %v", got, ok, want)
	}
}

func TestStatusGap(t *testing.T) {
	done := []evidence.Event{{At: 25 * ms, Kind: evidence.StatusDone}}
	for _, row := range []struct {
		sentence string
		outcomes string
		events   []evidence.Event
		want     time.Duration
		ok       bool
	}{
		{"old replies after success are a gap", "11212", done, 17 * ms, true},
		{"old replies that ended before are a negative one", "1222", done, -13 * ms, true},
		{"without the mark there is none", "11212", nil, 0, false},
		{"without an old reply there is none", "2222", done, 0, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(paced("a", row.outcomes), row.events, fresh("a", "n1")))
			got, ok := tl.StatusGap(tl.ServiceLanes()...)
			if got.Length != row.want || got.Uncertainty != 0 || ok != row.ok {
				t.Errorf("status gap %v %t, want %s %t", got, ok, row.want, row.ok)
			}
		})
	}
}

func TestMixedWindowOfOneVersion(t *testing.T) {
	ev := recording(paced("a", "1111"), []evidence.Event{{Kind: evidence.StatusDone}}, fresh("a", "n1"))
	ev.Run.NewVersion = "v1"
	tl := join(t, ev)
	if w, ok := tl.MixedWindow(tl.ServiceLanes()); ok {
		t.Errorf("mixed window %v", w)
	}
	if gap, ok := tl.StatusGap(tl.ServiceLanes()...); ok {
		t.Errorf("status gap %v", gap)
	}
}

func TestDrainLags(t *testing.T) {
	host := fresh("a", "")
	host.Vantage = evidence.FromHost
	reused := fresh("a", "n1")
	reused.Conn = evidence.Reused
	rollout := marks(0, 20, 80, 100)
	for _, row := range []struct {
		sentence string
		hits     []evidence.Hit
		lane     evidence.Lane
		events   []evidence.Event
		want     []timeline.PodLag
	}{
		{"the last hit after the endpoint left ready counts", paced("a", "1112121222"), fresh("a", "n1"),
			[]evidence.Event{pod(25, evidence.EndpointNotReady, "v1", "pod-v1"), pod(60, evidence.EndpointGone, "v1", "pod-v1")},
			[]timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: 45 * ms}}}},
		{"an endpoint that goes without being not-ready first has left too", paced("a", "1112"), fresh("a", "n1"),
			[]evidence.Event{pod(25, evidence.EndpointGone, "v1", "pod-v1")},
			[]timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: 5 * ms}}}},
		{"no hit after it left: no lag", paced("a", "1122"), fresh("a", "n1"),
			[]evidence.Event{pod(25, evidence.EndpointGone, "v1", "pod-v1")}, nil},
		{"an endpoint that came back has not left", paced("a", "1111"), fresh("a", "n1"),
			[]evidence.Event{pod(25, evidence.EndpointNotReady, "v1", "pod-v1"), pod(30, evidence.EndpointReady, "v1", "pod-v1")}, nil},
		{"an endpoint not ready before the rollout has not left because of it", paced("a", "1111"), fresh("a", "n1"),
			[]evidence.Event{pod(15, evidence.EndpointNotReady, "v1", "pod-v1")}, nil},
		{"a reused connection may stay and is not a lag", paced("a", "1111"), reused,
			[]evidence.Event{pod(25, evidence.EndpointGone, "v1", "pod-v1")}, nil},
		{"the host has no kube-proxy of its own to lag", paced("a", "1111"), host,
			[]evidence.Event{pod(25, evidence.EndpointGone, "v1", "pod-v1")}, nil},
		{"a new pod is not drained", paced("a", "2222"), fresh("a", "n1"),
			[]evidence.Event{pod(25, evidence.EndpointGone, "v2", "pod-v2")}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(row.hits, append(row.events, rollout...), row.lane))
			if diff := cmp.Diff(row.want, tl.DrainLags()); diff != "" {
				t.Errorf("drain lags (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDrainLagsAreByNode(t *testing.T) {
	hits := slices.Concat(paced("a", "11112"), paced("b", "11122"), paced("c", "11122"))
	events := append(marks(0, 20, 80, 100), pod(25, evidence.EndpointGone, "v1", "pod-v1"))
	want := []timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: 15 * ms}},
		{Pod: "pod-v1", Node: "n2", Lag: timeline.Elapsed{Length: 5 * ms}}}
	if diff := cmp.Diff(want, join(t, recording(hits, events, fresh("a", "n1"), fresh("b", "n2"), fresh("c", "n1"))).DrainLags()); diff != "" {
		t.Errorf("drain lags (-want +got):\n%s", diff)
	}
}
