package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
)

// A simNode is a node whose rules are watched: its kubelet serves the log of the observer.
type simNode struct {
	*testing.T
	began   time.Time
	api     *fake.Clientset
	kubelet *kubelet
	sink    *memorySink
	watch   *Watch
}

func newSimNode(t *testing.T) *simNode {
	t.Helper()
	v := &simNode{T: t, began: time.Now(), api: permitting(), kubelet: &kubelet{changed: make(chan struct{}), runs: []*run{{}}},
		sink: newMemorySink()}
	var err error
	if v.watch, err = Start(t.Context(), v.api, Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, v.began,
		v.sink); err != nil {
		t.Fatal(err)
	}
	v.watch.FollowRules("worker", v.kubelet.serve(t).Pods(namespace), "p")
	return v
}

// says: the observer writes lines; a time is @ and how long after the run began it is.
func (v *simNode) says(lines ...string) {
	for _, line := range lines {
		words := strings.Split(line, " ")
		for i, word := range words {
			if after, ok := strings.CutPrefix(word, "@"); ok {
				d, err := time.ParseDuration(after)
				if err != nil {
					v.Fatal(err)
				}
				words[i] = strconv.FormatInt(v.began.Add(d).UnixNano(), 10)
			}
		}
		v.kubelet.change(func() { v.kubelet.runs[0].text += strings.Join(words, " ") + "\n" })
	}
}

// appears: the API shows a pod with an address.
func (v *simNode) appears(name, address string) {
	p := somePod(name, corev1.ConditionTrue)
	p.Status.PodIPs = []corev1.PodIP{{IP: address}}
	if _, err := v.api.CoreV1().Pods(namespace).Create(v.Context(), p, metav1.CreateOptions{}); err != nil {
		v.Fatal(err)
	}
	v.sink.until(v.T, name+" is seen", func() bool {
		return slices.ContainsFunc(v.sink.events, func(e evidence.Event) bool { return e.Kind == evidence.PodCreated && e.By.Pod == name })
	})
}

// leaves: the API shows the pod no more.
func (v *simNode) leaves(name string) {
	if err := v.api.CoreV1().Pods(namespace).Delete(v.Context(), name, metav1.DeleteOptions{}); err != nil {
		v.Fatal(err)
	}
	v.noted(evidence.PodGone)
}

// noted: an event of a kind was noted.
func (v *simNode) noted(kind evidence.EventKind) {
	v.sink.until(v.T, string(kind), func() bool {
		return slices.ContainsFunc(v.sink.events, func(e evidence.Event) bool { return e.Kind == kind })
	})
}

// begun: the first line of the observer was noted.
func (v *simNode) begun() { v.noted(evidence.RulesBegun) }

// A ruleStory is what happens on a node whose rules are observed, and what is noted of it.
type ruleStory struct {
	sentence string
	happens  func(*simNode)
	want     []evidence.Event
	lost     string
}

// The first and the last line of an observer, and the event of the first.
const observerBegins, observerEnds = "R @1ns begin nftables events", "R @9ns end"

var rulesBegun = nodeEvent(evidence.RulesBegun, 1, "", 0, "nftables by events")

func nodeEvent(kind evidence.EventKind, at time.Duration, pod string, count int, detail string) evidence.Event {
	e := evidence.Event{Kind: kind, At: at, Clock: "worker", Object: "worker", Count: count, Detail: detail}
	if pod != "" {
		e.By = evidence.Server{Version: "v1", Pod: pod, Node: "worker"}
	}
	return e
}

func runRuleStories(t *testing.T, stories []ruleStory) {
	for _, tc := range stories {
		t.Run(tc.sentence, func(t *testing.T) {
			t.Parallel()
			v := newSimNode(t)
			tc.happens(v)
			stop(t, v.watch)
			v.sink.mu.Lock()
			defer v.sink.mu.Unlock()
			var got []evidence.Event
			lost := ""
			for _, e := range v.sink.events {
				switch {
				case e.Kind == evidence.RecorderLost && e.Object == "worker":
					lost = e.Detail
				case e.Clock == "worker":
					got = append(got, e)
				}
			}
			if (lost == "") != (tc.lost == "") || !strings.Contains(lost, tc.lost) {
				t.Errorf("lost %q, want %q", lost, tc.lost)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhosePodsRulesAre(t *testing.T) {
	runRuleStories(t, []ruleStory{
		{"rules for the address of a pod are that pod's", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080", "R @3ns gone 10.244.1.2 8080", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, ""), nodeEvent(evidence.RuleGone, 3, "a", 0, "")}, ""},
		{"of rules for several ports of a pod the first and the last count", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080", "R @3ns added 10.244.1.2 9090", "R @4ns gone 10.244.1.2 8080",
				"R @5ns gone 10.244.1.2 9090", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, ""), nodeEvent(evidence.RuleGone, 5, "a", 0, "")}, ""},
		{"a rule that is seen before the pod's address waits for it", func(v *simNode) {
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080")
			v.begun()
			v.appears("a", "10.244.1.2")
			v.says(observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, "")}, ""},
		{"rules for the address of a pod that has left the API are those of another pod that got the address", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080", "R @3ns gone 10.244.1.2 8080")
			v.noted(evidence.RuleGone)
			v.leaves("a")
			v.says("R @4ns added 10.244.1.2 5432", "R @5ns gone 10.244.1.2 5432", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, ""), nodeEvent(evidence.RuleGone, 3, "a", 0, "")}, ""},
		{"that a pod's rules go after it has left the API is still that pod's", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080")
			v.noted(evidence.RuleAdded)
			v.leaves("a")
			v.says("R @3ns gone 10.244.1.2 8080", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, ""), nodeEvent(evidence.RuleGone, 3, "a", 0, "")}, ""},
		{"a new pod of ours that gets the address of one that left has the rules since then", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.244.1.2 8080", "R @3ns gone 10.244.1.2 8080")
			v.noted(evidence.RuleGone)
			v.leaves("a")
			v.says("R @4ns added 10.244.1.2 8080")
			v.appears("b", "10.244.1.2")
			v.says(observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RuleAdded, 2, "a", 0, ""), nodeEvent(evidence.RuleGone, 3, "a", 0, ""),
			nodeEvent(evidence.RuleAdded, 4, "b", 0, "")}, ""},
		{"rules that went before a pod got the address are not that pod's", func(v *simNode) {
			v.says(observerBegins, "R @2ns added 10.244.1.2 5432", "R @3ns gone 10.244.1.2 5432", "R @4ns stolen 1")
			v.noted(evidence.NodeStolen)
			v.appears("a", "10.244.1.2")
			v.says(observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.NodeStolen, 4, "", 1, "")}, ""},
		{"rules for addresses of no pod of ours are somebody else's", func(v *simNode) {
			v.appears("a", "10.244.1.2")
			v.says(observerBegins, "R @2ns added 10.96.0.10 53", observerEnds)
		}, []evidence.Event{rulesBegun}, ""},
	})
}

func TestWhatAnObserverWrites(t *testing.T) {
	runRuleStories(t, []ruleStory{
		{"of the node's load in 10 s, in permille, the highest is kept", func(v *simNode) {
			v.says(observerBegins, "R @5ns load 987 131072 262144", "R @1s load 12 0 0", "R @2s load 988 65536 262144", "R @11s load 3 0 0",
				"R @12s load 2 0 0", "R @13s stolen 7", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.NodeBusy, 2*time.Second, "", 988, ""),
			nodeEvent(evidence.NodeConntrack, 5, "", 500, "131072 of 262144"), nodeEvent(evidence.NodeStolen, 13*time.Second, "", 7, ""),
			nodeEvent(evidence.NodeBusy, 11*time.Second, "", 3, "")}, ""},
		{"a line that makes no sense is told, though others follow it", func(v *simNode) {
			v.says(observerBegins, "R @7ns stolen much", "R @8ns stolen 7", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.NodeStolen, 8, "", 7, "")}, "stolen much\" is not in the observer's format"},
		{"what was not seen is said, with how long and why", func(v *simNode) {
			v.says(observerBegins, "R @60ms blind @7ms rules no look for 53ms", "R @70ms blind @8ms loads read load: refused", "R @71ms end")
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.RulesUnseen, 60*time.Millisecond, "", 53, "no look for 53ms"),
			nodeEvent(evidence.NodeUnseen, 70*time.Millisecond, "", 62, "loads: read load: refused")}, ""},
	})
}

func TestObserversThatAreLost(t *testing.T) {
	runRuleStories(t, []ruleStory{
		{"a broken connection is taken up after the line read last", func(v *simNode) {
			v.kubelet.change(func() {
				v.kubelet.faults = []fault{{after: 40, then: resets}, {status: 500}, {after: 70, then: closes}}
			})
			v.says(observerBegins, "R @2ns load 1 0 0", "R @3ns load 2 0 0", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.NodeBusy, 3, "", 2, "")}, ""},
		{"an observer that cannot work says why", func(v *simNode) {
			v.says("noderules: nftables: listen: operation not permitted: it needs CAP_NET_ADMIN")
			v.kubelet.change(func() { v.kubelet.runs[0].ended = true })
		}, nil, "rules of worker: noderules: nftables: listen: operation not permitted: it needs CAP_NET_ADMIN"},
		{"a node that has not heard of the observer yet is asked again", func(v *simNode) {
			v.kubelet.change(func() { v.kubelet.faults = []fault{{status: 404}} })
			v.says(observerBegins, observerEnds)
		}, []evidence.Event{rulesBegun}, ""},
		{"a kubelet that was started again and has not heard of the observer yet is asked again", func(v *simNode) {
			v.kubelet.change(func() { v.kubelet.faults = []fault{{after: 40, then: resets}, {status: 404}} })
			v.says(observerBegins, "R @2ns load 1 0 0", observerEnds)
		}, []evidence.Event{rulesBegun, nodeEvent(evidence.NodeBusy, 2, "", 1, "")}, ""},
		{"an observer that is removed before its last word may have seen more", func(v *simNode) {
			v.says(observerBegins)
			v.begun()
			v.kubelet.change(func() { v.kubelet.gone = true; v.kubelet.runs[0].ended = true })
		}, []evidence.Event{rulesBegun}, "rules of worker: no such log any more"},
		{"an observer that was killed is started again, and knows nothing of the time between", func(v *simNode) {
			v.says(observerBegins)
			v.begun()
			v.kubelet.change(func() {
				v.kubelet.runs[0].ended = true
				again := fmt.Sprintf("R %d begin nftables events\n", v.began.Add(5).UnixNano())
				v.kubelet.runs = append(v.kubelet.runs, &run{text: again})
			})
			v.until(func(s State) bool { return s.Unobserved["worker"] != nil && len(s.Observed) == 0 })
		}, []evidence.Event{rulesBegun}, "rules of worker: the observer ended without writing its last line, and was started again"},
		{"a line that says nothing could hide a change", func(v *simNode) {
			v.says(observerBegins, "R @2ns gone 10.244.1.2")
			v.kubelet.change(func() { v.kubelet.runs[0].ended = true })
		}, []evidence.Event{rulesBegun}, "is not in the observer's format"},
	})
}

// until waits for a state, and ends the test without it.
func (v *simNode) until(holds func(State) bool) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), timeout)
	defer cancel()
	if err := v.watch.Until(ctx, holds); err != nil {
		v.Fatal(err)
	}
}

func TestTheStateHasTheRulesOfEachNode(t *testing.T) {
	v := newSimNode(t)
	defer stop(t, v.watch)
	v.appears("a", "10.244.1.2")
	v.says("R @1ns begin nftables events", "R @2ns added 10.244.1.2 8080", "R @2ns added 10.96.0.10 53")
	v.until(func(s State) bool {
		return s.Observed["worker"] == "nftables" && len(s.Rules["worker"]) == 1 && s.Rules["worker"][0].Pod == "a" && s.Reaches("v1")
	})
	v.says("R @3ns gone 10.244.1.2 8080")
	v.until(func(s State) bool { return len(s.Rules["worker"]) == 0 && !s.Reaches("v1") })
	v.leaves("a")
	v.says("R @4ns added 10.244.1.2 5432", "R @5ns flows")
	v.until(func(s State) bool {
		_, read := s.Listened["worker"]
		return read && len(s.Rules["worker"]) == 0 && !s.Reaches("v1")
	})
	v.says("R @9ns end")
}

// After an observer was killed, the rules that it saw last do not count as those of the node.
func TestTheRulesOfANodeThatIsNoLongerObservedAreUnknown(t *testing.T) {
	v := newSimNode(t)
	defer stop(t, v.watch)
	v.appears("a", "10.244.1.2")
	v.says("R @1ns begin nftables events", "R @2ns added 10.244.1.2 8080")
	v.until(func(s State) bool { return s.Reaches("v1") })
	v.kubelet.change(func() { v.kubelet.runs[0].ended = true })
	v.until(func(s State) bool {
		return errors.Is(s.Unobserved["worker"], errNoRules) && len(s.Observed) == 0 && !s.Reaches("v1")
	})
}

func TestANodeWithoutKubeProxyIsSaid(t *testing.T) {
	v := newSimNode(t)
	defer stop(t, v.watch)
	v.says("R @1ns none ask kube-proxy for /proxyMode: refused")
	v.until(func(s State) bool {
		return s.Proxyless["worker"] == "ask kube-proxy for /proxyMode: refused" && len(s.Observed) == 0 && len(s.Unobserved) == 0
	})
	v.says("R @9ns end")
}
