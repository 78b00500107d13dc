package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func TestClaimsDecideWhetherAScenarioPasses(t *testing.T) {
	pass, fail, blind := verdict.NoFailures(), verdict.MaxPods(2), verdict.DamageSeen()
	about := func(claim string, expectations ...evidence.Expectation) (all []evidence.Expectation) {
		for _, x := range expectations {
			all = append(all, x.Decides(claim))
		}
		return all
	}
	decided := func(outcome verdict.Outcome, by verdict.EvidenceKind, rules ...string) verdict.Claim {
		return verdict.Claim{ID: "C5", Outcome: outcome, Evidence: by, Rules: rules}
	}
	open := func(outcome verdict.Outcome) verdict.Claim { return verdict.Claim{ID: "C5", Outcome: outcome} }
	noLane := func(ev *recording) { ev.Run.Lanes[0].Conn = evidence.Reused } // that would show what rules do
	for _, row := range []struct {
		sentence string
		expect   []evidence.Expectation
		spoil    edit
		outcome  verdict.Outcome
		claim    verdict.Claim
		because  string // of the verdict, among other things
	}{
		{"a claim holds by the rules that decide it", about("C5", pass, verdict.MaxPods(3)), nil, verdict.Pass,
			decided(verdict.Pass, verdict.API, "no-failures", "max-pods"), ""},
		{"one that fails decides it", about("C5", pass, fail), nil, verdict.Fail, decided(verdict.Fail, verdict.API, "max-pods"),
			"3 pods at once"},
		{"one that cannot tell leaves it open", about("C5", pass, blind), nil, verdict.Inconclusive, open(verdict.Inconclusive),
			"proves nothing"},
		{"one that is skipped on this cluster leaves it open, and the scenario is skipped with the reason",
			append(about("C5", verdict.MaxRuleLag(time.Second)), pass), all(unobserved, noLane), verdict.Skipped, open(verdict.Skipped),
			"C5 not decided: max-rule-lag was skipped: this cluster lacks node-rules: privileged pods were not allowed"},
		{"a failure beside it is a failure", append(about("C5", verdict.MaxRuleLag(time.Second)), fail), all(unobserved, noLane), verdict.Fail,
			open(verdict.Skipped), "3 pods at once"},
		{"a rule for other modes is not missed beside one for this", about("C5", pass, fail.In("ipvs")), nil, verdict.Pass,
			decided(verdict.Pass, verdict.Clients, "no-failures"), ""},
		{"where every one is for other modes the claim is open", append(about("C5", fail.In("ipvs")), pass), nil, verdict.Skipped,
			open(verdict.Skipped), "C5 not decided: max-pods was skipped: expected in mode ipvs only, this is nftables"},
		{"and if there is no other expectation, the scenario is skipped", about("C5", fail.In("ipvs")), nil, verdict.Skipped,
			open(verdict.Skipped), "expected in mode ipvs only"},
		{"judging by clients instead of rules is the weaker evidence", about("C5", verdict.MaxRuleLag(time.Second)),
			all(unobserved, left("b", 850)), verdict.Pass, decided(verdict.Pass, verdict.Clients, "max-rule-lag"), "by clients"},
		{"judging by rules is the stronger evidence", about("C5", verdict.MaxRuleLag(time.Second)),
			all(observed("worker"), left("b", 850), ruleGone("worker", "b", 900)), verdict.Pass,
			decided(verdict.Pass, verdict.NodeRules, "max-rule-lag"), ""},
		{"a recording that cannot be trusted decides no claim", about("C5", pass), without(evidence.LoadEnded),
			verdict.Inconclusive, open(verdict.Inconclusive), "cannot be trusted"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect...)
			ev.Run.Mode = "nftables"
			if row.spoil != nil {
				row.spoil(&ev)
			}
			v := judge(t, ev)
			if v.Outcome != row.outcome || !strings.Contains(v.Because, row.because) {
				t.Errorf("%s: %q, want %s: %q", v.Outcome, v.Because, row.outcome, row.because)
			}
			if len(v.Claims) != 1 {
				t.Fatalf("claims %+v", v.Claims)
			}
			got := v.Claims[0]
			if open := len(got.Rules) == 0; open != (got.Because != "") && got.Outcome != verdict.Fail {
				t.Errorf("the claim is decided by %q, and open because %q", got.Rules, got.Because)
			}
			if decided := len(got.Rules) > 0; got.Falsifiable != decided {
				t.Errorf("decided by %q, and a rule that could have failed did so: %v", got.Rules, got.Falsifiable)
			}
			if measured := len(got.Measured) > 0; measured != (got.Outcome == verdict.Pass) {
				t.Errorf("it is %s, and measured was %q", got.Outcome, got.Measured)
			}
			got.Because, got.Falsifiable, got.Measured = "", false, nil
			if diff := cmp.Diff(row.claim, got); diff != "" {
				t.Errorf("claim (-want +got):\n%s", diff)
			}
		})
	}
}

// A claim about a time says nothing where the app's times are longer, and the scenario's outcome stays.
func TestClaimsAboutTimesAreNotDecidedByLongerOnes(t *testing.T) {
	for _, row := range []struct {
		sentence string
		stretch  int
		outcome  verdict.Outcome
		because  string
	}{
		{"a claim that is about no times", 0, verdict.Pass, ""},
		{"times as the scenario says", 1, verdict.Pass, ""},
		{"times that are longer", 2, verdict.Inconclusive, "are 2 times as long here as it says"},
	} {
		x := verdict.NoFailures().Decides("C40")
		x.Stretch = row.stretch
		v := judge(t, rollout(x))
		if c := v.Claims[0]; v.Outcome != verdict.Pass || c.Outcome != row.outcome || c.Stretch != row.stretch ||
			!strings.Contains(c.Because, row.because) {
			t.Errorf("%s: the scenario is %s, and the claim %+v", row.sentence, v.Outcome, c)
		}
	}
}

// A precondition that the scenario makes certain decides a claim: met, the claim holds; not met, it fails.
func TestCertainPreconditionsDecide(t *testing.T) {
	lost := on("worker-fresh", func(h *evidence.Hit) { h.Fault = evidence.Refused }, 150)
	damage := verdict.DamageSeen().On(evidence.Fresh)
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		spoil    edit
		outcome  verdict.Outcome
		decides  bool
	}{
		{"a loss that may be by chance", damage, lost, verdict.Pass, false},
		{"a loss that is certain", damage.Surely(), lost, verdict.Pass, true},
		{"no loss, by chance", damage, nil, verdict.Inconclusive, false},
		{"no loss, although a loss is certain", damage.Surely(), nil, verdict.Fail, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect.Decides("C5"))
			if row.spoil != nil {
				row.spoil(&ev)
			}
			v := judge(t, ev)
			if v.Outcome != row.outcome || v.Claims[0].Falsifiable != row.decides {
				t.Errorf("%s: %s; claim %+v", v.Outcome, v.Because, v.Claims[0])
			}
		})
	}
}

// A recording whose unjudged rules decide no claim passes by the others, and says which were not judged.
func TestAPassSaysWhatWasNotJudged(t *testing.T) {
	ev := rollout(verdict.NoFailures(), verdict.MaxRuleLag(time.Second))
	unobserved(&ev)
	ev.Run.Lanes[0].Conn = evidence.Reused
	v := judge(t, ev)
	if v.Outcome != verdict.Pass || !strings.HasSuffix(v.Headline, "; no node's rules were read; limits: rules-not-read") ||
		!strings.HasSuffix(v.Because, "; not judged: max-rule-lag, for this cluster lacks node-rules: privileged pods were not allowed") {
		t.Errorf("%s: %q, because %q", v.Outcome, v.Headline, v.Because)
	}
}

func TestAFactRestsOnWhatItWasFoundOutBy(t *testing.T) {
	noted := with(evidence.Event{At: 700 * ms, Kind: evidence.Fact, Object: "who answered", Detail: "3 pods"})
	for want, x := range map[verdict.EvidenceKind]evidence.Expectation{
		verdict.API: verdict.Fact("who answered", "3 pods"), verdict.Clients: verdict.Fact("who answered", "3 pods").ByClients(),
	} {
		ev := rollout(x)
		noted(&ev)
		if f := judge(t, ev).Findings[0]; f.Outcome != verdict.Pass || f.Evidence != want {
			t.Errorf("%s by %s, want it by %s", f.Outcome, f.Evidence, want)
		}
	}
}
