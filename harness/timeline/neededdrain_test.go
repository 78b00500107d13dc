package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

func TestNeededDrains(t *testing.T) {
	rule := func(at int, kind evidence.EventKind, name string) evidence.Event {
		e := pod(at, kind, "v1", name)
		e.Object, e.Clock = "n1", "n1"
		return e
	}
	routed := []evidence.Event{rule(1, evidence.RuleAdded, "a"), rule(1, evidence.RuleAdded, "b"),
		pod(2, evidence.EndpointReady, "v1", "a"), pod(2, evidence.EndpointReady, "v1", "b")}
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     time.Duration
	}{
		{"as long as the rules routed to any pod that had left", []evidence.Event{
			pod(25, evidence.EndpointNotReady, "v1", "a"), rule(35, evidence.RuleGone, "a"),
			pod(40, evidence.EndpointReady, "v2", "c"), pod(45, evidence.EndpointNotReady, "v1", "b"), rule(52, evidence.RuleGone, "b")}, 10 * ms},
		{"whose endpoints were seen before the pods, as the recording began", []evidence.Event{
			pod(3, evidence.PodCreated, "v1", "a"), pod(3, evidence.PodCreated, "v1", "b"),
			pod(25, evidence.EndpointNotReady, "v1", "a"), rule(35, evidence.RuleGone, "a")}, 10 * ms},
		{"but not while no endpoint was ready", []evidence.Event{
			pod(25, evidence.EndpointNotReady, "v1", "a"), pod(30, evidence.EndpointNotReady, "v1", "b"),
			pod(70, evidence.EndpointReady, "v2", "c"), rule(72, evidence.RuleGone, "a"), rule(73, evidence.RuleGone, "b")}, 7 * ms},
		{"nor when none ever was again", []evidence.Event{
			pod(25, evidence.EndpointNotReady, "v1", "a"), pod(30, evidence.EndpointGone, "v1", "b"),
			rule(72, evidence.RuleGone, "a"), rule(73, evidence.RuleGone, "b")}, 5 * ms},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			events := append(append(marks(0, 20, 80, 100), routed...), row.events...)
			got := join(t, recording(paced("a", "11112222"), events, fresh("a", "n1"))).NeededDrains()
			if diff := cmp.Diff(map[string]time.Duration{"n1": row.want}, got); diff != "" {
				t.Errorf("needed drains (-want +got):\n%s", diff)
			}
		})
	}
}
