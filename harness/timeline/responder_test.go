package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Good replies that name no pod, one every 10 ms from 10 ms to 5 s. Pod web-1 is deleted at 1 s and gone at 2 s.
func TestRepliesByNoPodOfTheApp(t *testing.T) {
	const client, service, pod = "10.244.1.5", "10.96.0.10:80", "10.244.2.7:8080"
	at := func(millis int, kind evidence.EventKind, name string) evidence.Event {
		return evidence.Event{At: time.Duration(millis) * ms, Kind: kind, By: evidence.Server{Version: "abc", Pod: name}}
	}
	none, went := "no pod of the app was there", "it went to "+pod+", where pod web-1 had been, which was gone"
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		flows    bool // each connection was routed to the address of web-1
		change   func(*streams)
		count    int
		why      string
	}{
		{"another pod is there to the end", []evidence.Event{at(900, evidence.PodCreated, "web-2")}, false, nil, 0, ""},
		{"no pod is there any more", nil, false, nil, 301, none},
		{"another is created at 4 s", []evidence.Event{at(4000, evidence.PodCreated, "web-2")}, false, nil, 150, none},
		{"the pods might not be watched", nil, false, func(s *streams) { s.Run.UserApp.Watched = false }, 0, ""},
		{"replies name their pod", nil, false, func(s *streams) {
			for i := range s.Hits {
				s.Hits[i].By = evidence.Server{Version: "abc", Pod: "web-1"}
			}
		}, 0, ""},
		{"the pod was deleted by force, and may serve on", nil, false, func(s *streams) { s.Events[1].At = 1900 * ms }, 0, ""},
		{"the watch was blind meanwhile", []evidence.Event{{At: 3 * time.Second, Kind: evidence.WatchGap}}, false, nil, 0, ""},
		{"connections go to the address of a pod that is gone", []evidence.Event{at(900, evidence.PodCreated, "web-2")}, true, nil, 300, went},
		{"they went there before the pod was gone", []evidence.Event{at(900, evidence.PodCreated, "web-2")}, true,
			func(s *streams) { s.Hits = s.Hits[:190] }, 0, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			lane := fresh("worker-fresh", "worker")
			lane.Client, lane.Target = client, "http://10.96.0.10/"
			var hits []evidence.Hit
			for i := range 500 {
				sent := time.Duration(i+1) * 10 * ms
				hits = append(hits, evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: sent, Sent: sent, Took: ms, Status: 200, Attempts: 1,
					LocalPort: uint16(1000 + i)})
			}
			s := recording(hits, []evidence.Event{at(0, evidence.PodCreated, "web-1"), at(1000, evidence.PodDeleting, "web-1"),
				at(2000, evidence.PodGone, "web-1"), {Kind: evidence.FlowsBegun, Object: "worker"}}, lane)
			s.Run.UserApp = &evidence.UserApp{Watched: true, Grace: 30 * time.Second}
			s.Events = append(s.Events, row.events...)
			if row.change != nil {
				row.change(&s)
			}
			ev := s.evidence()
			if row.flows {
				var flows []evidence.Flow
				for i, h := range s.Hits {
					flows = append(flows, evidence.Flow{Node: "worker", Seq: uint64(i), At: h.Sent, Client: client, Port: int(h.LocalPort), To: service,
						Address: pod, By: evidence.Server{Version: "abc", Pod: "web-1"}})
				}
				ev.Flows = evidence.Flows(flows)
			}
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			got := tl.Lanes[0].ForeignReplies
			if got.Count != row.count || got.Why != row.why {
				t.Errorf("%d by no pod of the app, since %v: %q; want %d: %q", got.Count, got.First, got.Why, row.count, row.why)
			}
		})
	}
}
