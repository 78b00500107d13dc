package timeline_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func stepAt(at int, what string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: evidence.Step, Detail: what}
}

// A loss belongs to the last step that was reached before its first failed request was sent; if the clocks cannot tell, to each step that
// may be that one.
func TestLosses(t *testing.T) {
	for _, row := range []struct {
		sentence  string
		hits      string // sent at 10, 20, … ms
		uncertain time.Duration
		steps     []string // that the first loss may belong to
		spans     []string
		nobodys   bool
	}{
		{"a loss between two steps is the first one's", "1111xx11111111", 0, []string{"a"}, nil, false},
		{"one sent just when a step is reached is that one's", "11x11111111111", 0, []string{"a"}, nil, false},
		{"one before any step belongs to none", "1x111111111111", 0, nil, nil, true},
		{"an outage across a step is the first one's, and names the other", "1111xxxxx11111", 0, []string{"a"}, []string{"b"}, false},
		{"one so close to a step that clocks cannot tell may belong to either", "11111111x11111", 15 * ms, []string{"a", "b"}, nil, false},
		{"one so close to the first step may belong to none", "111x1111111111", 15 * ms, []string{"a"}, nil, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("n1-fresh", row.hits), append(marks(1, 20, 130, 150), stepAt(30, "a"), stepAt(80, "b")), fresh("n1-fresh", "n1"))
			r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: row.uncertain}}
			tl := join(t, r)
			l := timeline.Losses(tl.Lanes, tl.MarkedSteps())[0]
			if got := details(l.Belongs()); !slices.Equal(got, row.steps) || (l.Step == nil) != row.nobodys {
				t.Errorf("it belongs to %q, and to none: %v; want %q, %v", got, (l.Step == nil), row.steps, row.nobodys)
			}
			if got := details(l.Meanwhile); !slices.Equal(got, row.spans) {
				t.Errorf("it spans %q, want %q", got, row.spans)
			}
		})
	}
}

func details(steps []timeline.Step) (all []string) {
	for _, s := range steps {
		all = append(all, s.What)
	}
	return all
}

// Every failed request is in one loss, and with clocks that agree each loss belongs to one step or to none.
func TestEveryFailureIsOfOneLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.StringMatching("[1x]{20}").Draw(t, "hits")
		events := marks(1, 20, 190, 220)
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			events = append(events, stepAt(rapid.IntRange(0, 220).Draw(t, "at"), "s"))
		}
		tl := mustJoin(t, recording(paced("n1-fresh", hits), events, fresh("n1-fresh", "n1")))
		failed := 0
		for _, l := range timeline.Losses(tl.Lanes, tl.MarkedSteps()) {
			failed += len(l.Hits)
			if len(l.Belongs()) > 1 || (l.Step == nil) != (len(l.Belongs()) == 0) {
				t.Fatalf("a loss from %v belongs to %d steps, and to none: %v", l.From, len(l.Belongs()), (l.Step == nil))
			}
			for _, s := range l.Belongs() {
				if s.At > l.From {
					t.Fatalf("a loss from %v belongs to a step at %v", l.From, s.At)
				}
			}
		}
		if want := len(tl.Lanes[0].Failed); failed != want {
			t.Fatalf("%d failures are in losses, of %d", failed, want)
		}
	})
}
