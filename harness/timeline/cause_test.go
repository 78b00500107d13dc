package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A causeRow is a rollout of two pods of a user's app, web-1 (v1) and web-2 (v2), under the load of one lane of worker: a request each
// 100 ms from 0.1 s on. Its rollout begins at 1 s; web-1 is ready until it is deleted at 2 s and gone at 3 s, and web-2 is ready from
// 1.5 s on. The load ends at 4 s.
type causeRow struct {
	sentence string
	events   []evidence.Event
	lost     func(i int, h *evidence.Hit) // makes requests fail; i is the tenth of a second in which it was sent
	to       string                       // pod that failed requests were routed to; "nowhere" or "" if that is not known; an address
	change   func(*streams)
	want     []string // stage/condition/trigger/owner
}

// fails has the requests of some tenths of a second fail.
func fails(fault evidence.Fault, from, to int, change ...func(*evidence.Hit)) func(int, *evidence.Hit) {
	return func(i int, h *evidence.Hit) {
		if from <= i && i <= to {
			h.Fault, h.By = fault, evidence.Server{}
			for _, c := range change {
				c(h)
			}
		}
	}
}

func status(code int16) func(*evidence.Hit) { return func(h *evidence.Hit) { h.Status = code } }

func connected(h *evidence.Hit) { h.Connect = time.Millisecond }

// cut has the reply end when web-1 had begun to end.
func cut(h *evidence.Hit) { h.Took = 1400 * time.Millisecond }

// begun has the reply be a stream of which a token came.
func begun(h *evidence.Hit) { h.FirstMicros = 1000 }

// killedAfter is what the API tells of web-1, at 8 s: so long after its deletion it was killed.
func killedAfter(deletion int) evidence.Event {
	return evidence.Event{At: 8 * time.Second, Kind: evidence.ContainerEnded, By: evidence.Server{Version: "v1", Pod: "web-1"}, Object: "app",
		Count: 137, For: time.Duration(deletion) * ms}
}

func others(at int, kind evidence.EventKind, object, detail string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: object, Detail: detail,
		By: evidence.Server{Pod: "db-1", Node: "worker2"}}
}

func about(e evidence.Event, change func(*evidence.Event)) evidence.Event {
	change(&e)
	return e
}

func TestCauses(t *testing.T) {
	evicted := func(e *evidence.Event) { e.Detail, e.By.Node = "EvictionByEvictionAPI", "worker2" }
	undeleted := func(s *streams) {
		s.Events = slices.DeleteFunc(s.Events, func(e evidence.Event) bool { return e.By.Pod == "web-1" && e.At > 1900*ms })
	}
	for _, row := range []causeRow{
		{"nothing was lost", nil, fails(evidence.Refused, 99, 99), "", nil, nil},
		{"stale rules led to a pod that had left the endpoints", nil, fails(evidence.Refused, 21, 24), "web-1", nil,
			[]string{"stale-endpoint/terminating/rollout/manifest"}},
		{"a pod that was drained", []evidence.Event{noted(1900, evidence.NodeCordoned, "worker2", "")}, fails(evidence.Refused, 21, 24), "web-1",
			func(s *streams) {
				for i, e := range s.Events {
					if e.Kind == evidence.PodDeleting {
						s.Events[i] = about(e, evicted)
					}
				}
			}, []string{"stale-endpoint/terminating/drain/manifest"}},
		{"a pod that was evicted from a node that nobody cordoned", nil, fails(evidence.Refused, 21, 24), "web-1",
			func(s *streams) {
				for i, e := range s.Events {
					if e.Kind == evidence.PodDeleting {
						s.Events[i] = about(e, evicted)
					}
				}
			}, []string{"stale-endpoint/terminating/eviction/manifest"}},
		{"rules had no pod, since the Service's selector was changed", []evidence.Event{
			others(2500, evidence.ServiceChanged, "web", "selector a to b"), pod(2510, evidence.EndpointGone, "v2", "web-2"),
		}, fails(evidence.Refused, 26, 35), "nowhere", nil, []string{"no-endpoint/none/service-changed/manifest"}},
		{"rules had no pod although the Service had one", nil, fails(evidence.Refused, 26, 35), "nowhere", nil,
			[]string{"route/none/unknown/cluster"}},
		{"an endpoint written by hand has the address of no pod", []evidence.Event{others(2500, evidence.SliceEdited, "web-x", "10.9.9.9 added")},
			fails(evidence.Timeout, 26, 30), "10.9.9.9:80", nil, []string{"stale-endpoint/none/service-changed/manifest"}},
		{"a ready pod does not listen at the Service's new port",
			[]evidence.Event{others(2500, evidence.ServiceChanged, "web", "targetPort 80 to 90")},
			fails(evidence.Refused, 26, 30), "web-2", nil, []string{"not-listening/ready/service-changed/manifest"}},
		{"a ready pod that has answered nothing yet answers 404", nil, fails(evidence.BadStatus, 16, 19, status(404)), "web-2", nil,
			[]string{"status/not-able/rollout/manifest"}},
		{"a new version answers 500 for ever", nil, fails(evidence.BadStatus, 16, 39, status(500)), "web-2", nil,
			[]string{"status/not-able/rollout/app"}},
		{"a new version answers 500, and is taken back", []evidence.Event{pod(2600, evidence.PodDeleting, "v2", "web-2")},
			fails(evidence.BadStatus, 16, 19, status(500)), "web-2", func(s *streams) { s.Run.NewVersion = "v1" },
			[]string{"status/not-able/rollout/manifest"}},
		{"a pod that is not ready yet refuses", nil, fails(evidence.Refused, 12, 14), "web-2", func(s *streams) {
			s.Events = append(s.Events, pod(1100, evidence.EndpointReady, "v2", "web-2"))
		}, []string{"not-listening/starting/rollout/manifest"}},
		{"a Job's pod is behind the Service", []evidence.Event{
			{At: 1200 * ms, Kind: evidence.PodCreated, By: evidence.Server{Version: "v3", Pod: "migrate-1"}, Object: "Job/migrate"},
			pod(1300, evidence.PodReady, "v3", "migrate-1"), pod(1300, evidence.EndpointReady, "v3", "migrate-1"),
		}, fails(evidence.Refused, 14, 18), "migrate-1", nil, []string{"not-listening/other-workload/other-started/other-workload"}},
		{"a ready pod answers 502 after a pod of CoreDNS ended", []evidence.Event{others(2500, evidence.SystemPodDeleting, "coredns", "")},
			fails(evidence.BadStatus, 26, 30, status(502)), "web-2", nil, []string{"behind/ready/dns-restarted/cluster"}},
		{"a ready pod answers 502 after another workload's pod began to end", []evidence.Event{others(2500, evidence.OtherPodDeleting, "", "")},
			fails(evidence.BadStatus, 26, 30, status(502)), "web-2", nil, []string{"behind/ready/other-restarted/dependency"}},
		{"a terminating pod answers 502", nil, fails(evidence.BadStatus, 21, 24, status(502)), "web-1", nil,
			[]string{"behind/terminating/rollout/manifest"}},
		{"ready pods reset now and then, before and after", nil, func(i int, h *evidence.Hit) {
			if i%8 == 5 {
				fails(evidence.Reset, i, i, connected)(i, h)
			}
		}, "web-1", undeleted, []string{"dropped/ready/nothing/app"}},
		{"a stream that began while its pod was ready was cut as that ended", nil, fails(evidence.Truncated, 15, 15, connected, status(200), cut),
			"web-1", nil, []string{"cut/terminating/rollout/manifest"}},
		{"so was one that ended in an error", nil, fails(evidence.Closed, 15, 15, connected, status(200), cut, begun), "web-1", nil,
			[]string{"cut/terminating/rollout/manifest"}},
		{"a stream was cut as its pod was killed", []evidence.Event{
			{At: 2500 * ms, Kind: evidence.ContainerEnded, By: evidence.Server{Version: "v1", Pod: "web-1"}, Object: "app", Count: 137},
		}, fails(evidence.Closed, 15, 15, connected, status(200), cut, begun), "web-1", nil, []string{"cut/killed/rollout/manifest"}},
		{"the API tells late of that, and when it was", []evidence.Event{killedAfter(900)},
			fails(evidence.Closed, 15, 15, connected, status(200), cut, begun), "web-1", nil, []string{"cut/killed/rollout/manifest"}},
		{"its pod was killed long after the stream was cut", []evidence.Event{killedAfter(3000)},
			fails(evidence.Closed, 15, 15, connected, status(200), cut, begun), "web-1", nil, []string{"cut/terminating/rollout/manifest"}},
		{"a pod closed a new connection on SIGTERM", nil, fails(evidence.Reset, 20, 20, connected), "web-1", nil,
			[]string{"dropped/terminating/rollout/manifest"}},
		{"a pod whose container was killed at the end of its grace period", []evidence.Event{
			{At: 2500 * ms, Kind: evidence.ContainerEnded, By: evidence.Server{Version: "v1", Pod: "web-1"}, Object: "app", Count: 137},
		}, fails(evidence.Closed, 24, 24, connected, func(h *evidence.Hit) { h.Reused = true }), "web-1", nil,
			[]string{"dropped/killed/rollout/app"}},
		{"a container that was killed listens no more, which the endpoints do not show yet", []evidence.Event{
			{At: 2500 * ms, Kind: evidence.ContainerEnded, By: evidence.Server{Version: "v2", Pod: "web-2"}, Object: "app", Count: 137},
		}, fails(evidence.Refused, 26, 30), "web-2", nil, []string{"not-listening/killed/unknown/app"}},
		{"connections to a ready pod broke, and nothing shows why", nil, fails(evidence.Reset, 26, 27, connected), "web-2", nil,
			[]string{"dropped/ready/unknown/unknown"}},
		{"one pod of three is left, and has too many requests", []evidence.Event{
			pod(2, evidence.PodCreated, "v1", "web-3"), pod(3, evidence.PodReady, "v1", "web-3"), pod(2010, evidence.PodDeleting, "v1", "web-3"),
			pod(2, evidence.PodCreated, "v1", "web-4"), pod(3, evidence.PodReady, "v1", "web-4"), pod(2010, evidence.PodDeleting, "v1", "web-4"),
		}, fails(evidence.BadStatus, 22, 25, status(503)), "web-2", nil, []string{"status/ready/rollout/manifest"}},
		{"a change just before a request is nearer than one that was noted later", []evidence.Event{
			others(2550, evidence.ServiceChanged, "web", "selector a to b"), pod(2551, evidence.EndpointGone, "v2", "web-2"),
			pod(2700, evidence.PodDeleting, "v2", "web-2"),
		}, fails(evidence.Refused, 26, 26), "nowhere", nil, []string{"no-endpoint/none/service-changed/manifest"}},
		{"a ready pod accepts nothing", nil, fails(evidence.Timeout, 26, 27, func(h *evidence.Hit) { h.Resent = 1 }), "web-2", nil,
			[]string{"queue-full/ready/rollout/app"}},
		{"a ready pod answers too late", nil, fails(evidence.Timeout, 11, 12, connected), "web-1", nil, []string{"timeout/ready/unknown/app"}},
		{"the handshake fails with new pods", nil, fails(evidence.CertUnknownAuthority, 16, 39, connected), "web-2", nil,
			[]string{"tls/not-able/rollout/manifest"}},
		{"where a connection went is not known", nil, fails(evidence.Reset, 11, 12, connected), "", nil,
			[]string{"unknown/unknown/unknown/unknown"}},
		{"a door answers a client outside", nil, fails(evidence.BadStatus, 21, 24, status(503)), "", func(s *streams) {
			s.Run.Lanes[0].Vantage = evidence.FromHost
		}, []string{"door/unknown/rollout/door"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var got []string
			for _, c := range joinRow(t, row).Causes() {
				got = append(got, string(c.Stage)+"/"+string(c.Condition)+"/"+string(c.Trigger)+"/"+string(c.Owner))
				if c.Code() == "" || c.Did() == "" {
					t.Errorf("no words for %+v", c)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
		})
	}
}

func joinRow(t *testing.T, row causeRow) timeline.Timeline {
	t.Helper()
	lane := flowLane()
	var hits []evidence.Hit
	flows := []evidence.Flow{routedFlow(3999, 999)}
	for i := 1; i < 40; i++ {
		h := evidence.Hit{Lane: lane.ID, Seq: uint64(i - 1), Due: time.Duration(i) * 100 * ms, Sent: time.Duration(i) * 100 * ms, Took: ms,
			LocalPort: uint16(1000 + i)}
		by := evidence.Server{Version: "v1", Pod: "web-1", Node: "worker2"}
		if i >= 20 {
			by = evidence.Server{Version: "v2", Pod: "web-2", Node: "worker2"}
		}
		address := flowPod
		if row.lost(i, &h); h.Failed() {
			by, address = evidence.Server{Pod: row.to}, row.to
			switch row.to {
			case "migrate-1":
				by.Version, address = "v3", "10.244.2.9:80"
			case "web-1", "web-2":
				by.Version, address = map[string]string{"web-1": "v1", "web-2": "v2"}[row.to], flowPod
			default:
				by = evidence.Server{}
			}
		} else {
			h.Status = 200
		}
		hits = append(hits, h)
		if address != "" && address != "nowhere" {
			f := routedFlow(i*100, 1000+i)
			f.By, f.Address, f.Seq = by, address, uint64(i)
			flows = append(flows, f)
		}
	}
	s := recording(hits, append(slices.Concat(marks(50, 1000, 3000, 4000), []evidence.Event{
		{At: 5 * ms, Kind: evidence.FlowsBegun, Object: "worker"}, {At: 3999 * ms, Kind: evidence.NodeBusy, Object: "worker"},
		pod(1, evidence.PodCreated, "v1", "web-1"), pod(1, evidence.PodReady, "v1", "web-1"), pod(1, evidence.EndpointReady, "v1", "web-1"),
		pod(1100, evidence.PodCreated, "v2", "web-2"), pod(1500, evidence.PodReady, "v2", "web-2"),
		pod(1500, evidence.EndpointReady, "v2", "web-2"),
		pod(2000, evidence.PodDeleting, "v1", "web-1"), pod(2000, evidence.EndpointNotReady, "v1", "web-1"),
		pod(3000, evidence.PodGone, "v1", "web-1"),
	}), row.events...), lane)
	s.Run.UserApp = &evidence.UserApp{Watched: true}
	if row.to == "" {
		s.Events = append(s.Events, evidence.Event{At: 3998 * ms, Kind: evidence.FlowsUnseen, Object: "worker", Count: 3990, Detail: "lost"})
	}
	if row.change != nil {
		row.change(&s)
	}
	ev := s.evidence()
	ev.Flows = evidence.Flows(flows)
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}
