package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// of is a termination without its times.
type of struct {
	Pod, Node     string
	Lost, Certain int
}

func losses(tl timeline.Timeline) (all []of) {
	for _, x := range tl.Terminations() {
		all = append(all, of{x.Pod, x.Node, x.Lost, x.Certain})
	}
	return all
}

func TestTerminations(t *testing.T) {
	rule := func(at int, kind evidence.EventKind, name string) evidence.Event {
		e := pod(at, kind, "v1", name)
		e.Object, e.Clock = "n1", "n1"
		return e
	}
	// Two old pods leave, a from 30 to 50 ms and b from 40 to 70 ms by the rules of the only node.
	ends := []evidence.Event{
		rule(1, evidence.RuleAdded, "a"), rule(1, evidence.RuleAdded, "b"),
		pod(2, evidence.EndpointReady, "v1", "a"), pod(2, evidence.EndpointReady, "v1", "b"),
		pod(30, evidence.PodDeleting, "v1", "a"), pod(32, evidence.EndpointNotReady, "v1", "a"), rule(50, evidence.RuleGone, "a"),
		pod(40, evidence.PodDeleting, "v1", "b"), pod(41, evidence.EndpointNotReady, "v1", "b"), rule(70, evidence.RuleGone, "b"),
		pod(85, evidence.PodGone, "v1", "a"), pod(85, evidence.PodGone, "v1", "b"),
	}
	arrived := func(seq uint64, at string) []evidence.Arrival {
		return []evidence.Arrival{{Lane: "n1-fresh", Seq: seq, At: time.Duration(seq+1) * 10 * ms, By: evidence.Server{Pod: at, Version: "v1"}}}
	}
	for _, row := range []struct {
		sentence string
		hits     string // of n1-fresh, sent at 10, 20, … ms
		arrivals []evidence.Arrival
		events   []evidence.Event // beside those above
		want     []of
		unsure   time.Duration // of the node's clock
	}{
		{"nothing was lost", "1111222222", nil, nil, []of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
		{"a request in one window is that one's", "11122x2222", nil, nil, []of{{"a", "n1", 0, 0}, {"b", "n1", 1, 1}}, 0},
		{"one in two windows may belong to either", "1112x22222", nil, nil, []of{{"a", "n1", 1, 0}, {"b", "n1", 1, 0}}, 0},
		{"one that a pod got is that pod's", "1112x22222", arrived(4, "b"), nil, []of{{"a", "n1", 0, 0}, {"b", "n1", 1, 1}}, 0},
		{"one that another pod got belongs to none", "1112x22222", arrived(4, "c"), nil, []of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
		{"one in no window may belong to any pod that was ending", "1112222x22", nil, nil, []of{{"a", "n1", 1, 0}, {"b", "n1", 1, 0}}, 0},
		{"one that may be in a window or in none certainly belongs to none", "1112222x22", nil, nil,
			[]of{{"a", "n1", 0, 0}, {"b", "n1", 1, 0}}, 10 * ms},
		{"the window begins with the deletion", "11x1222222", nil, nil, []of{{"a", "n1", 1, 1}, {"b", "n1", 0, 0}}, 0},
		{"one before any deletion belongs to none", "1x11222222", nil, nil, []of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
		{"a new pod's deletion is not a termination", "1111222222", nil, []evidence.Event{pod(60, evidence.PodDeleting, "v2", "c")},
			[]of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
		{"nor is one before the rollout", "1111222222", nil, []evidence.Event{pod(10, evidence.PodDeleting, "v1", "z")},
			[]of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
		{"nor one after the last request from the node", "11112", nil, []evidence.Event{pod(60, evidence.PodDeleting, "v1", "z")},
			[]of{{"a", "n1", 0, 0}, {"b", "n1", 0, 0}}, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("n1-fresh", row.hits), append(append(marks(0, 20, 85, 110), ends...), row.events...), fresh("n1-fresh", "n1"))
			r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: row.unsure}}
			if row.arrivals != nil {
				r.Arrivals = row.arrivals
			}
			if diff := cmp.Diff(row.want, losses(join(t, r))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What happened while the agent of a node was away, its clients did not see.
func TestTerminationsWhileAnAgentIsAway(t *testing.T) {
	hits := slices.DeleteFunc(paced("n1-fresh", "1111222222"), func(h evidence.Hit) bool { return h.Seq >= 3 && h.Seq < 5 })
	events := append(marks(0, 20, 85, 110), pod(25, evidence.PodDeleting, "v1", "a"), pod(45, evidence.PodDeleting, "v1", "b"),
		pod(80, evidence.PodGone, "v1", "a"), pod(80, evidence.PodGone, "v1", "b"))
	r := recording(hits, events, fresh("n1-fresh", "n1"))
	r.Run.Absences = []evidence.Absence{{Lane: "n1-fresh", From: 3, To: 5, Since: 40 * ms, Until: 50 * ms}}
	if diff := cmp.Diff([]of{{"a", "n1", 0, 0}}, losses(join(t, r))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where the rules of all nodes were read, each node is an independent sample; elsewhere each pod is.
func TestEnds(t *testing.T) {
	begun := func(node string) evidence.Event { return noted(1, evidence.RulesBegun, node, "") }
	ended := []evidence.Event{pod(30, evidence.PodDeleting, "v1", "a"), pod(40, evidence.PodDeleting, "v1", "b"),
		pod(45, evidence.PodGone, "v1", "a"), pod(80, evidence.PodGone, "v1", "b")}
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		hits     string // of n2-fresh
		want     timeline.Ends
		samples  int
	}{
		{"no pod ended", nil, "1111222222", timeline.Ends{ByNode: true}, 0},
		{"both nodes' rules were read", slices.Concat(ended, []evidence.Event{begun("n1"), begun("n2")}), "1111222222",
			timeline.Ends{Pods: 2, Pairs: 4, ByNode: true}, 4},
		{"one node's rules were not", slices.Concat(ended, []evidence.Event{begun("n1")}), "1111222222", timeline.Ends{Pods: 2, Pairs: 4}, 2},
		{"a request from one node may be lost to either pod", ended, "1111x22222",
			timeline.Ends{Pods: 2, PodsLost: 2, Pairs: 4, PairsLost: 2}, 2},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := append(paced("n1-fresh", "1111222222"), paced("n2-fresh", row.hits)...)
			tl := join(t, recording(hits, append(marks(0, 20, 85, 110), row.events...), fresh("n1-fresh", "n1"), fresh("n2-fresh", "n2")))
			got := tl.Ends()
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n, lost := got.Samples(); n != row.samples || lost > n {
				t.Errorf("%d of %d samples, want %d", lost, n, row.samples)
			}
		})
	}
}

// If no rule was seen, a request may be routed to a pod until staleRouting after it is gone.
func TestTerminationsWithoutRules(t *testing.T) {
	events := append(marks(0, 20, 60, 110), pod(30, evidence.PodDeleting, "v1", "a"), pod(60, evidence.PodGone, "v1", "a"))
	tl := join(t, recording(paced("n1-fresh", "1112222x22"), events, fresh("n1-fresh", "n1")))
	if diff := cmp.Diff([]of{{"a", "n1", 1, 1}}, losses(tl)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if x := tl.Terminations()[0]; x.Observed || x.Margin != nil {
		t.Errorf("%+v says what nobody saw", x)
	}
}

// Requests may be routed to a pod that was never seen to go until the end, whatever the clocks.
func TestTerminationsWithoutEnd(t *testing.T) {
	events := append(marks(0, 20, 60, 110), pod(30, evidence.PodDeleting, "v1", "a"))
	r := recording(paced("n1-fresh", "1112222x22"), events, fresh("n1-fresh", "n1"))
	r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: ms}}
	if diff := cmp.Diff([]of{{"a", "n1", 1, 1}}, losses(join(t, r))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The pod of a keep-alive connection is known.
func TestTerminationsOfKeptConnections(t *testing.T) {
	events := append(marks(0, 20, 80, 110), pod(30, evidence.PodDeleting, "v1", "pod-v1"), pod(35, evidence.PodDeleting, "v1", "other"))
	kept := fresh("n1-reused", "n1")
	kept.Conn = evidence.Reused
	hits := paced("n1-reused", "1111x22222")
	for i := range hits {
		hits[i].LocalPort, hits[i].Reused = 7, i > 0 && i <= 4
	}
	tl := join(t, recording(append(paced("n1-fresh", "1111222222"), hits...), events, fresh("n1-fresh", "n1"), kept))
	if diff := cmp.Diff([]of{{"other", "n1", 0, 0}, {"pod-v1", "n1", 1, 1}}, losses(tl)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A failed request certainly belongs to at most one termination, and no termination certainly lost more than it may have lost.
func TestTerminationsCountEachLossOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outcomes := rapid.StringMatching(`[12x]{20}`).Draw(t, "outcomes")
		events := marks(0, 20, 180, 210)
		for _, name := range []string{"a", "b", "c"} {
			at := rapid.IntRange(20, 150).Draw(t, name)
			gone := pod(at+rapid.IntRange(0, 30).Draw(t, name+" rules"), evidence.RuleGone, "v1", name)
			gone.Object = "n1"
			events = append(events, pod(at, evidence.PodDeleting, "v1", name), gone, pod(at+40, evidence.PodGone, "v1", name))
		}
		tl, err := timeline.Join(recording(paced("n1-fresh", outcomes), events, fresh("n1-fresh", "n1")).evidence())
		if err != nil {
			t.Fatal(err)
		}
		failed, certain, terminations := len(timeline.Failed(tl.Lanes)), 0, tl.Terminations()
		if len(terminations) != 3 {
			t.Fatalf("%d terminations", len(terminations))
		}
		for _, x := range terminations {
			if x.Certain > x.Lost || x.Lost > failed {
				t.Fatalf("%+v of %d that failed", x, failed)
			}
			certain += x.Certain
		}
		if certain > failed {
			t.Fatalf("%d certain of %d that failed", certain, failed)
		}
	})
}
