package run

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

func TestRetry(t *testing.T) {
	of := func(o verdict.Outcome) result { return result{verdict: verdict.Verdict{Outcome: o}} }
	passed, failed, blind := of(verdict.Pass), of(verdict.Fail), of(verdict.Inconclusive)
	late, starved, again, measured := blind, blind, blind, passed
	late.verdict.Retry, starved.verdict.Retry = verdict.LowerRate, verdict.FewerJobs
	masked := failed
	masked.verdict.Retry, masked.verdict.Headline = verdict.FewerJobs, "1 request refused"
	again.again, measured.again = true, true
	adapt := func(app fixtures.App, _ timeline.Timeline) (fixtures.App, error) { return app, nil }
	byOthers := func(context.Context, disruption.Stage) error { return nil }
	broken := errors.New("no space left on device")
	load := func(l harness.UnderLoad) harness.Scenario { return harness.Scenario{Kind: l} }
	for _, row := range []struct {
		sentence string
		scenario harness.Scenario
		results  []result
		fails    error // returned with the last result
		want     verdict.Outcome
		tries    []int // that each attempt gets
	}{
		{"one that passes is recorded once", harness.Scenario{}, []result{passed}, nil, verdict.Pass, []int{1}},
		{"so is one that fails", harness.Scenario{}, []result{failed}, nil, verdict.Fail, []int{1}},
		{"so is one that is inconclusive for another reason", harness.Scenario{}, []result{blind}, nil, verdict.Inconclusive, []int{1}},
		{"one whose clients were late is recorded once more", harness.Scenario{}, []result{late, passed}, nil, verdict.Pass, []int{1, 2}},
		{"or twice", harness.Scenario{}, []result{late, starved, passed}, nil, verdict.Pass, []int{1, 2, 3}},
		{"and no fourth time", harness.Scenario{}, []result{starved, starved, starved}, nil, verdict.Inconclusive, []int{1, 2, 3}},
		{"so is one that fails while another finding is excused", harness.Scenario{}, []result{masked, passed}, nil, verdict.Pass, []int{1, 2}},
		{"it fails if the next attempt fails, too", harness.Scenario{}, []result{masked, failed}, nil, verdict.Fail, []int{1, 2}},
		{"a disruption by others cannot be repeated", load(harness.UnderLoad{Disruption: &disruption.Disruption{AwaitWhole: byOthers}}),
			[]result{late}, nil, verdict.Inconclusive, []int{1}},
		{"our own disruption can",
			load(harness.UnderLoad{Disruption: &disruption.Disruption{}}), []result{late, passed}, nil, verdict.Pass, []int{1, 2}},
		{"a negative control is repeated until it sees damage",
			harness.Scenario{Tries: 3}, []result{again, passed}, nil, verdict.Pass, []int{3, 3}},
		{"or until its tries are over", harness.Scenario{Tries: 3}, []result{again, again, blind}, nil, verdict.Inconclusive, []int{3, 3, 3}},
		{"so is a scenario with a precondition", harness.Scenario{Expect: []evidence.Expectation{verdict.StepInRollout("drain")}},
			[]result{again, again, passed}, nil, verdict.Pass, []int{3, 3, 3}},
		{"a failure of another rule ends it at once", harness.Scenario{Expect: []evidence.Expectation{verdict.StepInRollout("drain")}},
			[]result{failed}, nil, verdict.Fail, []int{3}},
		{"or it is repeated as often as its Tries say",
			harness.Scenario{Expect: []evidence.Expectation{verdict.StepInRollout("drain")}, Tries: 2},
			[]result{again, blind}, nil, verdict.Inconclusive, []int{2, 2}},
		{"an attempt with late clients does not count",
			harness.Scenario{Tries: 2}, []result{late, again, passed}, nil, verdict.Pass, []int{2, 3, 3}},
		{"a recording that only measures is not judged",
			load(harness.UnderLoad{Adapt: adapt}), []result{measured, failed}, nil, verdict.Fail, []int{2, 2}},
		{"unless Adapt fails", load(harness.UnderLoad{Adapt: adapt}), []result{blind}, nil, verdict.Inconclusive, []int{2}},
		{"an error ends it", harness.Scenario{Tries: 3}, []result{again, {}}, broken, 0, []int{3, 3}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var tries []int
			v, err := retry(row.scenario, func(number, n int, before earlier) (result, error) {
				tries = append(tries, n)
				failed := slices.ContainsFunc(row.results[:number-1], func(r result) bool { return r.verdict.Outcome == verdict.Fail })
				if (before.failed != "") != failed {
					t.Errorf("attempt %d knows of the failure %q before it", number, before.failed)
				}
				if number != len(tries) || number > len(row.results) {
					t.Fatalf("attempt %d comes after %d of %d", number, len(tries)-1, len(row.results))
				}
				if number == len(row.results) {
					return row.results[number-1], row.fails
				}
				return row.results[number-1], nil
			}, func(string) {})
			if !errors.Is(err, row.fails) || err == nil && v.Outcome != row.want {
				t.Errorf("%s, %v; want %s, %v", v.Outcome, err, row.want, row.fails)
			}
			if diff := cmp.Diff(row.tries, tries); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A scenario is recorded again only if a precondition alone was not met.
func TestPreconditionIsTriedAgain(t *testing.T) {
	for _, row := range []struct {
		sentence string
		expect   []evidence.Expectation
		number   int
		want     bool
	}{
		{"a precondition that was not met", []evidence.Expectation{verdict.SentWhileTerminating(), verdict.Fact("answer", "no")}, 1, true},
		{"one not met, beside an expectation that holds",
			[]evidence.Expectation{verdict.Noted("answer"), verdict.SentWhileTerminating()}, 2, true},
		{"one not met in the last try", []evidence.Expectation{verdict.SentWhileTerminating()}, 3, false},
		{"one not met, beside a failure", []evidence.Expectation{verdict.SentWhileTerminating(), verdict.Fact("answer", "yes")}, 1, false},
		{"one not met, beside another inconclusive rule",
			[]evidence.Expectation{verdict.SentWhileTerminating(), verdict.Fact("question", "yes")}, 1, false},
		{"another inconclusive rule alone", []evidence.Expectation{verdict.Fact("question", "yes")}, 1, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := t.TempDir()
			run := evidence.Run{Scenario: "asked", Unloaded: true, Expect: row.expect, Attempt: row.number, Tries: 3}
			err := store.Write(folder, evidence.Evidence{Run: run, Events: []evidence.Event{
				{At: time.Second, Kind: evidence.Fact, Object: "answer", Detail: "no"},
			}})
			if err != nil {
				t.Fatal(err)
			}
			res, err := attempt{mode: &ModeRun{run: &Run{}}, number: row.number, tries: 3}.judge(&harness.Scenario{}, folder)
			if err != nil || res.again != row.want {
				t.Errorf("again %v, %v; want %v: %s", res.again, err, row.want, res.verdict.Because)
			}
		})
	}
}
