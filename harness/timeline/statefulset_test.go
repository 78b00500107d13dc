package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A StatefulSet reuses the name of an old pod, and events of the old pod do not count for the new one: echo-0 leaves the endpoints at
// 32 ms, gets SIGTERM at 34 and ends at 38, and another pod of its name is created at 45. The only node looks at its rules until 90 ms.
func TestLagsOfANameThatComesBack(t *testing.T) {
	const name = "echo-0"
	rule := func(at int, kind evidence.EventKind, version string) evidence.Event {
		e := pod(at, kind, version, name)
		e.Object, e.Clock = "n1", "n1"
		return e
	}
	ends := []evidence.Event{pod(2, evidence.EndpointReady, "v1", "echo-1"), pod(2, evidence.EndpointReady, "v1", name),
		rule(3, evidence.RuleAdded, "v1"), pod(30, evidence.PodDeleting, "v1", name), pod(34, evidence.PodSigterm, "v1", name),
		pod(38, evidence.PodExited, "v1", name), pod(42, evidence.PodGone, "v1", name), {At: 90 * ms, Kind: evidence.NodeBusy, Object: "n1"}}
	anew := func(version string) []evidence.Event {
		return []evidence.Event{pod(32, evidence.EndpointNotReady, "v1", name), pod(45, evidence.PodCreated, version, name),
			pod(48, evidence.PodStarted, version, name), pod(52, evidence.PodReady, version, name),
			pod(54, evidence.EndpointReady, version, name), rule(57, evidence.RuleAdded, version)}
	}
	reached := func(version string) func(*streams) { // by the request of 60 ms
		return func(s *streams) {
			s.Arrivals = []evidence.Arrival{{Lane: "n1-fresh", Seq: 5, At: 60 * ms, By: evidence.Server{Version: version, Pod: name}}}
		}
	}
	gone := append(anew("v2"), rule(36, evidence.RuleGone, "v1"))
	soon := []string{"rules 4ms, 2ms after SIGTERM", "stale for 2ms", "needed 4ms, margin 2ms"}
	for _, row := range []struct {
		sentence string
		hits     string // of n1-fresh, sent at 10, 20, … ms
		events   []evidence.Event
		change   func(*streams)
		want     []string
	}{
		{"rules that go before the name comes back", "1112222222", gone, nil, soon},
		{"a rule for the old pod that goes after one for the new was made", "1112222222", append(anew("v2"), rule(70, evidence.RuleGone, "v1")),
			nil, []string{"rules 38ms, 36ms after SIGTERM", "stale for 36ms", "needed 38ms, margin -32ms"}},
		{"one that stays beside that for the new", "1112222222", anew("v2"), nil,
			[]string{"routed 58ms, 56ms after SIGTERM", "stale for 56ms", "needed 58ms, margin unseen"}},
		{"the rule for the new pod goes, too", "1112222222", append(gone, rule(80, evidence.RuleGone, "v2")), nil, soon},
		{"the last request to the old pod is no later one to the new", "1111122222", gone, nil,
			append(soon, "requests 18ms, 16ms after SIGTERM")},
		{"a request that failed and reached the old pod", "11122x2222", gone, reached("v1"),
			append(slices.Clone(soon), "requests 28ms, 26ms after SIGTERM", "lost 1, certain 1")},
		{"one that reached the new pod", "11122x2222", gone, reached("v2"), soon},
		{"one over a connection that the new pod had answered on", "1112222222", gone, func(s *streams) {
			kept := fresh("n1-reused", "n1")
			kept.Conn = evidence.Reused
			s.Run.Lanes = append(s.Run.Lanes, kept)
			hits := paced(kept.ID, "22222222x")
			for i := range hits {
				hits[i].LocalPort, hits[i].Reused = 7, i > 0
			}
			hits[8].Fault = evidence.Reset
			s.Hits = append(s.Hits, hits...)
		}, soon},
		{"the new pod gets SIGTERM, and its endpoint leaves", "1112222222", append(gone, pod(82, evidence.EndpointNotReady, "v2", name),
			pod(84, evidence.PodSigterm, "v2", name)), nil, soon},
		{"an endpoint that goes last, when nobody knows of which version", "1112222222", append([]evidence.Event{
			pod(43, evidence.EndpointGone, "", name), rule(50, evidence.RuleGone, "v1")}, anew("v2")[1:]...), nil,
			[]string{"rules 7ms, 16ms after SIGTERM", "stale for 16ms", "needed 7ms, margin -12ms"}},
		{"a pod of the same version has not left", "1112222222", append(anew("v1"), rule(36, evidence.RuleGone, "v1")), nil,
			[]string{"needed unseen"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := recording(paced("n1-fresh", row.hits), slices.Concat(marks(0, 20, 95, 110), ends, row.events), fresh("n1-fresh", "n1"))
			if row.change != nil {
				row.change(&s)
			}
			for i := range s.Hits {
				if s.Hits[i].By.Pod != "" {
					s.Hits[i].By.Pod = name
				}
			}
			if diff := cmp.Diff(row.want, lagsIn(join(t, s))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// lagsIn returns all lags that a timeline has of the only old pod and the only node.
func lagsIn(tl timeline.Timeline) (all []string) {
	after, still := tl.RulesAfterSigterm()
	for i, l := range tl.RuleLags() {
		all = append(all, fmt.Sprintf("rules %v, %v after SIGTERM", l.Lag.Length, after[i].Lag.Length))
	}
	for i, l := range tl.StillRouted() {
		all = append(all, fmt.Sprintf("routed %v, %v after SIGTERM", l.Lag.Length, still[i].Lag.Length))
	}
	for _, s := range tl.StaleRules() {
		all = append(all, fmt.Sprintf("stale for %v", s.Length()))
	}
	for _, x := range tl.Terminations() {
		switch {
		case !x.Observed:
			all = append(all, "needed unseen")
		case x.Margin == nil:
			all = append(all, fmt.Sprintf("needed %v, margin unseen", x.Needed))
		default:
			all = append(all, fmt.Sprintf("needed %v, margin %v", x.Needed, x.Margin.Length))
		}
	}
	sent := tl.ClientsAfterSigterm()
	for i, l := range tl.DrainLags() {
		all = append(all, fmt.Sprintf("requests %v, %v after SIGTERM", l.Lag.Length, sent[i].Lag.Length))
	}
	for _, x := range tl.Terminations() {
		if x.Lost > 0 {
			all = append(all, fmt.Sprintf("lost %d, certain %d", x.Lost, x.Certain))
		}
	}
	return all
}
