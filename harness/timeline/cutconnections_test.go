package timeline

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// The pod that had the name before was deleted, but this one stays.
func TestConnectionsThatANewPodOfAStatefulSetCuts(t *testing.T) {
	const s = time.Second
	event := func(at time.Duration, kind evidence.EventKind, version string) evidence.Event {
		return evidence.Event{At: at, Kind: kind, By: evidence.Server{Version: version, Pod: "web-0", Node: "n"}}
	}
	by := evidence.Server{Version: "v2", Pod: "web-0", Node: "n"}
	for _, row := range []struct {
		sentence string
		later    []evidence.Event
		want     int
	}{
		{"the new pod stays", nil, 1},
		{"its deletion is seen soon afterwards", []evidence.Event{event(10400*time.Millisecond, evidence.PodDeleting, "v2")}, 0},
		{"its deletion is seen long afterwards", []evidence.Event{event(20*s, evidence.PodDeleting, "v2")}, 1},
	} {
		tl, err := Join(evidence.Evidence{
			Run: evidence.Run{OldVersion: "v1", NewVersion: "v2", UserApp: &evidence.UserApp{Named: true},
				Lanes: []evidence.Lane{{ID: "a", Vantage: evidence.FromPod, Node: "n", Conn: evidence.Reused, Rate: 1}}},
			Hits: evidence.Hits([]evidence.Hit{
				{Lane: "a", Seq: 0, Due: 9 * s, Sent: 9 * s, By: by, LocalPort: 1000},
				{Lane: "a", Seq: 1, Due: 10 * s, Sent: 10 * s, Reused: true, Fault: evidence.Closed, LocalPort: 1000}}),
			Events: append([]evidence.Event{event(0, evidence.PodCreated, "v1"), event(1*s, evidence.PodReady, "v1"),
				event(3*s, evidence.PodDeleting, "v1"), event(4*s, evidence.PodGone, "v1"), event(5*s, evidence.PodCreated, "v2"),
				event(6*s, evidence.PodReady, "v2")}, row.later...),
		})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, c := range tl.Causes() {
			if c.Stage == StageDropped && c.Condition == ConditionReady {
				got += len(c.Hits)
			}
		}
		if got != row.want {
			t.Errorf("%s: %d cut, want %d", row.sentence, got, row.want)
		}
	}
}

func TestIdleConnectionsThatATimerCloses(t *testing.T) {
	type use struct {
		pod        string
		sent, idle time.Duration // seconds
	}
	for _, row := range []struct {
		sentence string
		uses     []use
		want     time.Duration // seconds; 0: no timer
	}{
		{"each was idle for as long, and a pod goes on", []use{{"a", 10, 5}, {"b", 12, 5}, {"a", 31, 5}}, 5},
		{"none was closed", nil, 0},
		{"one connection shows no timer", []use{{"a", 10, 5}}, 0},
		{"two pods that end at different times show none either", []use{{"a", 10, 5}, {"b", 31, 5}}, 0},
		{"all were closed within the time in which clients use theirs", []use{{"a", 10, 5}, {"a", 15, 5}}, 0},
		{"connections were idle for different times", []use{{"a", 10, 5}, {"a", 31, 7}}, 0},
		{"no server has so short a timer", []use{{"a", 0, 0}, {"a", 20, 0}}, 0},
	} {
		cut := cutConnections{}
		for _, u := range row.uses {
			cut[u.pod] = append(cut[u.pod], Hit{Idle: u.idle * time.Second, Hit: evidence.Hit{Sent: u.sent * time.Second}})
		}
		if age, by := cut.idle(); by != (row.want > 0) || by && age != row.want*time.Second {
			t.Errorf("%s: %v, %t", row.sentence, age, by)
		}
	}
}
