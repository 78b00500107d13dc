package verdict_test

import (
	"slices"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// With less certain clocks no rule passes that was inconclusive before, and every witness is a recorded request.
func TestDrawnRecordingsWithWorseClocks(t *testing.T) {
	for seed := range uint64(40) {
		ev := draw(seed)
		before := judge(t, ev)
		for _, f := range before.Findings {
			for _, w := range f.Witnesses {
				i := slices.IndexFunc(ev.Hits, func(h evidence.Hit) bool { return h.Lane == w.Lane && h.Seq == w.Seq })
				if i < 0 {
					t.Errorf("recording %d: %s names %s/%d, which was not sent", seed, f.Rule, w.Lane, w.Seq)
				} else if f.Rule == "no-failures" && f.Outcome == verdict.Fail && !ev.Hits[i].Failed() {
					t.Errorf("recording %d: %s names %s/%d, which did not fail", seed, f.Rule, w.Lane, w.Seq)
				}
			}
		}
		for i := range ev.Run.Clocks {
			ev.Run.Clocks[i].Uncertainty += 30 * ms
		}
		for i, f := range judge(t, ev).Findings {
			if f.Outcome == verdict.Pass && before.Findings[i].Outcome == verdict.Inconclusive {
				t.Errorf("recording %d: %s passes by worse clocks: %s; before: %s", seed, f.Rule, f.Because, before.Findings[i].Because)
			}
		}
	}
}
