package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
)

// A namedCluster has only a name and a mode.
type namedCluster struct{ cluster.Cluster }

func (namedCluster) Name() string       { return "fake" }
func (namedCluster) Mode() string       { return "iptables" }
func (namedCluster) Kubernetes() string { return "v1.36.3" }
func (namedCluster) Door() cluster.Door { return cluster.NoDoor("it is a fake") }

// A fakeRecording prints what is done with it.
type fakeRecording struct {
	tooMuch string
	leaves  error // error of Cleanup
	log     *[]string
}

func (f fakeRecording) TooMuch() string { return f.tooMuch }

func (f fakeRecording) Diagnose(context.Context, string) { *f.log = append(*f.log, "diagnosed") }

func (f fakeRecording) Cleanup(_ context.Context, kept bool) error {
	*f.log = append(*f.log, map[bool]string{true: "cleaned up", false: "cleaned up and forgotten"}[kept])
	return f.leaves
}

func TestAttemptRun(t *testing.T) {
	const much = "3 of 100 requests were late"
	for _, row := range []struct {
		sentence string
		answers  []string // that each recording notes
		tooMuch  []string // of each
		leaves   error
		fails    error // error of the recorder, which then made no recording
		want     verdict.Outcome
		log      []string
		rate     int // of the run afterwards
		broken   int
	}{
		{"one that passes is cleaned up", []string{"yes"}, []string{""}, nil, nil, verdict.Pass, []string{"cleaned up"}, 100, 0},
		{"one that fails is diagnosed before that", []string{"no"}, []string{""}, nil, nil, verdict.Fail, []string{"diagnosed", "cleaned up"},
			100, 0},
		{"a recording whose load is too much is deleted, and made again with less",
			[]string{"no", "yes"}, []string{much, ""}, nil, nil, verdict.Pass,
			[]string{"cleaned up and forgotten", "cleaned up"}, 50, 0},
		{"a second time with still less", []string{"no", "no", "yes"}, []string{much, much, ""}, nil, nil, verdict.Pass,
			[]string{"cleaned up and forgotten", "cleaned up and forgotten", "cleaned up"}, 25, 0},
		{"a failed cleanup breaks the run, and not the scenario", []string{"yes"}, []string{""}, errors.New("a pod is left"), nil, verdict.Pass,
			[]string{"cleaned up"}, 100, 1},
		{"a recording with bad input is deleted without diagnostics",
			[]string{""}, []string{""}, nil, usage.New("service", "refused", "mend it"), 0,
			[]string{"cleaned up and forgotten"}, 100, 0},
		{"without a recording there is no cleanup", []string{""}, []string{""}, nil, errors.New("no space left"), 0, nil, 100, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var log []string
			made := 0
			r := recordsInto(t, 1, 1)
			r.pool = namespace.NewPool([]string{"shop"}, nil)
			m := r.modeRun("iptables", namedCluster{})
			r.recorder = func(_ context.Context, _ harness.Scenario, c record.Config) (recording, error) {
				switch {
				case usage.Is(row.fails):
					return fakeRecording{"", row.leaves, &log}, row.fails
				case row.fails != nil:
					return nil, row.fails
				}
				answer, tooMuch := row.answers[made], row.tooMuch[made]
				made++
				if c.Lease.Name != "shop" || !c.CheckLoad {
					t.Errorf("recorded in %s, with its load checked: %v", c.Lease.Name, c.CheckLoad)
				}
				run := c.Header
				run.Unloaded, run.Began, run.Length = true, time.Now(), 3*time.Second
				return fakeRecording{tooMuch, row.leaves, &log}, store.Write(c.Folder, evidence.Evidence{Run: run, Events: []evidence.Event{
					{At: time.Second, Kind: evidence.LoadBegun},
					{At: 1500 * time.Millisecond, Kind: evidence.Fact, Object: "answer", Detail: answer},
					{At: 2 * time.Second, Kind: evidence.LoadEnded},
				}})
			}
			s := harness.Scenario{ID: "asked", Kind: harness.InSteps{},
				Expect: []evidence.Expectation{verdict.Fact("answer", "yes")}}
			a := attempt{mode: m, cluster: m.cluster, suite: "suite", entry: r.board.Entry(progress.Name{}), out: io.Discard, number: 1,
				tries: 1}
			res, err := a.run(t.Context(), &s)
			m.cleanups.Wait()
			if !errors.Is(err, row.fails) || res.verdict.Outcome != row.want {
				t.Errorf("%s (%s), %v; want %s, %v", res.verdict.Outcome, res.verdict.Because, err, row.want, row.fails)
			}
			if diff := cmp.Diff(row.log, log); diff != "" {
				t.Errorf("what became of the recordings (-want +got):\n%s", diff)
			}
			if rate, _, _ := r.limits(); rate != row.rate {
				t.Errorf("the run goes on with a rate of %d, want %d", rate, row.rate)
			}
			if got := r.Broken(); len(got) != row.broken {
				t.Errorf("broken outside of recordings: %q, want %d", got, row.broken)
			}
			if _, err := os.Stat(filepath.Join(r.folder("iptables", "suite", "asked", 1), evidence.RunFile)); (err == nil) != (row.fails == nil) {
				t.Errorf("evidence of the last recording: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if lease, err := r.pool.Acquire(ctx, "run"); err != nil || lease.Name != "shop" {
				t.Errorf("the namespace was not given back: %v", err)
			}
		})
	}
}

// The next recording has its turn once this one is at rest, and what needs the whole cluster once nothing of it is left.
func TestTurnsWhileARecordingIsCollected(t *testing.T) {
	load := harness.Scenario{Kind: harness.UnderLoad{}}
	for _, row := range []struct {
		sentence string
		s        harness.Scenario
		next     harness.Occupancy
		free     bool
	}{
		{"one under load follows one under load", load, harness.HalfLoad, true},
		{"one without load follows it", load, harness.WithoutLoad, true},
		{"one that needs the whole cluster waits for the clean-up", load, harness.WholeCluster, false},
		{"one that needs the whole cluster is cleaned up first", harness.Scenario{Kind: harness.InSteps{}, Exclusive: true}, harness.HalfLoad,
			false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recordsInto(t, 1, 1)
			m := r.modeRun("iptables", namedCluster{})
			free := func() bool {
				m.turns.mu.Lock()
				defer m.turns.mu.Unlock()
				return m.turns.free(row.next)
			}
			var before, rested bool
			r.recorder = func(_ context.Context, _ harness.Scenario, c record.Config) (recording, error) {
				before = free()
				c.Rested()
				rested = free()
				return nil, errors.New("nothing is judged here")
			}
			row.s.ID = "asked"
			a := attempt{mode: m, cluster: m.cluster, suite: "suite", entry: r.board.Entry(progress.Name{}), out: io.Discard, number: 1, tries: 1}
			if _, err := a.run(t.Context(), &row.s); err == nil || before || rested != row.free || !free() {
				t.Errorf("%v; free during the recording %v, at rest %v, afterwards %v", err, before, rested, free())
			}
		})
	}
}
