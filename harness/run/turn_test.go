package run

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
)

// turnsOf returns the turns of a cluster on which only one Service at a time can be reached from outside.
func turnsOf(jobs, most int) *turns {
	return &turns{limits: func() (int, int) { return jobs, most }, oneService: true, recordings: map[string]*shared{}}
}

// try takes a turn if one is free; it returns nil if none is.
func (t *turns) try(o harness.Occupancy) (release func()) {
	if !t.free(o) {
		return nil
	}
	t.count(o, 1)
	return func() { t.count(o, -1) }
}

// In any order of turns, never more recordings are under way than the run allows, and nothing beside one
// that needs the whole cluster.
func TestTurnsAcquire(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := rapid.IntRange(1, 4).Draw(rt, "jobs")
		most := rapid.IntRange(jobs, 6).Draw(rt, "most")
		asked := rapid.SliceOfN(rapid.SampledFrom([]harness.Occupancy{harness.WithoutLoad, harness.WithoutLoad, harness.HalfLoad,
			harness.FromOutside, harness.LoneLoad, harness.WholeCluster}), 1, 8).Draw(rt, "asked")
		turns := turnsOf(jobs, most)
		var without, outside, loads, lone, wholes atomic.Int32
		var all sync.WaitGroup
		for i, s := range asked {
			all.Go(func() {
				release, err := turns.acquire(t.Context(), s, time.Duration(i))
				if err != nil {
					t.Error(err)
					return
				}
				count := map[harness.Occupancy]*atomic.Int32{harness.WithoutLoad: &without, harness.FromOutside: &outside,
					harness.HalfLoad: &loads, harness.LoneLoad: &lone, harness.WholeCluster: &wholes}[s]
				count.Add(1)
				x := outside.Load()
				w, l, o, a := without.Load()+x, loads.Load(), lone.Load(), wholes.Load()
				limit := most
				if l+o > 0 {
					limit = jobs
				}
				if int(w+l+o) > limit || x+l+o > 1 || int(l) > loadsOf(jobs) || o > 1 || o == 1 && l > 0 || a > 1 || a == 1 && w+l+o > 0 {
					t.Errorf("%d without, %d under load, %d alone so and %d that want all, at %d jobs and %d without load", w, l, o, a, jobs, most)
				}
				count.Add(-1)
				release()
			})
		}
		all.Wait()
	})
}

// With one job beside load and three without.
func TestTurnsBesideLoad(t *testing.T) {
	const load, without, lone, outside = harness.HalfLoad, harness.WithoutLoad, harness.LoneLoad, harness.FromOutside
	for _, row := range []struct {
		sentence string
		jobs     int
		began    []harness.Occupancy
		ended    int // how many of those that began, from the first on
		asks     harness.Occupancy
		gets     bool
	}{
		{"three without load run side by side", 1, []harness.Occupancy{without, without}, 0, without, true},
		{"but not four", 1, []harness.Occupancy{without, without, without}, 0, without, false},
		{"one under load waits until all of them have ended", 1, []harness.Occupancy{without, without}, 0, load, false},
		{"also if one of them has ended", 1, []harness.Occupancy{without, without}, 1, load, false},
		{"and then it runs", 1, []harness.Occupancy{without, without}, 2, load, true},
		{"with one job, nothing runs beside one under load", 1, []harness.Occupancy{load}, 0, without, false},
		{"nor beside a LoneLoad", 1, []harness.Occupancy{lone}, 0, without, false},
		{"with two jobs, one without load runs beside one under load", 2, []harness.Occupancy{load}, 0, without, true},
		{"and no other", 2, []harness.Occupancy{load, without}, 0, without, false},
		{"nor does one under load run beside two without", 2, []harness.Occupancy{without, without}, 0, load, false},
		{"but it does beside the last of three", 2, []harness.Occupancy{without, without, without}, 2, load, true},
		{"one that is reached from outside runs beside others without load", 1, []harness.Occupancy{without, without}, 0, outside, true},
		{"but not beside another that is reached from outside", 1, []harness.Occupancy{outside, without}, 0, outside, false},
		{"nor beside one under load", 1, []harness.Occupancy{load}, 0, outside, false},
		{"nor does one under load run beside it", 2, []harness.Occupancy{outside}, 0, load, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			turns := turnsOf(row.jobs, 3)
			var began []func()
			for _, o := range row.began {
				release := turns.try(o)
				if release == nil {
					t.Fatalf("%v got no turn", o)
				}
				began = append(began, release)
			}
			for _, release := range began[:row.ended] {
				release()
			}
			if gets := turns.free(row.asks); gets != row.gets {
				t.Errorf("it gets a turn: %v, want %v", gets, row.gets)
			}
		})
	}
}

func TestTurnsLongestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := turnsOf(1, 1)
		release, err := turns.acquire(t.Context(), harness.WithoutLoad, 0)
		if err != nil {
			t.Fatal(err)
		}
		var had []time.Duration
		for _, expected := range []time.Duration{3, 5, 2} {
			go func() {
				next, err := turns.acquire(t.Context(), harness.WithoutLoad, expected)
				if err != nil {
					t.Error(err)
					return
				}
				had = append(had, expected)
				next()
			}()
		}
		synctest.Wait() // until all of them wait
		release()
		synctest.Wait()
		if diff := cmp.Diff([]time.Duration{5, 3, 2}, had); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A waiter that gave up has no turn, and does not block others.
func TestTurnsAcquireEndsWithContext(t *testing.T) {
	turns := turnsOf(1, 1)
	release, err := turns.acquire(t.Context(), harness.WholeCluster, 0)
	if err != nil {
		t.Fatal(err)
	}
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted)
	if _, err := turns.acquire(ctx, harness.WithoutLoad, 0); !errors.Is(err, interrupted) {
		t.Error(err)
	}
	release()
	if !turns.free(harness.WholeCluster) || len(turns.waiting) > 0 {
		t.Errorf("%d wait, %d have a turn", len(turns.waiting), turns.jobs)
	}
}

// A cleanup behind the next recording delays recordings that need the whole cluster.
func TestTurnsCleanup(t *testing.T) {
	turns := turnsOf(1, 1)
	done := turns.cleanup()
	if turns.free(harness.WholeCluster) || !turns.free(harness.HalfLoad) {
		t.Error("beside a cleanup the whole cluster was free, or nothing was")
	}
	done()
	if !turns.free(harness.WholeCluster) {
		t.Error("it is not free afterwards")
	}
}

// One recording serves scenarios of the same rollout, of any suite, if it can be trusted.
func TestTurnsShare(t *testing.T) {
	update := rollout.Update("v1", "v2")
	drained := harness.Scenario{App: fixtures.App{Replicas: 3, PreStopSleep: 5 * time.Second}, Kind: harness.UnderLoad{Rollout: update}}
	longer, plain, other, control, steps := drained, drained, drained, drained, drained
	longer.App.PreStopSleep *= 2
	plain.Kind = harness.UnderLoad{Rollout: update, Also: []string{evidence.Plain}}
	other.Kind = harness.UnderLoad{Rollout: rollout.UpdateStatefulSet("v1", "v2")}
	control.Tries = 3
	steps.Kind = harness.InSteps{}
	asked := drained
	asked.ID, asked.Claim, asked.Expect = "another", "asks for more", []evidence.Expectation{{Rule: "no-failures"}}
	for _, row := range []struct {
		sentence string
		second   harness.Scenario
		served   bool
	}{
		{"another question about it", asked, true},
		{"pods that sleep longer", longer, false},
		{"one more client", plain, false},
		{"another kind of workload", other, false},
		{"a negative control, which may be made again", control, false},
		{"a scenario without load", steps, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			turns := turnsOf(1, 1)
			first, err := turns.share(t.Context(), drained)
			if err != nil || first.folder != "" {
				t.Fatalf("%+v, %v: nobody has made it", first, err)
			}
			first.scenario, first.folder = "rollout/drained", "a folder"
			first.release()
			second, err := turns.share(t.Context(), row.second)
			if err != nil {
				t.Fatal(err)
			}
			if served := second.folder == "a folder"; served != row.served {
				t.Errorf("served %v, want %v", served, row.served)
			}
			second.release()
		})
	}
}

func TestTurnsShareWithoutOffer(t *testing.T) {
	turns := turnsOf(1, 1)
	s := harness.Scenario{Kind: harness.UnderLoad{Rollout: rollout.Update("v1", "v2")}}
	for range 2 {
		r, err := turns.share(t.Context(), s)
		if err != nil || r.folder != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		r.release() // without an offer
	}
}
