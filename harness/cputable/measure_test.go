package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/progress"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// A fakeRun is a run of one scenario, whose load spends processor time.
type fakeRun struct {
	t      *testing.T
	proc   fakeProc
	out    string
	folder string
}

var canary = progress.Name{Mode: "iptables", Suite: "switchover", Scenario: "canary"}

func newRun(t *testing.T) *fakeRun {
	r := &fakeRun{t: t, proc: newProc(t), out: t.TempDir()}
	r.folder = filepath.Join(r.out, "20260102-030405")
	if err := os.Mkdir(r.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	r.spend(0)
	return r
}

// open begins the run, at a time when nobody reads.
func (r *fakeRun) open() *progress.Entry {
	time.Sleep(35*time.Second + 10*time.Millisecond)
	board, err := progress.Open(r.folder, "", "20260102-030405", time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	board.Do("opening the cluster for iptables")
	time.Sleep(45 * time.Second)
	entry := board.Entry(canary)
	entry.Begin()
	return entry
}

// spend is where the processors are after so many seconds of load.
func (r *fakeRun) spend(seconds int) {
	r.proc.machine(1000+150*seconds, 10+seconds, 20+15*seconds, seconds)
	for i, line := range []struct {
		line, nspid string
		percent     int
	}{
		{"/agent -listen=:8081", "10 1", 20}, {"/agent -listen=:8081", "11 1", 18}, {"/echo", "12 1", 30}, {"kubelet", "13 9", 18},
		{"/src/switchover.test -test.v", "14", 16}, {"/usr/local/bin/containerd", "15 9", 13}, {"dockerd", "16", 4},
		{"kindnetd", "17 1", 2}, {"[rcu_preempt]", "18", 1}, {"systemd", "19 1", 1}, {"bash", "20", 0}, {"cputable", "999", 1},
	} {
		r.proc.process(10+i, 1, 100+line.percent*seconds, 0, line.line, line.nspid)
	}
}

// lanes writes what is asked of them: 500 a second to the app, 200 on control lanes.
func (r *fakeRun) lanes() {
	folder := filepath.Join(r.folder, "evidence", canary.Mode, canary.Suite, canary.Scenario)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		r.t.Error(err)
	}
	var run evidence.Run
	pod, control := evidence.FromPod, evidence.FromControl
	for _, v := range []evidence.Vantage{pod, pod, control, pod, pod, control, evidence.FromHost} {
		run.Lanes = append(run.Lanes, evidence.Lane{Vantage: v, Rate: 100})
	}
	if err := store.WriteJSON(filepath.Join(folder, evidence.RunFile), run); err != nil {
		r.t.Error(err)
	}
}

// tell keeps the scenario in the phase for so many seconds, with a line every 5 s.
func (r *fakeRun) update(entry *progress.Entry, phase string, seconds int, sent func(second int) progress.Running) {
	for s := range seconds {
		if s%5 == 0 {
			now := progress.Running{}
			if sent != nil {
				now = sent(s)
			}
			now.Phase = phase
			entry.Update(now)
		}
		r.spend(s)
		time.Sleep(time.Second)
	}
}

func (r *fakeRun) attachment(log *bytes.Buffer) attachment {
	return attachment{out: r.out, run: newest, scenario: "canary", phase: "after the rollout", log: log}
}

// beside does something beside the test; what it returns waits for its end.
func beside(do func()) (over func()) {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	return func() { <-done }
}

// steady sends 495 requests a second to the app.
func steady(second int) progress.Running { return progress.Running{Sent: 10000 + 495*second} }

func TestATableOfAPhase(t *testing.T) {
	r, log := newRun(t), &bytes.Buffer{}
	synctest.Test(t, func(t *testing.T) {
		// out/latest is of a run before: its status is as it was left, in the very phase
		stale := filepath.Join(r.out, "20260101-000000")
		if err := os.Mkdir(stale, 0o755); err != nil {
			t.Fatal(err)
		}
		board, err := progress.Open(stale, "", "20260101-000000", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		board.Entry(canary).Update(progress.Running{Phase: "after the rollout", Sent: 7})
		if err := os.Chtimes(filepath.Join(stale, progress.File), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		over := beside(func() {
			entry := r.open()
			r.update(entry, "rolling out", 10, steady)
			r.lanes()
			r.update(entry, "after the rollout", 20, steady)
			entry.End(progress.Result{Outcome: "pass"})
		})
		defer over()
		got, err := measure(t.Context(), r.attachment(log), proc{folder: r.proc.folder, self: 21}, 8*time.Second, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got.Requests != 695 || got.LoadSum.Percent != 84 || got.HarnessSum.Percent != 55 || got.Seconds != 8 {
			t.Errorf("%+v", got)
		}
		got.Run = "out/" + filepath.Base(got.Run)
		var text, data bytes.Buffer
		if err := got.write(&text); err != nil {
			t.Fatal(err)
		}
		golden(t, "table.golden", text.Bytes())
		if err := got.writeJSON(&data); err != nil {
			t.Fatal(err)
		}
		var read table
		if err := json.Unmarshal(data.Bytes(), &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, read); diff != "" {
			t.Errorf("as JSON: %s", diff)
		}
	})
	said := strings.Split(strings.ReplaceAll(strings.TrimSpace(log.String()), r.out, "out"), "\n")
	want := []string{
		"waiting until canary is after the rollout: out has no run that tells what it is doing",
		"waiting until canary is after the rollout: out has no run that tells what it is doing",
		"waiting until canary is after the rollout: out/20260102-030405: opening the cluster for iptables",
		`waiting until canary is after the rollout: out/20260102-030405: its phase is "rolling out"`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestThereIsNoTable(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		run      func(*fakeRun)
		want     string
	}{
		{"the phase ends inside the window", func(r *fakeRun) {
			entry := r.open()
			r.update(entry, "after the rollout", 7, steady)
			entry.End(progress.Result{Outcome: "pass"})
		}, "canary is no longer after the rollout: give fewer -seconds"},
		{"the scenario ends without the phase", func(r *fakeRun) {
			entry := r.open()
			r.update(entry, "deploying", 7, nil)
			entry.End(progress.Result{Outcome: "inconclusive"})
		}, "canary has ended (inconclusive) and was not seen after the rollout"},
		{"no run begins", func(*fakeRun) {}, "canary was not after the rollout in 40m0s"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			r := newRun(t)
			synctest.Test(t, func(t *testing.T) {
				defer beside(func() { tc.run(r) })()
				_, err := measure(t.Context(), r.attachment(&bytes.Buffer{}), proc{folder: r.proc.folder}, 8*time.Second, 1)
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %s", err, tc.want)
				}
			})
		})
	}
}

func TestRequestsPerSecond(t *testing.T) {
	trouble := func(second int) progress.Running {
		now := steady(second)
		if second == 10 {
			now.Sent, now.Trouble = now.Sent/2, "agent-1 does not answer"
		}
		return now
	}
	const counted = "495 sent to the app of 500 asked, and 200 asked on control lanes"
	for _, tc := range []struct {
		sentence string
		lanes    bool
		sent     func(int) progress.Running
		want     float64
		told     string
	}{
		{"what was sent to the app, and what control lanes were asked", true, steady, 695, counted},
		{"a count without an agent that does not answer is none", true, trouble, 695, counted},
		{"a status that does not count", true, nil, 700, "500 to the app and 200 on control lanes, as asked"},
		{"a run folder without lanes", false, steady, 123, "as -requests says"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			r := newRun(t)
			synctest.Test(t, func(t *testing.T) {
				defer beside(func() {
					entry := r.open()
					if tc.lanes {
						r.lanes()
					}
					r.update(entry, "after the rollout", 20, tc.sent)
				})()
				a := r.attachment(&bytes.Buffer{})
				a.run = r.folder
				got, err := measure(t.Context(), a, proc{folder: r.proc.folder}, 8*time.Second, 123)
				if err != nil || got.Requests != tc.want || got.Told != tc.told {
					t.Errorf("%v, %s, %v; want %v, %s", got.Requests, got.Told, err, tc.want, tc.told)
				}
			})
		})
	}
}
