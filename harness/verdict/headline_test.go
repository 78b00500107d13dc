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

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// everyRule expects each rule twice, with every parameter that any rule takes.
func everyRule() []evidence.Expectation {
	var all []evidence.Expectation
	for _, rule := range verdict.Rules() {
		all = append(all,
			evidence.Expectation{
				Rule: rule.ID, Versions: []string{"v2"}, Percent: 50, Count: 2, Max: 20 * ms, Min: 10 * ms,
				From: evidence.RolloutBegun, Fact: "until done",
			},
			evidence.Expectation{
				Rule: rule.ID, Versions: []string{"v1", "v2"}, Percent: 99, Count: 4, Max: time.Second,
				From: evidence.PodDeleting, To: evidence.PodSigterm, Fact: "history", Values: []string{"v2:1", "v1:1"},
			})
	}
	return all
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

var sequenceNumber = regexp.MustCompile(`\bseq\b`)

// checkTexts checks that the headlines, facts and sentences of a verdict and its findings have the form that they should have.
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
		if f.Outcome == verdict.Pass && f.Exposure.Count == 0 || f.Outcome != verdict.Skipped && f.Exposure.Unit == "" {
			t.Errorf("%s is %s and was put to %d of unit %q", f.Rule, f.Outcome, f.Exposure.Count, f.Exposure.Unit)
		}
	}
}

// Every recorded folder is judged by every rule, and by its own expectations.
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
				e.Reason = rapid.SampledFrom([]string{"Killing", "Unhealthy"}).Draw(t, "reason")
				e.Message = "i/o timeout\nseq 1"
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
