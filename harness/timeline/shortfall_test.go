package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestShortfall(t *testing.T) {
	const set = "echo-1-"
	size := func(at, count int) evidence.Event {
		return evidence.Event{At: time.Duration(at) * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-1", Detail: "v1", Count: count}
	}
	unready := func(at int) evidence.Event { return pod(at, evidence.PodUnready, "v1", set+"a") }
	ready := func(at int) evidence.Event { return pod(at, evidence.PodReady, "v1", set+"a") }
	goes := func(at int, name string) evidence.Event { return pod(at, evidence.PodDeleting, "v1", set+name) }
	other := evidence.Event{At: 20 * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-2"}
	slow := evidence.Event{At: 30 * ms, Kind: evidence.APIAnswered, Count: 5}
	for _, row := range []struct {
		sentence string
		changes  []evidence.Event
		want     int
		explains bool
	}{
		{"nothing is missing", []evidence.Event{unready(30), ready(40)}, 2, false},
		{"a pod turned unready", []evidence.Event{unready(30), ready(40)}, 3, true},
		{"it was unready when the time began", []evidence.Event{unready(5), ready(40)}, 3, true},
		{"a pod turned unready, more are missing", []evidence.Event{unready(30), ready(40)}, 4, false},
		{"a pod was deleted", []evidence.Event{goes(30, "b")}, 3, false},
		{"a pod was deleted, then one turned unready", []evidence.Event{goes(20, "b"), unready(30), ready(40)}, 2, true},
		{"a pod turned unready, then one was deleted", []evidence.Event{unready(30), goes(35, "b"), ready(40)}, 2, false},
		{"the order of both cannot be told", []evidence.Event{unready(30), goes(35, "b"), ready(40), slow}, 2, true},
		{"a pod was to go, one turned unready, and then it went", []evidence.Event{size(20, 2), unready(30), goes(35, "b"), ready(40)}, 2, true},
		{"a pod turned unready, then one was to go, and went", []evidence.Event{unready(30), size(32, 2), goes(35, "b"), ready(40)}, 2, false},
		{"a pod of another set was to go", []evidence.Event{other, unready(30), goes(35, "b"), ready(40)}, 2, false},
		{"one pod was to go, and two went", []evidence.Event{size(20, 2), goes(25, "c"), unready(30), goes(35, "b"), ready(40)}, 1, false},
		{"a pod that is deleted while it is unready is missing for that", []evidence.Event{unready(30), goes(35, "a"), ready(40)}, 3, false},
		{"a pod that was unready once is missing as it is deleted now", []evidence.Event{unready(30), ready(40), goes(45, "b")}, 3, false},
		{"a pod that is gone is missing for that, whatever the API says of it in that moment", []evidence.Event{
			pod(30, evidence.PodGone, "v1", set+"a"), unready(30), ready(40)}, 3, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			events := append(marks(0, 10, 50, 60), size(0, 3))
			for _, name := range []string{"a", "b", "c"} {
				events = append(events, pod(1, evidence.PodReady, "v1", set+name))
			}
			tl := join(t, recording(nil, append(events, row.changes...), fresh("a", "n1")))
			short, ok := tl.Shortfall(row.want, 10*ms, 50*ms)
			if ok != row.explains || ok && (len(short.Because) != 1 || short.Because[0].Pod != set+"a" || short.Lowest != row.want-1) {
				t.Errorf("%v %v", short, ok)
			}
		})
	}
}
