package run

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

func TestLowerRate(t *testing.T) {
	r := recordsInto(t, 4, 6)
	for _, row := range []struct {
		sentence   string
		from, want int
		steps      int
	}{
		{"the first late recording lowers the rate", 100, 50, 1},
		{"another late one at the rate before changes nothing", 100, 50, 1},
		{"a late one at the current rate lowers it again", 50, 25, 2},
		{"and so on", 25, 12, 3},
		{"down to the last step", 12, 6, 4},
		{"and no lower", 6, 6, 4},
	} {
		now, err := r.lowerRate(row.from, "clients were late")
		var s evidence.Session
		if err := errors.Join(err, store.ReadJSON(evidence.SessionPath(r.Folder), &s)); err != nil {
			t.Fatal(err)
		}
		if now != row.want || s.Rate != row.want || len(s.Steps) != row.steps {
			t.Errorf("%s: %d, session %d after %d steps, want %d after %d", row.sentence, now, s.Rate, len(s.Steps), row.want, row.steps)
		}
	}
	for _, row := range []struct {
		sentence   string
		raise      bool
		from, want int
	}{
		{"no pod waited: one job more", true, 4, 5},
		{"again no pod waited", true, 5, 6},
		{"no more than this machine may carry", true, 6, 6},
		{"a pod waited: one job less", false, 6, 5},
		{"a recording from before the change changes nothing", false, 6, 5},
		{"nor does one in which no pod waited", true, 6, 5},
		{"6 jobs were too many: never again", true, 5, 5},
		{"a pod waited again", false, 5, 4},
		{"so were 5 jobs", true, 4, 4},
		{"down to one", false, 4, 3}, {"down to one", false, 3, 2}, {"down to one", false, 2, 1}, {"and no less", false, 1, 1},
	} {
		change := func(from int) error { return r.lowerJobs(from, "a pod waited") }
		if row.raise {
			change = r.raiseJobs
		}
		err := change(row.from)
		var s evidence.Session
		if err := errors.Join(err, store.ReadJSON(evidence.SessionPath(r.Folder), &s)); err != nil || s.Jobs != row.want {
			t.Errorf("%s: %d side by side after one of %d, %v; want %d", row.sentence, s.Jobs, row.from, err, row.want)
		}
	}
}

// What a load cannot show because its rate was lowered is said with numbers.
func TestLoweredRateIsALimit(t *testing.T) {
	load := harness.Scenario{Kind: harness.UnderLoad{}}
	steps := harness.Scenario{Kind: harness.InSteps{}}
	long := harness.Scenario{Kind: harness.UnderLoad{Settle: time.Minute}}
	for _, row := range []struct {
		sentence    string
		scenario    harness.Scenario
		rate, first int
		want        string
	}{
		{"the rate that the run began with", load, 25, 25, ""},
		{"the lowest rate, which was asked for", load, 6, 6, ""},
		{"steps send no load", steps, 6, 25, ""},
		{"the rate was lowered", load, 6, 25, "each client sent 6 requests per second, not 25, because this machine carried no more: " +
			"a loss shorter than 167 ms may not be seen, nor one later than 3.00 s after all was at rest"},
		{"the load goes on for longer", long, 12, 25, "each client sent 12 requests per second, not 25, because this machine carried no more: " +
			"a loss shorter than 83 ms may not be seen, nor one later than 60.0 s after all was at rest"},
	} {
		var want []evidence.Limit
		if row.want != "" {
			want = []evidence.Limit{{ID: evidence.RateLowered, Text: row.want}}
		}
		got := lowered(row.scenario.At(row.rate, 1).UnderLoad(), row.scenario.At(row.first, 1).UnderLoad())
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", row.sentence, got, want)
		}
	}
}

func TestFirstRate(t *testing.T) {
	for _, row := range []struct{ jobs, cores, want int }{{1, 2, 50}, {2, 2, 50}, {3, 2, 25}, {8, 2, 12}, {16, 2, 6}, {12, 8, 25},
		{1, 64, 100}, {16, 1, 6}} {
		if got := firstRate(row.jobs, row.cores); got != row.want {
			t.Errorf("%d side by side on %d cores: %d requests per second and lane, want %d", row.jobs, row.cores, got, row.want)
		}
	}
}
