package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestRulesTo(t *testing.T) {
	begun := evidence.Event{At: ms, Kind: evidence.RulesBegun, Object: "n1"}
	rule := func(at int, kind evidence.EventKind, version string) evidence.Event {
		e := pod(at, kind, version, "p")
		e.Object = "n1"
		return e
	}
	added := func(at int) evidence.Event { return rule(at, evidence.RuleAdded, "v1") }
	gone := func(at int) evidence.Event { return rule(at, evidence.RuleGone, "v1") }
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     string
	}{
		{"from when the node began to route until it stopped", []evidence.Event{begun, added(10), gone(40)}, "n1 10ms-40ms gone"},
		{"an observer that started again reports it twice", []evidence.Event{begun, added(10), added(20), gone(40)}, "n1 10ms-40ms gone"},
		{"a rule that came back", []evidence.Event{begun, added(10), gone(20), added(30), gone(40)}, "n1 10ms-20ms gone, n1 30ms-40ms gone"},
		{"a rule that did not go, until the rules were seen last",
			[]evidence.Event{begun, added(10), {At: 90 * ms, Kind: evidence.NodeBusy, Object: "n1"}}, "n1 10ms-90ms"},
		{"a pod of a new version with the name of an old one",
			[]evidence.Event{begun, added(10), rule(20, evidence.RuleAdded, "v2"), gone(30)}, "n1 10ms-30ms gone, n1 20ms-30ms"},
		{"a node that was not observed", nil, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var got []string
			for _, s := range join(t, recording(nil, row.events, fresh("a", "n1"))).RulesTo("p") {
				said := fmt.Sprintf("%s %s-%s", s.Node, s.From.At, s.To.At)
				if s.Gone {
					said += " gone"
				}
				got = append(got, said)
			}
			if all := strings.Join(got, ", "); all != row.want {
				t.Errorf("it is routed to in %q, want %q", all, row.want)
			}
		})
	}
}

func TestWhetherRulesRoutedAtAMoment(t *testing.T) {
	at := func(millis int) timeline.Time { return timeline.Time{At: time.Duration(millis) * ms} }
	gone := timeline.RuleSpan{From: at(10), To: timeline.Time{At: 40 * ms, Late: 5 * ms}, Gone: true}
	open := timeline.RuleSpan{From: at(10), To: at(40)}
	for _, row := range []struct {
		sentence string
		span     timeline.RuleSpan
		at       int
		want     timeline.Truth
	}{
		{"before it began", gone, 9, timeline.No},
		{"while it lasted", gone, 20, timeline.Yes},
		{"in the time in which the observer did not look", gone, 37, timeline.Unknown},
		{"after it ended", gone, 50, timeline.No},
		{"after rules that did not stop were seen last", open, 41, timeline.Unknown},
	} {
		if got := row.span.Holds(at(row.at)); got != row.want {
			t.Errorf("%s: %d, want %d", row.sentence, got, row.want)
		}
	}
}

// A hit that is asked for is kept with its arrivals, though nothing went wrong with it.
func TestAHitThatIsAskedForIsKept(t *testing.T) {
	r := recording(paced("a", "1111"), nil, fresh("a", "n1"))
	for _, h := range r.Hits {
		r.Arrivals = append(r.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent, By: h.By})
	}
	tl, err := timeline.JoinShowing(r.evidence(), func(evidence.Hit, error) {}, timeline.HitID{Lane: "a", Seq: 2})
	if err != nil {
		t.Fatal(err)
	}
	h, found := tl.Find("a", 2)
	if !found || h.Seq != 2 || len(h.Arrivals) != 1 {
		t.Errorf("found %t: %+v", found, h)
	}
}
