package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/rollcall/harness/evidence"
)

// rolledOutLast lets the rollout begin when the last request is sent.
func rolledOutLast(ev *recording) {
	all(without(evidence.RolloutBegun), without(evidence.OldGone), without(evidence.LoadEnded), with(mark(2001, evidence.RolloutBegun)),
		with(mark(2002, evidence.OldGone)), with(mark(2003, evidence.LoadEnded)))(ev)
}

// drawn lets v2 answer a percentage of one lane's requests at random, for 12 s after the rollout.
func drawn(percent int) edit {
	return func(ev *recording) {
		draws := rand.New(rand.NewPCG(1, 2))
		ev.Run.Lanes, ev.Hits = ev.Run.Lanes[:1], ev.Hits[:0]
		for i := range 1300 {
			by := evidence.Server{Version: "v1", Pod: "b"}
			if draws.IntN(100) < percent {
				by = evidence.Server{Version: "v2", Pod: "d"}
			}
			due := time.Duration(i) * 10 * ms
			ev.Hits = append(ev.Hits, evidence.Hit{Lane: "worker-fresh", Seq: uint64(i), Due: due, Sent: due, Took: ms, Status: 200, By: by,
				Attempts: 1})
		}
		ev.Events = []evidence.Event{mark(0, evidence.LoadBegun), mark(500, evidence.RolloutBegun), mark(1000, evidence.StatusDone),
			mark(1001, evidence.Barrier), mark(13000, evidence.LoadEnded)}
	}
}

func left(name string, at int) edit { return with(pod(at, evidence.EndpointGone, "v1", name)) }

func observed(nodes ...string) edit {
	return func(ev *recording) {
		for _, node := range nodes {
			with(evidence.Event{Kind: evidence.RulesBegun, Object: node})(ev)
		}
	}
}

func ruleAdded(node, name string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.RuleAdded, Object: node,
		By: evidence.Server{Version: "v1", Pod: name}})
}

func seenUntil(node string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeBusy, Object: node})
}

func ruleGone(node, name string, at int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.RuleGone, Object: node,
		By: evidence.Server{Version: "v1", Pod: name}})
}

// noting notes a fact, once with each value.
func noting(name string, values ...string) edit {
	return func(ev *recording) {
		for i, value := range values {
			with(evidence.Event{At: time.Duration(i) * ms, Kind: evidence.Fact, Object: name, Detail: value})(ev)
		}
	}
}

func scaled(at int, version string, size int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.ReplicaSetScaled, Object: "echo-" + version, Count: size,
		Detail: version})
}

// rescaled adds the Event of an autoscaler that gave the Deployment a size.
func rescaled(at, size int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.Reported, Object: "HorizontalPodAutoscaler/echo", Count: 1,
		Reason: "SuccessfulRescale", Message: fmt.Sprintf("New size: %d; reason: Current number of replicas below Spec.MinReplicas", size)})
}

// onTwoClocks puts the second lane on its own node, and sets the uncertainty of both clocks.
func onTwoClocks(uncertainty time.Duration) edit {
	return func(ev *recording) {
		ev.Run.Lanes[1].Node = "worker2"
		for _, node := range []string{"worker", "worker2"} {
			ev.Run.Clocks = append(ev.Run.Clocks, evidence.ClockReading{Node: node, Uncertainty: uncertainty})
		}
	}
}

func created(name string) edit { return with(pod(0, evidence.PodCreated, "v1", name)) }

func createdAs(version, name string, at int) edit {
	return with(pod(at, evidence.PodCreated, version, name))
}

func exited(name string, at int) edit { return with(pod(at, evidence.PodExited, "v1", name)) }

func sigterm(name string, at int) edit { return with(pod(at, evidence.PodSigterm, "v1", name)) }

// twoNodes replaces the lanes by fresh ones of two nodes, with two pods of each version, one on each node, that answer in turn.
func twoNodes(ev *recording) {
	ev.Run.Lanes[1] = evidence.Lane{ID: "worker2-fresh", Vantage: evidence.FromPod, Node: "worker2", Conn: evidence.Fresh, Rate: 100}
	for i := range ev.Hits {
		h := &ev.Hits[i]
		if h.Lane == "worker-reused" {
			h.Lane = "worker2-fresh"
		}
		if h.Lane == "control" {
			continue
		}
		h.Connect = ms / 2
		h.By.Pod, h.By.Node = map[string][2]string{"v1": {"a", "b"}, "v2": {"c", "d"}}[h.By.Version][h.Seq%2],
			[]string{"worker", "worker2"}[h.Seq%2]
	}
}

// opening sets how many milliseconds the connections of a lane take to open.
func opening(lane string, took int, seqs ...uint64) edit {
	return on(lane, func(h *evidence.Hit) {
		h.Connect = time.Duration(took) * ms
		h.Took, h.Resent = h.Connect+ms, 1
	}, seqs...)
}

// answeringIn sets after how many milliseconds pods answer a request.
func answeringIn(lane string, took int, seqs ...uint64) edit {
	return on(lane, func(h *evidence.Hit) { h.Took = time.Duration(took) * ms }, seqs...)
}

// listening adds that a pod listens from so many milliseconds on.
func listening(name string, at int) edit {
	return with(pod(at, evidence.PodListening, map[bool]string{true: "v1", false: "v2"}[name < "c"], name))
}

// streaming has a lane's replies be streams.
func streaming(lane string) edit {
	return func(ev *recording) {
		for i := range ev.Run.Lanes {
			if ev.Run.Lanes[i].ID == lane {
				ev.Run.Lanes[i].Protocol = evidence.SSE
			}
		}
	}
}
