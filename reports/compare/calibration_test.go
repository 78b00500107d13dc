package compare_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

// A past is what seven equal runs on real clusters recorded of each scenario, by mode and name, and the moments at which old pods left in
// all of these runs.
type past struct {
	names      []string // mode and name
	recordings map[string][]model.Scenario
	moments    map[string][][]model.PodLag
}

const drainedScenario = "rollout/drained-rolling-update"

func readPast(t *testing.T) past {
	t.Helper()
	f, err := os.Open("testdata/equal-runs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	p := past{recordings: map[string][]model.Scenario{}, moments: map[string][][]model.PodLag{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r model.Report
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Scenarios {
			key := s.Mode + " " + s.Name()
			p.recordings[key] = append(p.recordings[key], s)
			p.moments[key] = append(p.moments[key], momentsOf(s.Lags)...)
		}
	}
	for key := range p.recordings {
		p.names = append(p.names, key)
	}
	slices.Sort(p.names)
	return p
}

// momentsOf groups lags whose pods left within a period of kube-proxy.
func momentsOf(lags []model.PodLag) (moments [][]model.PodLag) {
	lags = slices.Clone(lags)
	slices.SortStableFunc(lags, func(a, b model.PodLag) int { return int(a.Left - b.Left) })
	for _, l := range lags {
		if n := len(moments); n > 0 && l.Left-moments[n-1][0].Left < 1000 {
			moments[n-1] = append(moments[n-1], l)
		} else {
			moments = append(moments, []model.PodLag{l})
		}
	}
	return moments
}

// draw returns a run made at random: each scenario is one of its recordings, with moments from all of them. A storm is 33 moments of
// rolling updates, which are 66 terminations as two nodes see them.
func (p past) draw(random *rand.Rand, id string, storm bool, damage func(*model.Scenario)) compare.Side {
	s := side(id, "v1.36.3")
	for _, key := range p.names {
		recorded := p.recordings[key][random.IntN(len(p.recordings[key]))]
		add := func(recorded model.Scenario, count int) {
			recorded.Lags = drawMoments(random, p.moments[key], count)
			if recorded.Terminations != nil {
				recorded.Terminations = new(*recorded.Terminations)
			}
			if damage != nil {
				damage(&recorded)
			}
			s.Report.Scenarios = append(s.Report.Scenarios, recorded)
		}
		add(recorded, len(momentsOf(recorded.Lags)))
		if storm && recorded.Name() == drainedScenario {
			recorded.ID, recorded.Terminations = "storm", &model.Terminations{Count: 66}
			add(recorded, 33)
		}
	}
	return s
}

func drawMoments(random *rand.Rand, from [][]model.PodLag, count int) (lags []model.PodLag) {
	for i := range count {
		for _, l := range from[random.IntN(len(from))] {
			l.Pod, l.Left = fmt.Sprintf("%s-%d", l.Pod, i), float64(5000*i)
			lags = append(lags, l)
		}
	}
	return lags
}

// lagging returns a function that changes every lag of a scenario.
func lagging(change func(float64) float64) func(*model.Scenario) {
	return func(s *model.Scenario) {
		for i := range s.Lags {
			l := &s.Lags[i]
			for _, x := range []**float64{&l.DrainLag, &l.RuleLag, &l.NeededDrain} {
				if *x != nil {
					*x = new(change(**x))
				}
			}
		}
	}
}

// drainedFor returns a function that drains pods for so many milliseconds: a termination that needed longer loses a request. The outcome
// stays, so that only numbers can tell.
func drainedFor(drain float64) func(*model.Scenario) {
	return func(s *model.Scenario) {
		if s.Terminations == nil || len(s.Rules) == 0 {
			return
		}
		short, all := 0, 0
		for _, l := range s.Lags {
			if l.NeededDrain != nil {
				if all++; *l.NeededDrain > drain {
					short++
				}
			}
		}
		if all > 0 {
			s.Terminations.Lost = s.Terminations.Count * short / all
		}
	}
}

// TestCalibration makes the guide's table of what accept finds, from pairs of runs drawn from recordings: equal runs are a no-go in one of
// a hundred at most, and a doubled rule lag is one in nine of ten at least.
func TestCalibration(t *testing.T) {
	p := readPast(t)
	random := rand.New(rand.NewPCG(32, 6))
	table := reports.Section{Head: []string{"What differs", "Runs of a side", "Storm", "Pairs", "go", "cannot tell", "no-go"}}
	for _, row := range []struct {
		what   string
		damage func(*model.Scenario)
		runs   int
		storm  bool
		pairs  int
		good   func(answers map[compare.Answer]int) bool
	}{
		{"nothing", nil, 1, false, 30, falseAlarm},
		{"nothing", nil, 1, true, 30, falseAlarm},
		{"nothing", nil, 3, true, 30, falseAlarm},
		{"rule lag doubled", lagging(func(x float64) float64 { return 2 * x }), 1, false, 30, nil},
		{"rule lag doubled", lagging(func(x float64) float64 { return 2 * x }), 1, true, 30, nineOfTen},
		{"minSyncPeriod of 3 s", lagging(func(x float64) float64 { return 3 * x }), 1, false, 30, nil},
		{"minSyncPeriod of 3 s", lagging(func(x float64) float64 { return 3 * x }), 1, true, 30, nineOfTen},
		{"drained for 0.5 s", drainedFor(500), 1, false, 30, nil},
		{"drained for 0.5 s", drainedFor(500), 1, true, 30, nineOfTen},
	} {
		answers := map[compare.Answer]int{}
		for range row.pairs {
			var a, b compare.Runs
			for i := range row.runs {
				a = append(a, p.draw(random, fmt.Sprint("a-", i), row.storm, nil))
				b = append(b, p.draw(random, fmt.Sprint("b-", i), row.storm, row.damage))
			}
			d, err := compare.Decide(a, b, nil, compare.Policy{}, compare.History{}, today)
			if err != nil {
				t.Fatal(err)
			}
			answers[d.Answer()]++
		}
		if row.good != nil && !row.good(answers) {
			t.Errorf("%s, %d runs of a side, storm %t: %v", row.what, row.runs, row.storm, answers)
		}
		cells := []string{row.what, fmt.Sprint(row.runs), map[bool]string{true: "yes", false: "no"}[row.storm], fmt.Sprint(row.pairs)}
		for _, answer := range []compare.Answer{compare.Go, compare.Undecided, compare.NoGo} {
			cells = append(cells, fmt.Sprintf("%d%%", (100*answers[answer]+row.pairs/2)/row.pairs))
		}
		table.Rows = append(table.Rows, cells)
	}
	text := reports.Head(table.Head...)
	for _, row := range table.Rows {
		text += reports.Row(row...)
	}
	golden.Section(t, "../README.md", "calibration", text)
}

func falseAlarm(answers map[compare.Answer]int) bool {
	all := answers[compare.Go] + answers[compare.Undecided] + answers[compare.NoGo]
	return 100*answers[compare.NoGo] <= all
}

func nineOfTen(answers map[compare.Answer]int) bool {
	return answers[compare.NoGo] >= 9*(answers[compare.Go]+answers[compare.Undecided])
}
