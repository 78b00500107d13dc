package verdict_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/verdict"
)

// Recordings of real clusters, changed as if the process of a new pod had been stopped for a while, after which it answers everybody.
func TestPodThatStandsStill(t *testing.T) {
	for _, row := range []struct {
		sentence string
		stopped  time.Duration
		controls bool // control lanes wait as long
		users    bool // the app is a user's, of which nobody knows how long it takes
		want     verdict.Outcome
	}{
		{"for 0.96 s", 960 * ms, false, false, verdict.Fail},
		{"for 0.2 s", 200 * ms, false, false, verdict.Pass},
		{"for 0.96 s, like the pods that are not rolled out", 960 * ms, true, false, verdict.Pass},
		{"of a user's app, for 0.96 s", 960 * ms, false, true, verdict.Inconclusive},
		{"of a user's app, which takes 3 s for its first replies", 3 * time.Second, false, true, verdict.Inconclusive},
	} {
		for _, folder := range []string{"iptables-drained", "nftables-drained"} {
			t.Run(row.sentence+" in "+folder, func(t *testing.T) {
				ev, err := store.Read(filepath.Join("..", "..", "reports", "testdata", "recorded", folder))
				if err != nil {
					t.Fatal(err)
				}
				hits, err := ev.Hits.All()
				if err != nil {
					t.Fatal(err)
				}
				control := map[string]bool{}
				for _, lane := range ev.Run.Lanes {
					control[lane.ID] = lane.Kind().IsControl()
				}
				pod, from := "", time.Duration(0)
				for _, e := range ev.Events {
					if e.Kind == evidence.PodReady && e.By.Version == "v2" {
						pod, from = e.By.Pod, e.At+time.Second
					}
				}
				for i := range hits {
					h := &hits[i]
					if (h.By.Pod == pod || row.controls && control[h.Lane]) && h.Sent >= from && h.Sent < from+row.stopped {
						h.Took += from + row.stopped - h.Sent
					}
				}
				ev.Hits, ev.Run.Expect = evidence.Hits(hits), []evidence.Expectation{verdict.NoSlowReplies()}
				if row.users {
					ev.Run.UserApp = &evidence.UserApp{Named: true}
				}
				f := judged(t, ev)
				if named := strings.Contains(f.Because, pod); f.Outcome != row.want || named != (row.want != verdict.Pass) {
					t.Errorf("%s, want %s, by pod %s: %s", f.Outcome, row.want, pod, f.Because)
				}
				if says := strings.HasSuffix(f.Headline, "maybe the app itself"); says != row.users {
					t.Errorf("headline %q", f.Headline)
				}
			})
		}
	}
}
