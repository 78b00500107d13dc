package timeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestSteps(t *testing.T) {
	ready, unready := noted(1, evidence.NodeReady, "n1", ""), noted(40, evidence.NodeUnready, "n1", "")
	answered := func(at, took int) evidence.Event {
		return evidence.Event{At: time.Duration(at) * time.Second, Kind: evidence.APIAnswered, Count: took}
	}
	certificate := func(at, count int, which string) evidence.Event {
		return evidence.Event{At: time.Duration(at) * ms, Kind: evidence.CertificateSeen, Object: "a", Count: count, Detail: which}
	}
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     []string
	}{
		{"a node that stays ready makes no step", []evidence.Event{ready, noted(50, evidence.NodeReady, "n1", "")}, nil},
		{"maintenance notes a step, of a node or of the cluster", []evidence.Event{noted(30, evidence.Step, "n1", "drain"),
			noted(60, evidence.Step, "", "kubeadm upgrade apply v1.37.1"), noted(70, evidence.Step, "n1", "")},
			[]string{"30ms n1: drain", "60ms kubeadm upgrade apply v1.37.1", "70ms n1: a step"}},
		{"a step counts that was noted before the load", []evidence.Event{noted(5, evidence.Step, "n1", "drain")}, []string{"5ms n1: drain"}},
		{"a disruption begins and is undone; that the cluster is whole is not a step", []evidence.Event{
			noted(30, evidence.DisruptionBegun, "", "drain of n1"), noted(40, evidence.DisruptionUndone, "", ""),
			noted(50, evidence.ClusterWhole, "", "")},
			[]string{"30ms drain of n1", "40ms undone"}},
		{"a node is not ready, and ready again", []evidence.Event{ready, unready, noted(60, evidence.NodeReady, "n1", "")},
			[]string{"40ms n1: not ready", "60ms n1: ready again"}},
		{"that a node was not ready is said once", []evidence.Event{ready, unready, noted(45, evidence.NodeUnready, "n1", "")},
			[]string{"40ms n1: not ready"}},
		{"a node is removed and another of its name joins", []evidence.Event{ready, noted(40, evidence.NodeUnready, "n1", "deleted"),
			noted(50, evidence.NodeUnready, "n1", ""), noted(60, evidence.NodeReady, "n1", "")},
			[]string{"40ms n1: removed", "50ms n1: joined, not ready", "60ms n1: ready again"}},
		{"a node joins", []evidence.Event{noted(40, evidence.NodeReady, "n2", "")}, []string{"40ms n2: joined"}},
		{"a node is cordoned, boots with another kubelet and is opened", []evidence.Event{noted(30, evidence.NodeCordoned, "n1", ""),
			noted(40, evidence.NodeChanged, "n1", "booted"), noted(41, evidence.NodeChanged, "n1", "kubelet v1.37.2"),
			noted(50, evidence.NodeOpened, "n1", "")},
			[]string{"30ms n1: cordoned", "40ms n1: booted", "41ms n1: kubelet v1.37.2", "50ms n1: uncordoned"}},
		{"a change before the load is none",
			[]evidence.Event{noted(2, evidence.NodeCordoned, "n1", ""), noted(3, evidence.NodeUnready, "n2", "")}, nil},
		{"a change after the load is none", []evidence.Event{ready, noted(100_000, evidence.NodeUnready, "n1", "")}, nil},
		{"a silent API server is one from when it was asked, and the watch that was blind meanwhile is the same",
			[]evidence.Event{answered(15, 5200), {At: 15000*ms + 1, Kind: evidence.WatchGap, Detail: "the API server did not answer for 5.2 s"},
				noted(12_000, evidence.Step, "", "etcd")},
			[]string{"9.8s the API server was silent for 5.2 s", "12s etcd"}},
		{"another certificate, on whichever lane first, and each way in which TLS fails", []evidence.Event{certificate(15, 1, "old"),
			certificate(30, 2, "new"), certificate(35, 2, "new"), certificate(40, 1, "of another URL"), noted(50, evidence.TLSFailed, "a", "alert"),
			noted(60, evidence.TLSFailed, "b", "alert")},
			[]string{"30ms another certificate on a: new", "50ms TLS failed on a: alert"}},
		{"a busy API server is none", []evidence.Event{answered(15, 2000)}, nil},
		{"a watch is blind while the API server answers", []evidence.Event{answered(15, 5200), noted(20_000, evidence.WatchGap, "", "it broke")},
			[]string{"9.8s the API server was silent for 5.2 s", "20s the API's watch was blind: it broke"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var got []string
			for _, s := range join(t, recording(nil, append(row.events, marks(10, 20, 80_000, 90_000)...))).Steps() {
				got = append(got, fmt.Sprint(s.At, " ", s))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodeHistories(t *testing.T) {
	lasts := timeline.Window{From: 70 * ms, To: 1<<63 - 1}
	events := []evidence.Event{
		noted(1, evidence.NodeReady, "n1", ""), noted(1, evidence.NodeReady, "n2", ""), noted(1, evidence.NodeReady, "n3", ""),
		noted(20, evidence.NodeCordoned, "n1", ""), noted(30, evidence.NodeUnready, "n1", ""), noted(40, evidence.NodeChanged, "n1", "booted"),
		noted(50, evidence.NodeReady, "n1", ""), noted(60, evidence.NodeOpened, "n1", ""), noted(70, evidence.NodeUnready, "n1", ""),
		noted(20, evidence.NodeCordoned, "n3", ""), noted(70, evidence.NodeUnready, "n3", "deleted"),
	}
	want := []timeline.NodeHistory{
		{Node: "n1", Unready: []timeline.Window{{From: 30 * ms, To: 50 * ms}, lasts}, Cordoned: []timeline.Window{{From: 20 * ms, To: 60 * ms}},
			Changes: []timeline.Step{{Time: timeline.Time{At: 40 * ms}, Kind: evidence.NodeChanged, Node: "n1", What: "booted"}}},
		{Node: "n2"},
		{Node: "n3", Unready: []timeline.Window{lasts}, Cordoned: []timeline.Window{{From: 20 * ms, To: 70 * ms}}},
	}
	got := join(t, recording(nil, events)).NodeHistories()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	for i, eventful := range []bool{true, false, true} {
		if got[i].Eventful() != eventful {
			t.Errorf("something happened to %s: %t", got[i].Node, got[i].Eventful())
		}
	}
}
