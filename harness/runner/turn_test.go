package runner

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/rollout"
)

// A session in a folder, with the turns of its cluster as another process has them.
func sessionOf(t interface {
	Fatal(...any)
	TempDir() string
}, jobs, most int) (folder string, another func() *turns) {
	folder = t.TempDir()
	if err := store.WriteJSON(evidence.SessionPath(folder), evidence.Session{Jobs: jobs, MostJobs: most, Rate: 100}); err != nil {
		t.Fatal(err)
	}
	return folder, func() *turns { return &turns{dir: filepath.Join(folder, "turns"), session: folder, oneService: true} }
}

// Whatever is asked for in whatever order by several processes: never more at a time than the run allows, and nothing beside
// what wants the whole cluster.
func TestTurnsAcquire(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := rapid.IntRange(1, 4).Draw(rt, "jobs")
		most := rapid.IntRange(jobs, 6).Draw(rt, "most")
		asked := rapid.SliceOfN(rapid.SampledFrom([]harness.Occupancy{harness.WithoutLoad, harness.WithoutLoad, harness.UnderLoad,
			harness.FromOutside, harness.LoneLoad, harness.WholeCluster}), 1, 8).Draw(rt, "asked")
		_, another := sessionOf(t, jobs, most)
		processes := []*turns{another(), another()}
		var without, outside, loads, lone, wholes atomic.Int32
		var all sync.WaitGroup
		for i, s := range asked {
			all.Go(func() {
				release, err := processes[i%2].acquire(t.Context(), s, time.Duration(i))
				if err != nil {
					t.Error(err)
					return
				}
				count := map[harness.Occupancy]*atomic.Int32{harness.WithoutLoad: &without, harness.FromOutside: &outside,
					harness.UnderLoad: &loads, harness.LoneLoad: &lone, harness.WholeCluster: &wholes}[s]
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
				if err := release(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// With one job beside load and three without.
func TestTurnsBesideLoad(t *testing.T) {
	const load, without, lone, outside = harness.UnderLoad, harness.WithoutLoad, harness.LoneLoad, harness.FromOutside
	for _, row := range []struct {
		sentence string
		jobs     int
		began    []harness.Occupancy
		ended    int // of those that began, from the first on
		asks     harness.Occupancy
		gets     bool
	}{
		{"three without load go side by side", 1, []harness.Occupancy{without, without}, 0, without, true},
		{"but not four", 1, []harness.Occupancy{without, without, without}, 0, without, false},
		{"one under load waits until all of them have ended", 1, []harness.Occupancy{without, without}, 0, load, false},
		{"also those that began beside one that has ended", 1, []harness.Occupancy{without, without}, 1, load, false},
		{"and goes then", 1, []harness.Occupancy{without, without}, 2, load, true},
		{"nothing goes beside it", 1, []harness.Occupancy{load}, 0, without, false},
		{"nor beside one that is to be alone under load", 1, []harness.Occupancy{lone}, 0, without, false},
		{"with two jobs one without load goes beside it", 2, []harness.Occupancy{load}, 0, without, true},
		{"and no other", 2, []harness.Occupancy{load, without}, 0, without, false},
		{"nor does it go beside two", 2, []harness.Occupancy{without, without}, 0, load, false},
		{"as little as beside one of three", 2, []harness.Occupancy{without, without, without}, 2, load, false},
		{"what is asked from outside goes beside others without load", 1, []harness.Occupancy{without, without}, 0, outside, true},
		{"but not where the way from outside is taken", 1, []harness.Occupancy{outside, without}, 0, outside, false},
		{"nor beside a load", 1, []harness.Occupancy{load}, 0, outside, false},
		{"which asks from outside too", 2, []harness.Occupancy{outside}, 0, load, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, another := sessionOf(t, row.jobs, 3)
			var turns []held
			for _, s := range row.began {
				turn, err := another().try(s)
				if err != nil || turn == nil {
					t.Fatalf("%v got no turn: %v", s, err)
				}
				turns = append(turns, turn)
			}
			for _, turn := range turns[:row.ended] {
				if err := turn.release(); err != nil {
					t.Fatal(err)
				}
			}
			turn, err := another().try(row.asks)
			if err != nil || (turn != nil) != row.gets {
				t.Errorf("it got %v, %v; a turn: %v", turn, err, row.gets)
			}
			for _, turn := range append(turns[row.ended:], turn) {
				if err := turn.release(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestTurnsLongestFirst(t *testing.T) {
	_, another := sessionOf(t, 1, 1)
	mine := another()
	release, err := another().acquire(t.Context(), harness.WithoutLoad, 0)
	if err != nil {
		t.Fatal(err)
	}
	var had []time.Duration
	var noting sync.Mutex // the race detector does not know that lock files order what is done
	var all sync.WaitGroup
	first := mine.enqueue(harness.WithoutLoad, time.Second) // it is asking already, and stays the first
	for _, expected := range []time.Duration{3 * time.Second, 5 * time.Second, 2 * time.Second} {
		all.Go(func() {
			next, err := mine.acquire(t.Context(), harness.WithoutLoad, expected)
			if err != nil {
				t.Error(err)
				return
			}
			noting.Lock()
			had = append(had, expected)
			noting.Unlock()
			if err := next(); err != nil {
				t.Error(err)
			}
		})
	}
	waiting := func() int {
		mine.mu.Lock()
		defer mine.mu.Unlock()
		return len(mine.waiting)
	}
	for waiting() < 4 {
		time.Sleep(time.Millisecond) // until all of them wait
	}
	mine.dequeue(first)
	if err := release(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if diff := cmp.Diff([]time.Duration{5 * time.Second, 3 * time.Second, 2 * time.Second}, had); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTurnsAcquireEndsWithContext(t *testing.T) {
	_, another := sessionOf(t, 1, 1)
	release, err := another().acquire(t.Context(), harness.WholeCluster, 0)
	if err != nil {
		t.Fatal(err)
	}
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted)
	if _, err := another().acquire(ctx, harness.WithoutLoad, 0); !errors.Is(err, interrupted) {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

// One recording serves scenarios of the same rollout, of any suites, once it can be trusted.
func TestTurnsShare(t *testing.T) {
	drained := harness.Scenario{App: fixtures.App{Replicas: 3, PreStopSleep: 5 * time.Second}, Load: harness.Load{Rate: 100},
		Rollout: rollout.Update("v1", "v2")}
	longer, plain, other, control, steps := drained, drained, drained, drained, drained
	longer.App.PreStopSleep *= 2
	plain.Load.Also = []string{evidence.Plain}
	other.Rollout = rollout.UpdateStatefulSet("v1", "v2")
	control.Tries = 3
	steps.Steps = func(context.Context, *harness.Steps) {}
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
			_, another := sessionOf(t, 1, 1)
			first, err := another().share(t.Context(), drained)
			if err != nil || first.made.Folder != "" {
				t.Fatalf("%+v, %v: nobody has made it", first, err)
			}
			if err := errors.Join(first.offer("rollout/drained", "a folder"), first.release()); err != nil {
				t.Fatal(err)
			}
			second, err := another().share(t.Context(), row.second)
			if err != nil {
				t.Fatal(err)
			}
			if served := second != nil && second.made.Folder == "a folder"; served != row.served {
				t.Errorf("served %v, want %v", served, row.served)
			}
			if err := second.release(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTurnsShareWithoutOffer(t *testing.T) {
	_, another := sessionOf(t, 1, 1)
	s := harness.Scenario{Load: harness.Load{Rate: 100}, Rollout: rollout.Update("v1", "v2")}
	for range 2 {
		made, err := another().share(t.Context(), s)
		if err != nil || made.made.Folder != "" {
			t.Fatalf("%+v, %v", made, err)
		}
		if err := made.release(); err != nil { // without an offer
			t.Fatal(err)
		}
	}
}
