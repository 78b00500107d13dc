package timeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A pod that stands still answers late what it had meanwhile. The hits of pod-v2 are one each 10 ms from 1410 ms on.
func TestLateTogether(t *testing.T) {
	type edit = func(lane string, h *evidence.Hit)
	still := func(lane, pod string, from, to time.Duration) edit {
		return func(on string, h *evidence.Hit) {
			if on == lane && h.By.Pod == pod && h.Sent >= from && h.Sent < to {
				h.Took = to + 2*ms - h.Sent
			}
		}
	}
	took := func(lane string, d time.Duration, sent ...time.Duration) edit {
		return func(on string, h *evidence.Hit) {
			if on == lane && slices.Contains(sent, h.Sent) {
				h.Took = d
			}
		}
	}
	control := evidence.Lane{ID: "control", Vantage: evidence.FromControl, Node: "n1", Conn: evidence.Fresh, Rate: 100}
	second := still("a", "pod-v2", 1500*ms, 2500*ms)
	for _, row := range []struct {
		sentence string
		edits    []edit
		users    bool // the app is a user's
		want     int
	}{
		{"nothing was late", nil, false, 0},
		{"a pod stood still for a second: one answer was a second late, and what it got in its last 0.3 s was not", []edit{second}, false, 70},
		{"so did that of a user's app", []edit{second}, true, 71},
		{"it stood still for 0.3 s", []edit{still("a", "pod-v2", 1500*ms, 1800*ms)}, false, 0},
		{"two late at once may be the network's", []edit{took("a", 400*ms, 1500*ms, 1510*ms)}, false, 0},
		{"three are not", []edit{took("a", 400*ms, 1500*ms, 1510*ms, 1520*ms)}, false, 3},
		{"three late ones of which each came before the next request", []edit{took("a", 400*ms, 1500*ms, 1900*ms, 2300*ms)}, false, 0},
		{"the lane had waited as long before the rollout", []edit{second, took("a", 800*ms, 20*ms)}, false, 0},
		{"and for a part of that", []edit{second, took("a", 200*ms, 20*ms)}, false, 50},
		{"a control lane waited as long", []edit{second, still("control", "pod-v1", 1500*ms, 2500*ms)}, false, 0},
		{"a control lane waited at another time", []edit{second, still("control", "pod-v1", 2600*ms, 3600*ms)}, false, 70},
		{"a SYN that was sent again is another cause", []edit{func(on string, h *evidence.Hit) {
			if on == "a" && h.Sent >= 1500*ms && h.Sent < 1600*ms {
				h.Took, h.Connect = 1004*ms, 1002*ms
			}
		}}, false, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := slices.Concat(paced("a", strings.Repeat("1", 140)+strings.Repeat("2", 260)), paced("control", strings.Repeat("1", 400)))
			for i := range hits {
				for _, change := range row.edits {
					change(hits[i].Lane, &hits[i])
				}
			}
			r := recording(hits, marks(0, 1400, 1800, 4000), fresh("a", "n1"), control)
			if row.users {
				r.Run.UserApp = &evidence.UserApp{Named: true}
			}
			got := 0
			for _, s := range timeline.Slow(join(t, r).Lanes) {
				if s.Cause == timeline.LateTogether {
					got++
				}
			}
			if got != row.want {
				t.Errorf("%d late, want %d", got, row.want)
			}
		})
	}
}
