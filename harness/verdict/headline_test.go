package verdict_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
	"rollcall/harness/verdict/phrase"
)

// everyRule is an expectation of each rule.
func everyRule() []evidence.Expectation {
	return []evidence.Expectation{
		verdict.NoFailures(), verdict.NoLostReplies(), verdict.NoHiddenRetries(), verdict.DamageSeen(),
		verdict.Serves("v1", "v2"), verdict.OnlyServes("v2", evidence.OldGone), verdict.OrderedSwitch(), verdict.FullRate(99),
		verdict.MaxOutage(20 * ms), verdict.MinOutage(20 * ms), verdict.MaxDrainLag(20 * ms), verdict.MaxRuleLag(20 * ms),
		verdict.MinAvailable(2), verdict.MaxPods(3), verdict.Fact("history", "1", "2"), verdict.FactWithin("until done", 0, time.Second),
		verdict.Noted("history"), verdict.Scaling("v2:1", "v1:1"), verdict.MaxActive(3), verdict.OldAtStatus(1), verdict.OldEndsFirst(),
		verdict.CleanCut(), verdict.MaxMixedWindow(20 * ms), verdict.MinMixedWindow(20 * ms), verdict.RulesBeforeSigterm(),
		verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 100*ms), verdict.StillServes("v2", 90),
		verdict.Share("v2", 50, evidence.RolloutBegun),
	}
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

var sequenceNumber = regexp.MustCompile(`\bseq\b`)

// checkTexts holds a verdict and its findings to what a headline, a fact and a sentence promise.
func checkTexts(t failer, v verdict.Verdict) {
	t.Helper()
	check := func(of, headline, because string, facts []verdict.Detail) {
		t.Helper()
		switch n := utf8.RuneCountInString(headline); {
		case n == 0 || n > phrase.MaxHeadline:
			t.Errorf("%s: a headline of %d characters: %q", of, n, headline)
		case strings.ContainsAny(headline, "\r\n"):
			t.Errorf("%s: a headline of several lines: %q", of, headline)
		case sequenceNumber.MatchString(headline):
			t.Errorf("%s: a headline with sequence numbers: %q", of, headline)
		}
		if because == "" {
			t.Errorf("%s: it says not why", of)
		}
		for _, fact := range facts {
			if fact.Name == "" || fact.Value == "" {
				t.Errorf("%s: fact %q is %q", of, fact.Name, fact.Value)
			}
		}
	}
	check("the verdict", v.Headline, v.Because, v.Facts)
	for _, f := range v.Findings {
		check(f.Rule, f.Headline, f.Because, f.Facts)
	}
}

func TestEveryRuleIsExpected(t *testing.T) {
	expected := map[string]bool{}
	for _, x := range everyRule() {
		expected[x.Rule] = true
	}
	for _, rule := range verdict.Rules() {
		if !expected[rule.ID] {
			t.Errorf("add %s to everyRule", rule.ID)
		}
	}
}

// By every rule, whatever its own expectations, and by those.
func TestHeadlinesOfRecordedFolders(t *testing.T) {
	for _, root := range []string{"testdata/recorded", "../../reports/testdata/recorded"} {
		folders, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			t.Run(folder.Name(), func(t *testing.T) {
				ev, err := store.Read(filepath.Join(root, folder.Name()))
				if err != nil {
					t.Fatal(err)
				}
				tl, err := timeline.Join(ev)
				if err != nil {
					t.Fatal(err)
				}
				checkTexts(t, verdict.Judge(ev.Run, tl))
				ev.Run.Expect = everyRule()
				checkTexts(t, verdict.Judge(ev.Run, tl))
			})
		}
	}
}

// Rollouts with names as long as Kubernetes allows, whose events and hits go wrong at random.
func TestHeadlinesOfGeneratedRecordings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := func(of string) string {
			return of + strings.Repeat("x", rapid.SampledFrom([]int{0, 20, 62}).Draw(t, "length of "+of))
		}
		node, pods := name("worker"), []string{name("a"), name("b"), name("c")}
		ev := rollout(everyRule()...)
		for i := range ev.Run.Lanes {
			ev.Run.Lanes[i].Node = node
		}
		if rapid.Bool().Draw(t, "clocks") {
			ev.Run.Clocks = []evidence.ClockReading{{Node: node, Uncertainty: time.Duration(rapid.IntRange(0, 400).Draw(t, "uncertainty")) * ms}}
		}
		for range rapid.IntRange(0, 12).Draw(t, "failures") {
			first := rapid.Uint64Range(0, 199).Draw(t, "first to fail")
			breaking(rapid.SampledFrom([]string{"worker-fresh", "worker-reused", "control"}).Draw(t, "lane"),
				rapid.SampledFrom(evidence.Faults()).Draw(t, "fault"), from(first, first+rapid.Uint64Range(0, 20).Draw(t, "more"))...)(&ev)
		}
		if rapid.Bool().Draw(t, "logged") {
			twice := rapid.Uint64Range(0, 250).Draw(t, "sent twice")
			logged(func(h evidence.Hit) int {
				if h.Seq == twice {
					return 2
				}
				return 1
			})(&ev)
		}
		kinds := []evidence.EventKind{
			evidence.PodCreated, evidence.PodReady, evidence.PodUnready, evidence.PodDeleting, evidence.PodSigterm, evidence.PodExited,
			evidence.PodGone, evidence.EndpointReady, evidence.EndpointNotReady, evidence.EndpointGone, evidence.RuleAdded, evidence.RuleGone,
			evidence.RulesUnseen, evidence.APIAnswered, evidence.Reported, evidence.ReplicaSetScaled, evidence.NodeBusy, evidence.Fact,
		}
		with(evidence.Event{Kind: evidence.RulesBegun, Object: node})(&ev)
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			e := pod(rapid.IntRange(1, 1900).Draw(t, "at"), rapid.SampledFrom(kinds).Draw(t, "kind"),
				rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "version"), rapid.SampledFrom(pods).Draw(t, "pod"))
			e.Object, e.Count = node, rapid.IntRange(0, 300).Draw(t, "count")
			switch e.Kind {
			case evidence.Reported:
				e.Detail = rapid.SampledFrom([]string{"Killing: Stopping", "Unhealthy: i/o timeout\nseq 1"}).Draw(t, "report")
			case evidence.ReplicaSetScaled:
				e.Object, e.Detail = "echo-"+e.By.Version, e.By.Version
			case evidence.Fact:
				e.Object = rapid.SampledFrom([]string{"history", "until done"}).Draw(t, "fact")
				e.Detail = rapid.SampledFrom([]string{"1", "20s", strings.Repeat("long ", 40)}).Draw(t, "value")
			default:
			}
			with(e)(&ev)
		}
		checkTexts(t, mustJudge(t, ev))
	})
}
