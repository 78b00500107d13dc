package verdict_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// Two versions drawn at random for each request, by a fixed sequence, over 12 s after the rollout.
func TestShare(t *testing.T) {
	for _, row := range []struct {
		sentence string
		percent  int // of v2
		expect   evidence.Expectation
		want     verdict.Outcome
		because  string
	}{
		{"as many as expected", 25, verdict.Share("v2", 25, evidence.Barrier), verdict.Pass,
			"in 2 windows of 5 s v2 gave 24.8 % to 27.4 % of the replies, expected about 25 %"},
		{"more than chance explains", 40, verdict.Share("v2", 25, evidence.Barrier), verdict.Fail,
			"of 500 replies on worker-fresh to requests sent from 2s to 7s 39.6 % were by v2, expected 25 % and at most 9.7 more or less"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			draws := rand.New(rand.NewPCG(1, 2))
			ev.Run.Lanes, ev.Hits = ev.Run.Lanes[:1], ev.Hits[:0]
			for i := range 1300 {
				by := evidence.Server{Version: "v1", Pod: "b"}
				if draws.IntN(100) < row.percent {
					by = evidence.Server{Version: "v2", Pod: "d"}
				}
				due := time.Duration(i) * 10 * ms
				ev.Hits = append(ev.Hits, evidence.Hit{Lane: "worker-fresh", Seq: uint64(i), Due: due, Sent: due, Took: ms, Status: 200, By: by,
					Attempts: 1})
			}
			ev.Events = []evidence.Event{mark(0, evidence.LoadBegun), mark(500, evidence.RolloutBegun), mark(1000, evidence.StatusDone),
				mark(1001, evidence.Barrier), mark(13000, evidence.LoadEnded)}
			v := judge(t, ev)
			if v.Outcome != row.want || v.Because != row.because {
				t.Errorf("%s: %q, want %s: %q", v.Outcome, v.Because, row.want, row.because)
			}
		})
	}
}
