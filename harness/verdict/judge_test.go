package verdict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

func TestTrustHasLimits(t *testing.T) {
	for _, row := range []struct {
		sentence string
		within   edit
	}{
		{"99 % of the rate is enough", func(ev *recording) { ev.Run.Lanes[0].Rate = 101 }},
		{"1 % of late hits is not too many", on("worker-fresh", func(h *evidence.Hit) { h.Due -= 120 * ms }, 150, 151)},
		{"a connection table may fill to nine tenths", all(observed("worker"),
			with(evidence.Event{At: 700 * ms, Kind: evidence.NodeConntrack, Object: "worker", Count: 900, Detail: "235930 of 262144"}))},
		{"a failure the moment the rollout begins is of the rollout", breaking("worker-fresh", evidence.Refused, 49)},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.Serves("v1", "v2"))
			row.within(&ev)
			if v := judge(t, ev); v.Outcome != verdict.Pass {
				t.Errorf("outcome %s: %s", v.Outcome, v.Because)
			}
		})
	}
}

func TestLate(t *testing.T) {
	late := on("worker-fresh", func(h *evidence.Hit) { h.Due -= 120 * ms }, 150, 151, 152)
	for _, row := range []struct {
		sentence string
		spoil    edit
		want     bool
	}{
		{"a whole recording", func(*recording) {}, false},
		{"one with late clients", late, true},
		{"one with late clients and a blind watch", all(late, with(evidence.Event{At: 700 * ms, Kind: evidence.WatchGap, Detail: "600ms"})),
			false},
		{"one with a blind watch", with(evidence.Event{At: 700 * ms, Kind: evidence.WatchGap, Detail: "600ms"}), false},
		{"one with late clients that lost a request",
			all(late, on("worker-fresh", func(h *evidence.Hit) { h.Status, h.Fault, h.By = 0, evidence.Refused, evidence.Server{} }, 160)), false},
	} {
		ev := rollout(verdict.NoFailures())
		row.spoil(&ev)
		if v := judge(t, ev); (v.Retry == verdict.LowerRate) != row.want || row.want && !v.Distrusted {
			t.Errorf("%s: retry %v, want %v: %s", row.sentence, v.Retry, row.want, v.Because)
		}
	}
}

func TestEarlierAttempts(t *testing.T) {
	for _, row := range []struct {
		sentence, result, failed string
		want                     verdict.Outcome
		headline                 string
	}{
		{"one that the host was too slow for leaves a pass", "attempt 1: inconclusive: the host was too slow", "",
			verdict.Pass, "0 of 400 requests failed; 0 of 2 pods lost a request (95 % confidence: at most 77.6 % do)"},
		{"one that failed by more than that leaves no pass", "attempt 1: fail: 3 of 400 requests failed", "3 of 400 requests failed",
			verdict.Inconclusive, "failed once, passed when alone: 3 of 400 requests failed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(verdict.NoFailures())
			ev.Run.Attempt, ev.Run.Tries, ev.Run.Earlier, ev.Run.FailedEarlier = 2, 2, []string{row.result}, row.failed
			v := judge(t, ev)
			if v.Outcome != row.want || v.Headline != row.headline || !slices.Contains(v.Facts, verdict.Detail{Name: "before", Value: row.result}) {
				t.Errorf("%s: %q, facts %v", v.Outcome, v.Headline, v.Facts)
			}
		})
	}
}

func TestJudgeUntrusted(t *testing.T) {
	ev := rollout(verdict.NoFailures(), verdict.DamageSeen())
	for _, because := range []string{"a", "b", "c", "d", "e"} {
		ev.Run.Reasons = append(ev.Run.Reasons, evidence.Reason{ID: evidence.StageFailed, Because: because})
	}
	v := judge(t, ev)
	want := verdict.Verdict{Distrusted: true, Because: "the recording cannot be trusted: a; b; c; and 2 more", Findings: []verdict.Finding{
		{Rule: "no-failures", Claim: "no client loses a request", Exposure: verdict.Exposure{Count: 302, Unit: "request"},
			Because: "would pass if the recording could be trusted: 0 of 400 requests failed; " +
				"0 of 2 pods lost a request (95 % confidence: at most 77.6 % do) (lanes: 2); " +
				"an outage shorter than 10 ms may not be seen at 100 requests/s"},
		{Rule: "damage-seen", Precondition: true,
			Claim:    "clients in the cluster lose at least one request, which shows that a loss would be seen",
			Exposure: verdict.Exposure{Count: 302, Unit: "request"},
			Because:  "proves nothing: 0 of 400 requests from pods failed after the rollout began (by lane: 0 on worker-fresh, 0 on worker-reused)"},
	}}
	brief := cmpopts.IgnoreFields(verdict.Verdict{}, "Headline", "Facts", "Distrust")
	briefly := cmpopts.IgnoreFields(verdict.Finding{}, "Headline", "Facts", "Evidence", "Grounds")
	if diff := cmp.Diff(want, v, brief, briefly); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}

// A recording that only measures decides nothing, however late its clients are; but what it measured has to be trustworthy.
func TestJudgeMeasures(t *testing.T) {
	for _, row := range []struct {
		sentence   string
		spoil      edit
		because    string
		distrusted bool
	}{
		{"whole", func(*recording) {}, "calibration only: the second recording was not made", false},
		{"with late clients", on("worker-fresh", func(h *evidence.Hit) { h.Due -= min(h.Due, 120*ms) }, 150, 151, 152),
			"calibration only: the second recording was not made", false},
		{"with a blind watch", with(evidence.Event{At: 700 * ms, Kind: evidence.WatchGap, Detail: "600ms"}),
			"the recording cannot be trusted: a watch was blind until 0.700 s (600ms)", true},
	} {
		ev := rollout(verdict.NoFailures())
		ev.Run.Measures = true
		row.spoil(&ev)
		v := judge(t, ev)
		if v.Outcome != verdict.Inconclusive || v.Because != row.because || v.Distrusted != row.distrusted ||
			v.Findings[0].Outcome != verdict.Inconclusive {
			t.Errorf("%s: %+v", row.sentence, v)
		}
	}
}

func TestJudgeWorstFinding(t *testing.T) {
	pass, fail, inconclusive := verdict.NoFailures(), verdict.MaxPods(2), verdict.DamageSeen()
	const (
		passes = "0 of 400 requests failed; 0 of 2 pods lost a request (95 % confidence: at most 77.6 % do) (lanes: 2); " +
			"an outage shorter than 10 ms may not be seen at 100 requests/s"
		fails = "3 pods at once, terminating ones included, at most 2 allowed (first at: 0.600 s)"
		blind = "proves nothing: 0 of 400 requests from pods failed after the rollout began (by lane: 0 on worker-fresh, 0 on worker-reused)"
	)
	for _, row := range []struct {
		sentence string
		expect   []evidence.Expectation
		want     verdict.Outcome
		because  string
	}{
		{"nothing expected decides nothing", nil, verdict.Inconclusive, "0 rules were expected to hold, so nothing was judged"},
		{"all pass", []evidence.Expectation{pass, verdict.MaxPods(3)}, verdict.Pass,
			"all 2 rules hold: " + passes + "; 3 pods at once, terminating ones included, at most 3 allowed (first at: 0.600 s)"},
		{"one of them is inconclusive", []evidence.Expectation{pass, inconclusive}, verdict.Inconclusive, blind},
		{"a failure outweighs an inconclusive finding", []evidence.Expectation{inconclusive, pass, fail}, verdict.Fail, fails},
		{"two failures are both told", []evidence.Expectation{fail, fail}, verdict.Fail, fails + "; " + fails},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			v := judge(t, rollout(row.expect...))
			if v.Outcome != row.want || v.Because != row.because {
				t.Errorf("got %s: %q, want %s: %q", v.Outcome, v.Because, row.want, row.because)
			}
		})
	}
}

// A verdict says which attempt it is of, and whether it is inconclusive only because a precondition was not met.
func TestJudgeAttempts(t *testing.T) {
	const pods = "3 pods at once, terminating ones included, at most 3 allowed (first at: 0.600 s)"
	for _, row := range []struct {
		sentence string
		attempt  int
		expect   []evidence.Expectation
		unmet    bool
		because  string
	}{
		{"the first one", 1, []evidence.Expectation{verdict.MaxPods(3)}, false, pods},
		{"the second of three", 2, []evidence.Expectation{verdict.MaxPods(3)}, false, pods + "; in attempt 2 of 3"},
		{"a precondition alone was not met", 3, []evidence.Expectation{verdict.NoFailures(), verdict.StepInRollout("drain")}, true,
			"not tested: no such step was marked; in attempt 3 of 3"},
		{"something else is not known either", 1, []evidence.Expectation{verdict.StepInRollout("drain"), verdict.Noted("revisions")}, false,
			"not tested: no such step was marked; revisions was not recorded"},
		{"something else fails", 1, []evidence.Expectation{verdict.StepInRollout("drain"), verdict.MaxPods(2)}, false,
			"3 pods at once, terminating ones included, at most 2 allowed (first at: 0.600 s)"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect...)
			ev.Run.Attempt, ev.Run.Tries = row.attempt, 3
			if v := judge(t, ev); v.Unmet != row.unmet || v.Because != row.because {
				t.Errorf("unmet %v: %q, want %v: %q", v.Unmet, v.Because, row.unmet, row.because)
			}
		})
	}
}

func TestJudgeSkipped(t *testing.T) {
	run := evidence.Run{Skipped: "the kernel has no ip_vs", Reasons: []evidence.Reason{{Because: "x"}},
		Expect: []evidence.Expectation{verdict.NoFailures()}}
	want := verdict.Verdict{Outcome: verdict.Skipped, Headline: "the kernel has no ip_vs", Because: "the kernel has no ip_vs"}
	if diff := cmp.Diff(want, verdict.Judge(run, timeline.Timeline{})); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}

func TestOutcomesAreSpelledAsInReports(t *testing.T) {
	var zero verdict.Outcome
	for outcome, want := range map[verdict.Outcome]string{zero: "inconclusive", verdict.Pass: "pass", verdict.Fail: "fail",
		verdict.Skipped: "skipped"} {
		text, err := outcome.MarshalText()
		if string(text) != want || outcome.String() != want || err != nil {
			t.Errorf("outcome %d is %q, %q, %v; want %q", outcome, text, outcome, err, want)
		}
	}
	if _, err := verdict.Outcome(9).MarshalText(); err == nil {
		t.Error("an unknown outcome was spelled")
	}
}

func TestJoinAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := rollout(verdict.NoFailures(), verdict.DamageSeen(), verdict.Serves("v1", "v2"), verdict.OnlyServes("v2", evidence.StatusDone),
			verdict.FullRate(99), verdict.MaxOutage(20*ms), verdict.MinAvailable(2), verdict.MaxPods(3))
		for _, lane := range []string{"worker-fresh", "worker-reused"} {
			seqs := rapid.SliceOfNDistinct(rapid.Uint64Range(40, 199), 0, 12, rapid.ID).Draw(t, lane)
			if len(seqs) > 0 {
				breaking(lane, rapid.SampledFrom(evidence.Faults()).Draw(t, "fault"), seqs...)(&ev)
			}
		}
		shuffled := ev
		// Rotating and reversing reorders as well as a permutation would, and draws far less.
		shuffled.Hits = rotated(ev.Hits, rapid.IntRange(0, len(ev.Hits)-1).Draw(t, "rotation"))
		one, other := mustJudge(t, ev), mustJudge(t, shuffled)
		if diff := cmp.Diff(one, other); diff != "" {
			t.Fatalf("verdicts differ:\n%s", diff)
		}
		if diff := cmp.Diff(one, mustJudge(t, ev)); diff != "" {
			t.Fatalf("judged twice, verdicts differ:\n%s", diff)
		}
	})
}

func rotated(hits []evidence.Hit, by int) []evidence.Hit {
	turned := append(append([]evidence.Hit(nil), hits[by:]...), hits[:by]...)
	for i, j := 0, len(turned)-1; i < j; i, j = i+1, j-1 {
		turned[i], turned[j] = turned[j], turned[i]
	}
	return turned
}

func mustJudge(t *rapid.T, ev recording) verdict.Verdict {
	tl, err := timeline.Join(ev.evidence())
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(ev.Run, tl)
}

func busy(at, permille int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeBusy, Object: "worker", Count: permille})
}

func stolen(at, permille int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.NodeStolen, Object: "worker", Count: permille})
}
