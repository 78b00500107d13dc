package verdict_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// Recordings of real clusters without a loss, changed as if packets had been lost and sent again by TCP for a part of the rollout.
func TestHeldUpForAMoment(t *testing.T) {
	for _, row := range []struct {
		sentence string
		moment   time.Duration
		holds    func(h evidence.Hit, lane evidence.Lane, node, pod string) bool
		cause    timeline.SlowCause
		origin   func(node, pod string) string
	}{
		{"every SYN of one node was dropped", 300 * ms, func(_ evidence.Hit, lane evidence.Lane, node, _ string) bool {
			return lane.Node == node && lane.Conn == evidence.Fresh
		}, timeline.SYNResent, func(node, _ string) string { return "all to " + node }},
		{"one pod took no SYN", 2 * time.Second, func(h evidence.Hit, lane evidence.Lane, _, pod string) bool {
			return h.By.Pod == pod && lane.Conn == evidence.Fresh
		}, timeline.SYNResent, func(_, pod string) string { return "all by " + pod }},
		{"one pod was stopped for a second", 300 * ms, func(h evidence.Hit, _ evidence.Lane, _, pod string) bool { return h.By.Pod == pod },
			timeline.SlowAnswer, func(_, pod string) string { return "all by " + pod }},
	} {
		for _, folder := range []string{"iptables-drained", "nftables-drained"} {
			t.Run(row.sentence+" in "+folder, func(t *testing.T) {
				ev, err := store.Read(filepath.Join("..", "..", "reports", "testdata", "recorded", folder))
				if err != nil {
					t.Fatal(err)
				}
				ev.Run.Expect = []evidence.Expectation{verdict.NoSlowReplies()}
				if f := judged(t, ev); f.Outcome != verdict.Pass {
					t.Fatalf("as it was recorded: %s, %s", f.Outcome, f.Because)
				}
				hits, err := ev.Hits.All()
				if err != nil {
					t.Fatal(err)
				}
				lanes := map[string]evidence.Lane{}
				node := ""
				for _, lane := range ev.Run.Lanes {
					lanes[lane.ID] = lane
					if lane.Kind().FollowsRules() {
						node = lane.Node
					}
				}
				from := begunAt(ev.Events) + time.Second
				during := func(h evidence.Hit) bool {
					return lanes[h.Lane].Kind().RequestsApp() && h.Sent >= from && h.Sent < from+row.moment
				}
				pod := ""
				for _, h := range hits {
					if during(h) && lanes[h.Lane].Conn == evidence.Fresh {
						pod = h.By.Pod
					}
				}
				held := 0
				for i := range hits {
					h := &hits[i]
					if !during(*h) || !row.holds(*h, lanes[h.Lane], node, pod) {
						continue
					}
					held++
					h.Took += 1004 * ms
					if row.cause == timeline.SYNResent {
						h.Connect, h.Resent = 1004*ms, 1
					}
				}
				ev.Hits = evidence.Hits(hits)
				f := judged(t, ev)
				origin := row.origin(node, pod)
				if f.Outcome != verdict.Fail || !strings.HasPrefix(f.Headline, row.cause.String()) || !strings.Contains(f.Headline, origin) {
					t.Errorf("%s: %q; want one of %q, %q", f.Outcome, f.Headline, row.cause, origin)
				}
				if held == 0 || len(f.Witnesses) != min(held, 20) {
					t.Errorf("%d witnesses of %d requests", len(f.Witnesses), held)
				}
			})
		}
	}
}

// judged returns the only finding about a recording.
func judged(t *testing.T, ev evidence.Evidence) verdict.Finding {
	t.Helper()
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(ev.Run, tl).Findings[0]
}

func begunAt(events []evidence.Event) time.Duration {
	for _, e := range events {
		if e.Kind == evidence.RolloutBegun {
			return e.At
		}
	}
	return 0
}
