package runner

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
)

func TestRetry(t *testing.T) {
	of := func(o verdict.Outcome) result { return result{verdict: verdict.Verdict{Outcome: o}} }
	passed, failed, blind := of(verdict.Pass), of(verdict.Fail), of(verdict.Inconclusive)
	late, starved, again, measured := blind, blind, blind, passed
	late.verdict.Late, starved.verdict.Starved = true, true
	again.again, measured.again = true, true
	adapt := func(app fixtures.App, _ timeline.Timeline) (fixtures.App, error) { return app, nil }
	broken := errors.New("no space left on device")
	for _, row := range []struct {
		sentence string
		scenario harness.Scenario
		results  []result
		fails    error // beside the last of them
		want     verdict.Outcome
		tries    []int // as each attempt is told
	}{
		{"one that passes is recorded once", harness.Scenario{}, []result{passed}, nil, verdict.Pass, []int{1}},
		{"so is one that fails", harness.Scenario{}, []result{failed}, nil, verdict.Fail, []int{1}},
		{"so is one that cannot tell", harness.Scenario{}, []result{blind}, nil, verdict.Inconclusive, []int{1}},
		{"one that was late is recorded once more", harness.Scenario{}, []result{late, passed}, nil, verdict.Pass, []int{1, 2}},
		{"and no third time", harness.Scenario{}, []result{late, late}, nil, verdict.Inconclusive, []int{1, 2}},
		{"so is one whose kubelet was late", harness.Scenario{}, []result{starved, late}, nil, verdict.Inconclusive, []int{1, 2}},
		{"a negative control goes on until it sees damage", harness.Scenario{Tries: 3}, []result{again, passed}, nil, verdict.Pass, []int{3, 3}},
		{"or its tries are over", harness.Scenario{Tries: 3}, []result{again, again, blind}, nil, verdict.Inconclusive, []int{3, 3, 3}},
		{"that it was late once is no try", harness.Scenario{Tries: 2}, []result{late, again, passed}, nil, verdict.Pass, []int{2, 3, 3}},
		{"what only measures is not judged", harness.Scenario{Adapt: adapt}, []result{measured, failed}, nil, verdict.Fail, []int{2, 2}},
		{"unless it cannot be adapted", harness.Scenario{Adapt: adapt}, []result{blind}, nil, verdict.Inconclusive, []int{2}},
		{"an error ends it", harness.Scenario{Tries: 3}, []result{again, {}}, broken, 0, []int{3, 3}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var tries []int
			v, err := retry(row.scenario, func(number, n int) (result, error) {
				tries = append(tries, n)
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
