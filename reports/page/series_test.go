package page

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/inspect"
	"example.com/rollcall/reports/model"
)

func TestWidth(t *testing.T) {
	for _, row := range []struct {
		name    string
		span    int64
		replies int
		width   int64
		buckets int
	}{
		{"40 s at 700 per second: a fifth of a second holds 140", 40_000, 28_000, 200, 200},
		{"40 s at 10,000 per second: the least width there is", 40_000, 400_000, 100, 400},
		{"40 s at 10 per second: as wide as is still of use", 40_000, 400, 500, 80},
		{"a day at 1,000 per second: as many buckets as there may be", 86_400_000, 86_400_000, 50_000, 1728},
		{"less than a bucket", 30, 2, 100, 1},
		{"nothing was answered", 40_000, 0, 500, 80},
	} {
		t.Run(row.name, func(t *testing.T) {
			if width, buckets := width(row.span, row.replies, 1); width != row.width || buckets != row.buckets {
				t.Errorf("%d buckets of %d ms, want %d of %d", buckets, width, row.buckets, row.width)
			}
		})
	}
}

func TestSeries(t *testing.T) {
	replies := newReplyCounter(evidence.Run{})
	for _, r := range []struct {
		version    string
		sent, took time.Duration
	}{
		{"v1", 1000, 10}, {"v1", 1499, 30}, {"v1", 900, 50}, // 900 ms is before the first bucket
		{"v2", 1400, 20}, {"v2", 2100, 40}, {"v2", 9000, 60}, // 9000 ms is after the last
	} {
		replies.add(r.version, newReply(r.sent*time.Millisecond, r.took*time.Microsecond), 1)
	}
	got := newSeries(replies, inspect.ByAge(timeline.Timeline{Old: "v1", New: "v2"}), time.Second, 2500*time.Millisecond)
	want := series{
		From: 1000, Width: 500, Versions: []string{"v1", "v2"}, Replies: [][]int{{3, 0, 0}, {1, 0, 2}},
		P50: []*int{new(20), nil, new(40)}, P99: []*int{new(50), nil, new(60)}, Max: []*int{new(50), nil, new(60)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The page keeps no more of a long load than of a short one. Its buckets have all replies, and latencies in two digits.
func TestRepliesOfALongLoad(t *testing.T) {
	counter := newReplyCounter(evidence.Run{Lanes: []evidence.Lane{{ID: "a", Vantage: evidence.FromPod}}})
	const n, span = 3 * maxReplies, 8 * time.Hour
	for i := range n {
		counter.count(evidence.Hit{Lane: "a", Sent: span * time.Duration(i) / n, Took: time.Duration(1000+i%1000) * time.Microsecond}, nil)
	}
	if counter.kept > maxReplies {
		t.Errorf("it keeps %d replies, at most %d are wanted", counter.kept, maxReplies)
	}
	s := newSeries(counter, inspect.ByAge(timeline.Timeline{}), -3*time.Second, span)
	total := 0
	for _, many := range s.Replies[0] {
		total += many
	}
	if total != n {
		t.Errorf("%d replies in the buckets, want %d", total, n)
	}
	if s.From%counter.grid != 0 || s.Width%counter.grid != 0 || s.From > -3000 {
		t.Errorf("from %d, %d wide: not on the grid of %d ms", s.From, s.Width, counter.grid)
	}
	if p50, p99, most := *s.P50[9], *s.P99[9], *s.Max[9]; p50 != 1400 && p50 != 1500 || p99 != 1900 || most != 1900 {
		t.Errorf("half in %d µs, 99 %% in %d, the slowest %d; want 1400 or 1500, 1900, 1900", p50, p99, most)
	}
}

// Replies of a user's app name no version: they count for the one that their connection was routed to.
func TestAUsersAppIsDrawnByVersion(t *testing.T) {
	const old, next = "84cfcc4f6f", "d9bd56c9c"
	for _, row := range []struct {
		sentence     string
		change       func(*evidence.Evidence)
		want         []string
		least        int // good replies of each version
		grey, amount int // pods that are drawn without a version, and all pods
	}{
		{"where it is known to whom connections were routed", func(*evidence.Evidence) {}, []string{old, next}, 500, 0, 6},
		{"the old version comes first, whatever it is called", func(ev *evidence.Evidence) {
			ev.Run.OldVersion, ev.Run.NewVersion = next, old
		}, []string{next, old}, 500, 0, 6},
		{"versions are called by what differs", func(ev *evidence.Evidence) {
			ev.Run.VersionNames = map[string]string{old: "web:1", next: "web:2"}
			*ev = ev.Named()
		}, []string{"web:1", "web:2"}, 500, 0, 6},
		{"where nobody listened", func(ev *evidence.Evidence) { ev.Flows = nil }, []string{unnamed}, 2000, 6, 6},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev, err := store.Read("../testdata/advice/drained")
			if err != nil {
				t.Fatal(err)
			}
			row.change(&ev)
			counter := newReplyCounter(ev.Run)
			tl, err := timeline.JoinShowing(ev, counter.count)
			if err != nil {
				t.Fatal(err)
			}
			c := newRecording(model.Scenario{}, kept.Recording{Run: ev.Run, Timeline: tl}, counter).Chart
			if diff := cmp.Diff(row.want, c.Series.Versions); diff != "" {
				t.Errorf("versions (-want +got):\n%s", diff)
			}
			for i, version := range c.Series.Versions {
				n := 0
				for _, many := range counter.replies[version] {
					n += many
				}
				if n < row.least {
					t.Errorf("%d replies by %s, number %d, want %d or more", n, version, i, row.least)
				}
			}
			grey := 0
			for _, p := range c.Pods {
				if !slices.Contains(c.Series.Versions, p.Version) {
					grey++
				}
			}
			if grey != row.grey || len(c.Pods) != row.amount {
				t.Errorf("%d of %d pods are of no version, want %d of %d", grey, len(c.Pods), row.grey, row.amount)
			}
		})
	}
}
