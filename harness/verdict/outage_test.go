package verdict_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// It is not known how long an outage would have been that lasts to the end of the load: a limit that no outage could have reached
// until then decides nothing. An outage that ended before is too short, whatever the limit.
func TestAnOutageToTheEndOfTheLoadIsToldFromOneThatEnded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const begun, ended = 500, 2000
		first := rapid.IntRange(50, 198).Draw(t, "first")
		last := rapid.IntRange(first, 199).Draw(t, "last")
		least := time.Duration(rapid.IntRange(1, 3000).Draw(t, "least")) * ms
		ev := rollout(verdict.MinOutage(least))
		for _, lane := range []string{"worker-fresh", "worker-reused"} {
			breaking(lane, evidence.Refused, from(uint64(first), uint64(last))...)(&ev)
		}
		lasted := time.Duration(last-first+1) * 10 * ms
		if last == 199 {
			lasted = (ended - time.Duration(first+1)*10) * ms
		}
		want := verdict.Fail
		switch {
		case lasted >= least:
			want = verdict.Pass
		case last == 199 && least > (ended-begun)*ms:
			want = verdict.Inconclusive
		}
		if v := mustJudge(t, ev); v.Outcome != want {
			t.Fatalf("%s, want %s: %s", v.Outcome, want, v.Because)
		}
	})
}
