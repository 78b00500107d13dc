package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/testenv"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// long records a rollout of n hits on ten lanes at 1,000 per second, fresh and reused, with what pods
// logged: three old pods, then three new ones; in the middle 1 % of the hits fail, half of them after they
// arrived. 5,000 events go with it.
func long(n int) evidence.Evidence {
	random := rand.New(rand.NewPCG(1, 2))
	perLane := n / 10
	length := time.Duration(perLane) * ms
	ev := evidence.Evidence{Run: evidence.Run{Schema: evidence.SchemaVersion, Scenario: "long", OldVersion: "v1", NewVersion: "v2",
		Expect: []evidence.Expectation{
			verdict.FullRate(99), verdict.NoFailures(), verdict.NoLostReplies(), verdict.NoHiddenRetries(), verdict.Serves("v1", "v2"),
			verdict.OnlyServes("v2", evidence.OldGone),
			verdict.MaxOutage(time.Second), verdict.MaxDrainLag(time.Second), verdict.MinAvailable(1), verdict.MaxPods(6)}}}
	begun, gone := length/3, 2*length/3
	ev.Events = append(ev.Events, mark(0, evidence.LoadBegun))
	for i := range 3 {
		ev.Events = append(ev.Events, pod(0, evidence.PodReady, "v1", fmt.Sprint("shop-v1-", i)))
	}
	ev.Events = append(ev.Events, evidence.Event{At: begun, Kind: evidence.RolloutBegun})
	life := []evidence.EventKind{evidence.PodCreated, evidence.PodStarted, evidence.PodListening, evidence.PodReady, evidence.EndpointReady,
		evidence.PodDeleting, evidence.EndpointNotReady, evidence.PodSigterm, evidence.PodExited, evidence.EndpointGone, evidence.PodGone}
	for i := range 453 { // pods that come and go beside those that answer, 11 events each
		for step, kind := range life {
			ev.Events = append(ev.Events, evidence.Event{At: begun + time.Duration(i*len(life)+step)*time.Microsecond, Kind: kind,
				By: evidence.Server{Version: "v1", Pod: fmt.Sprint("shop-v1-more-", i), Node: "worker1"}})
		}
	}
	for i := range 3 {
		ev.Events = append(ev.Events, evidence.Event{At: gone, Kind: evidence.EndpointGone,
			By: evidence.Server{Version: "v1", Pod: fmt.Sprint("shop-v1-", i)}})
	}
	for worker := range 5 {
		for _, at := range []time.Duration{0, length} {
			ev.Run.Clocks = append(ev.Run.Clocks, evidence.ClockReading{Node: fmt.Sprint("worker", worker), At: at,
				Offset: time.Duration(worker) * 100 * time.Microsecond, Uncertainty: 400 * time.Microsecond})
		}
	}
	ev.Events = append(ev.Events, evidence.Event{At: gone, Kind: evidence.OldGone},
		evidence.Event{At: length + time.Second, Kind: evidence.LoadEnded})

	lanes := make([]evidence.Lane, 10)
	for i := range lanes {
		lanes[i] = evidence.Lane{ID: fmt.Sprint("worker", i/2, "-fresh"), Vantage: evidence.FromPod, Node: fmt.Sprint("worker", i/2),
			Conn: evidence.Fresh, Rate: 1000}
		if i%2 == 1 {
			lanes[i].ID, lanes[i].Conn = fmt.Sprint("worker", i/2, "-reused"), evidence.Reused
		}
	}
	ev.Run.Lanes = lanes
	names := [2][3]string{{"shop-v1-0", "shop-v1-1", "shop-v1-2"}, {"shop-v2-0", "shop-v2-1", "shop-v2-2"}}
	var hits []evidence.Hit
	var arrivals []evidence.Arrival
	for _, lane := range lanes {
		for seq := range perLane {
			due := time.Duration(seq+1) * ms
			which := 0
			if due > begun+time.Duration(random.Int64N(int64(gone-begun))) {
				which = 1
			}
			pick := random.IntN(3)
			if lane.Conn == evidence.Reused { // twenty connections, each kept until its pod goes
				pick = seq % 20 % 3
				which = 0
				if due > begun+time.Duration(seq%20)*(gone-begun)/20 {
					which = 1
				}
			}
			by := evidence.Server{Version: [2]string{"v1", "v2"}[which], Pod: names[which][pick], Node: "worker1"}
			h := evidence.Hit{Lane: lane.ID, Seq: uint64(seq), Due: due, Sent: due + time.Duration(random.Int64N(400_000)),
				Took:   ms + time.Duration(random.Int64N(500_000)),
				Status: 200, By: by, Attempts: 1, LocalPort: uint16(32768 + random.IntN(28000)), Reused: lane.Conn == evidence.Reused}
			if h.Reused {
				h.LocalPort = uint16(32768 + seq%20 + 20*which)
			}
			lost := due > begun && due < gone && random.IntN(33) == 0
			if !lost || random.IntN(2) == 0 {
				arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + 300*time.Microsecond, By: by})
			}
			if lost {
				h.Status, h.By, h.Fault = 0, evidence.Server{},
					[]evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed, evidence.Timeout}[random.IntN(4)]
			}
			hits = append(hits, h)
		}
	}
	ev.Hits, ev.Arrivals = evidence.Hits(hits), evidence.Arrivals(arrivals)
	return ev
}

// BenchmarkJoinAndJudge reads a recording from disk, joins and judges it. peak-MB is the most memory the
// process had mapped and not returned beyond what it had before, code and the test's own left out.
func BenchmarkJoinAndJudge(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("hits=%d", n), func(b *testing.B) {
			if n > 1_000_000 {
				testenv.Need(b, testenv.Benchmarks)
			}
			dir := b.TempDir() + "/run"
			if err := store.Write(dir, long(n)); err != nil {
				b.Fatal(err)
			}
			debug.FreeOSMemory()
			before := mapped()
			peak := make(chan uint64)
			done := make(chan struct{})
			go func() {
				most := uint64(0)
				for {
					select {
					case <-done:
						peak <- most
						return
					case <-time.After(2 * time.Millisecond):
						most = max(most, mapped())
					}
				}
			}()
			for b.Loop() {
				ev, err := store.Read(dir)
				if err != nil {
					b.Fatal(err)
				}
				tl, err := timeline.Join(ev)
				if err != nil {
					b.Fatal(err)
				}
				if v := verdict.Judge(ev.Run, tl); v.Outcome != verdict.Fail || v.Distrusted {
					b.Fatalf("%s: %s", v.Outcome, v.Because)
				}
			}
			close(done)
			b.ReportMetric(float64(int64(<-peak)-int64(before))/1e6, "peak-MB")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/hit")
		})
	}
}

// mapped returns the memory of the Go heap that is in use or kept for use, in bytes.
func mapped() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() + sample[1].Value.Uint64() + sample[2].Value.Uint64()
}

// eventful records a rollout of many pods, each with 20 events: its own, those of three nodes' rules, and what the API server and
// the observers took meanwhile.
func eventful(n int) evidence.Evidence {
	ev := evidence.Evidence{Run: evidence.Run{Schema: evidence.SchemaVersion, Scenario: "eventful", OldVersion: "v1", NewVersion: "v2",
		Unloaded: true, Expect: []evidence.Expectation{
			verdict.MaxRuleLag(time.Second), verdict.RulesBeforeSigterm(), verdict.BothOrders(),
			verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, time.Second), verdict.MinAvailable(1), verdict.OldEndsFirst()}}}
	ev.Events = append(ev.Events, mark(0, evidence.LoadBegun), mark(0, evidence.RolloutBegun))
	life := []evidence.EventKind{evidence.PodCreated, evidence.PodStarted, evidence.PodListening, evidence.PodReady, evidence.EndpointReady,
		evidence.PodDeleting, evidence.EndpointNotReady, evidence.PodSigterm, evidence.PodExited, evidence.EndpointGone, evidence.PodGone}
	at := time.Duration(0)
	for i := range n / 20 {
		of := evidence.Server{Version: "v1", Pod: fmt.Sprint("echo-", i), Node: "worker"}
		note := func(e evidence.Event) {
			at += 10 * ms
			e.At = at
			ev.Events = append(ev.Events, e)
		}
		for _, kind := range life {
			note(evidence.Event{Kind: kind, By: of})
			for _, node := range []string{"control-plane", "worker", "worker2"} {
				switch kind {
				case evidence.EndpointReady:
					note(evidence.Event{Kind: evidence.RuleAdded, Object: node, By: of})
				case evidence.EndpointNotReady:
					note(evidence.Event{Kind: evidence.RuleGone, Object: node, By: of})
				}
			}
		}
		note(evidence.Event{Kind: evidence.APIAnswered, Count: 5})
		note(evidence.Event{Kind: evidence.RulesUnseen, Object: "worker", Count: 20})
		note(evidence.Event{Kind: evidence.NodeBusy, Object: "worker", Count: 500})
	}
	ev.Events = append(ev.Events, evidence.Event{At: at, Kind: evidence.OldGone}, evidence.Event{At: at, Kind: evidence.LoadEnded})
	return ev
}

// BenchmarkEvents joins and judges recordings with many events: twice as many take twice as long.
func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{10_000, 20_000} {
		ev := eventful(n)
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			for b.Loop() {
				tl, err := timeline.Join(ev)
				if err != nil {
					b.Fatal(err)
				}
				verdict.Judge(ev.Run, tl)
			}
		})
	}
}
