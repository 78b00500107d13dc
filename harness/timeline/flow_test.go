package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Connections of a lane on a node whose conntrack is listened to from 5 ms on. The client uses a new port for each: 1000 and up.
type flowRow struct {
	sentence string
	outcomes string // of requests at 10 ms, 20 ms, ...: . for a good reply that names nobody, see paced
	flows    []evidence.Flow
	change   func(*streams)
	want     timeline.Routings
}

const flowClient, flowService, flowPod = "10.244.1.5", "10.96.0.10:80", "10.244.2.7:8080"

func flowLane() evidence.Lane {
	lane := fresh("worker-fresh", "worker")
	lane.Client, lane.Target = flowClient, "http://10.96.0.10/"
	return lane
}

func flowServer() evidence.Server {
	return evidence.Server{Version: "abc", Pod: "web-abc-1", Node: "worker2"}
}

func routedFlow(at int, port int) evidence.Flow {
	return evidence.Flow{Node: "worker", At: time.Duration(at) * ms, Client: flowClient, Port: port, To: flowService, Address: flowPod,
		By: flowServer()}
}

// losesFlows says that the observer lost events of connections.
func losesFlows(at, length int) func(*streams) {
	return func(s *streams) {
		s.Events = append(s.Events, evidence.Event{At: time.Duration(at) * ms, Kind: evidence.FlowsUnseen, Object: "worker", Count: length,
			Detail: "no buffer space"})
	}
}

func checkRoutings(t *testing.T, rows []flowRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			lane := flowLane()
			hits := paced(lane.ID, row.outcomes)
			for i := range hits {
				hits[i].LocalPort = uint16(1000 + i)
				if row.outcomes[i] == '.' {
					hits[i].By = evidence.Server{}
				}
			}
			s := recording(hits, []evidence.Event{{At: 5 * ms, Kind: evidence.FlowsBegun, Object: "worker"},
				{At: time.Second, Kind: evidence.NodeBusy, Object: "worker"}}, lane)
			s.Run.UserApp = &evidence.UserApp{}
			if row.change != nil {
				row.change(&s)
			}
			// An event from long after shows that the node reports the lane's connections.
			row.flows = append(slices.Clone(row.flows), routedFlow(900, 999))
			for i := range row.flows {
				row.flows[i].Seq = uint64(i)
			}
			ev := s.evidence()
			ev.Flows = evidence.Flows(row.flows)
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			got := tl.Lanes[0].Summary
			if diff := cmp.Diff(row.want, got.Routings); diff != "" {
				t.Errorf("routings (-want +got):\n%s", diff)
			}
			if good := len(row.outcomes) - len(tl.Lanes[0].Failed); row.want.Contradicted+row.want.Unknown == 0 && got.ByVersion["abc"] != good {
				t.Errorf("%d replies by version abc, want %d", got.ByVersion["abc"], good)
			}
			for _, h := range tl.Lanes[0].Failed {
				if h.Routed.Routing == timeline.RoutedToPod && h.Routed.Server != flowServer() {
					t.Errorf("routed to %+v, want %+v", h.Routed.Server, flowServer())
				}
			}
		})
	}
}

func TestWhereConnectionsWereRouted(t *testing.T) {
	checkRoutings(t, []flowRow{
		{"each has an event", "..", []evidence.Flow{routedFlow(10, 1000), routedFlow(21, 1001)}, nil, timeline.Routings{Pod: 2}},
		{"one that was refused by a pod has an event too", "x", []evidence.Flow{routedFlow(11, 1000)}, nil, timeline.Routings{Pod: 1}},
		{"one without an event was rejected before it was routed", "x", nil, nil, timeline.Routings{Nowhere: 1}},
		{"one without an event while the node's rules routed to a pod is unexplained", "x", nil, func(s *streams) {
			s.Events = append(s.Events, evidence.Event{At: 6 * ms, Kind: evidence.RuleAdded, Object: "worker", By: flowServer()})
		}, timeline.Routings{Nowhere: 1, Unexplained: 1}},
		{"an observer that started again reports a pod twice, which counts once", "x", nil, func(s *streams) {
			for at, kind := range map[int]evidence.EventKind{6: evidence.RuleAdded, 7: evidence.RuleAdded, 8: evidence.RuleGone} {
				s.Events = append(s.Events, evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: "worker", By: flowServer()})
			}
		}, timeline.Routings{Nowhere: 1}},
		{"one without an event while the node's rules routed to none, a pod before and another soon", "x", nil, func(s *streams) {
			for _, e := range []struct {
				at   int
				kind evidence.EventKind
			}{{6, evidence.RuleAdded}, {12, evidence.RuleGone}, {300, evidence.RuleAdded}} {
				s.Events = append(s.Events, evidence.Event{At: time.Duration(e.at) * ms, Kind: e.kind, Object: "worker", By: flowServer()})
			}
		}, timeline.Routings{Nowhere: 1}},
		{"a port whose last connection conntrack may still keep", "x", []evidence.Flow{routedFlow(9, 1000)}, nil, timeline.Routings{Unknown: 1}},
		{"a port whose last connection was too long ago", "x", []evidence.Flow{routedFlow(9-120_000, 1000)}, nil, timeline.Routings{Nowhere: 1}},
		{"one that was tracked and not routed", "x", []evidence.Flow{{Node: "worker", At: 10 * ms, Client: flowClient, Port: 1000,
			To:      flowService,
			Address: flowService}}, nil, timeline.Routings{Nowhere: 1}},
		{"of two events the last counts", "x", []evidence.Flow{{Node: "worker", At: 10 * ms, Client: flowClient, Port: 1000,
			To: flowService, Address: "10.244.2.8:8080", By: evidence.Server{Version: "abc", Pod: "web-abc-2"}}, routedFlow(11, 1000)}, nil,
			timeline.Routings{Pod: 1}},
		{"an event of another destination is another's", "x", []evidence.Flow{{Node: "worker", At: 10 * ms, Client: flowClient, Port: 1000,
			To: "10.96.0.11:80", Address: flowPod}}, nil, timeline.Routings{Nowhere: 1}},
		{"an event of another client is another's", "x", []evidence.Flow{{Node: "worker", At: 10 * ms, Client: "10.244.1.6", Port: 1000,
			To: flowService, Address: flowPod}}, nil, timeline.Routings{Nowhere: 1}},
		{"an event of another node is another's", "x", []evidence.Flow{{Node: "worker2", At: 10 * ms, Client: flowClient, Port: 1000,
			To: flowService, Address: flowPod}}, nil, timeline.Routings{Nowhere: 1}},
		{"a reply by another pod is a contradiction", "1", []evidence.Flow{routedFlow(10, 1000)}, nil, timeline.Routings{Pod: 1, Contradicted: 1}},
	})
}

func TestWhereItIsUnknownHowConnectionsWereRouted(t *testing.T) {
	checkRoutings(t, []flowRow{
		{"on a data plane that reports no connection the routing is unknown", "x", []evidence.Flow{}, func(s *streams) {
			s.Run.Lanes[0].Client = "10.244.1.8"
		}, timeline.Routings{}},
		{"on a cluster without flow events it is unknown", "x", nil, func(s *streams) {
			s.Run.Lacks = []evidence.Feature{{Name: evidence.FlowEvents, Because: "it routes without connection tracking"}}
		}, timeline.Routings{}},
		{"where connections are tracked but not routed it is unknown", "x", []evidence.Flow{{Node: "worker", At: 10 * ms, Client: "10.244.1.8",
			Port: 1000, To: flowService, Address: flowService}}, func(s *streams) { s.Run.Lanes[0].Client = "10.244.1.8" }, timeline.Routings{}},
		{"one that was opened without an event is unknown", "x", nil, func(s *streams) { s.Hits[0].Connect = ms }, timeline.Routings{Unknown: 1}},
		{"without an event, and with some lost, it is unknown", "x", nil, losesFlows(12, 5), timeline.Routings{Unknown: 1}},
		{"what was lost before does not matter", "x", nil, losesFlows(9, 3), timeline.Routings{Nowhere: 1}},
		{"one with an event is known, even if others were lost", "x", []evidence.Flow{routedFlow(11, 1000)}, losesFlows(12, 5),
			timeline.Routings{Pod: 1}},
		{"before the node was listened to it is unknown", "x", nil, func(s *streams) {
			s.Events[0].At = 11 * ms
		}, timeline.Routings{Unknown: 1}},
		{"after the observer was lost it is unknown", "x", nil, func(s *streams) {
			s.Events[1].At = 11 * ms
			s.Events = append(s.Events, evidence.Event{At: 20 * ms, Kind: evidence.RecorderLost, Object: "worker"})
		}, timeline.Routings{Unknown: 1}},
		{"nor without the client's port", "x", nil, func(s *streams) {
			s.Hits[0].LocalPort = 0
		}, timeline.Routings{Unknown: 1}},
		{"nor without the client's address", "x", nil, func(s *streams) {
			s.Run.Lanes[0].Client = ""
		}, timeline.Routings{}},
		{"a good reply without an event has an unknown routing", ".", nil, nil, timeline.Routings{Unknown: 1}},
	})
}

func TestWhereKeptConnectionsWereRouted(t *testing.T) {
	checkRoutings(t, []flowRow{
		{"requests over a kept connection went where it did", "..x", []evidence.Flow{routedFlow(10, 1000)}, func(s *streams) {
			s.Run.Lanes[0].Conn = evidence.Reused
			for i := range s.Hits {
				s.Hits[i].LocalPort, s.Hits[i].Reused = 1000, i > 0
			}
		}, timeline.Routings{Pod: 3}},
		{"a connection opened by a request that was sent later", "..", []evidence.Flow{routedFlow(21, 1000)}, func(s *streams) {
			s.Run.Lanes[0].Conn = evidence.Reused
			s.Hits[0].Took, s.Hits[0].Reused, s.Hits[1].LocalPort = 30*ms, true, 1000
		}, timeline.Routings{Pod: 2}},
		{"a kept one may be another one if events were lost", ".x", []evidence.Flow{routedFlow(10, 1000)}, func(s *streams) {
			s.Run.Lanes[0].Conn = evidence.Reused
			s.Hits[1].LocalPort, s.Hits[1].Reused = 1000, true
			losesFlows(15, 2)(s)
		}, timeline.Routings{Pod: 1, Unknown: 1}},
		{"a kept one from before the node was listened to is unknown", ".", nil, func(s *streams) {
			s.Run.Lanes[0].Conn, s.Hits[0].Reused = evidence.Reused, true
		}, timeline.Routings{Unknown: 1}},
	})
}

// JoinShowing shows hits as the timeline has them.
func TestHitsAreShownAsTheyAreJoined(t *testing.T) {
	lane := flowLane()
	hits := paced(lane.ID, ".")
	hits[0].By, hits[0].LocalPort = evidence.Server{}, 1000
	sent, by := hits[0].Sent, evidence.Server{Version: "abc", Pod: "web-abc-1", Node: "worker2"}
	s := recording(hits, []evidence.Event{{Kind: evidence.FlowsBegun, Object: "worker", Clock: "worker"}}, lane)
	s.Run.UserApp = &evidence.UserApp{}
	s.Run.Clocks = []evidence.ClockReading{{Node: "worker", Offset: 3 * ms, Uncertainty: ms}}
	ev := s.evidence()
	ev.Flows = evidence.Flows([]evidence.Flow{{Node: "worker", At: sent, Client: flowClient, Port: 1000, To: flowService,
		Address: flowPod, By: by}})
	var shown []evidence.Hit
	if _, err := timeline.JoinShowing(ev, func(h evidence.Hit, err error) { shown = append(shown, h) }); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 1 || shown[0].Sent != sent-3*ms || shown[0].By != by {
		t.Errorf("shown %+v, want one that was sent at %v by %+v", shown, sent-3*ms, by)
	}
}
