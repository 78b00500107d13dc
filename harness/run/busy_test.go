package run

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/testenv"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// TestBusyHost keeps all processors busy during a run of the profile smoke: for a minute at its start, for a minute in its
// middle, and all the time. The run slows down or is inconclusive, with the reason; it has no wrong failure and no pass
// without evidence, and takes no more than twice as long. `make busy` runs it.
func TestBusyHost(t *testing.T) {
	testenv.Need(t, testenv.Busy)
	g := guest{T: t, ctx: t.Context()}
	began := time.Now()
	g.smoke("alone", func(*conformanceRun) {})
	alone := time.Since(began)
	for _, row := range []struct {
		sentence string
		busy     func(g guest, run *conformanceRun)
	}{
		{"for a minute at the start", func(g guest, _ *conformanceRun) { g.stress("60s") }},
		{"for a minute in the middle", func(g guest, run *conformanceRun) {
			run.untilSays("before the rollout")
			g.stress("60s")
		}},
		{"all the time", func(g guest, _ *conformanceRun) { g.stress("20m") }},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			g := guest{T: t, ctx: t.Context()}
			began := time.Now()
			g.smoke(row.sentence, func(run *conformanceRun) { row.busy(g, run) })
			ratio := time.Since(began).Seconds() / alone.Seconds()
			if t.Logf("it took %.2f times as long as alone", ratio); ratio > 2 {
				t.Errorf("it took %.2f times as long, more than twice", ratio)
			}
		})
	}
}

// smoke runs the profile smoke beside another function, and checks that its report has no wrong failure and no pass without evidence.
func (g guest) smoke(beside string, do func(*conformanceRun)) {
	g.Helper()
	run := g.conformance("run", "--profile=smoke", "--modes=iptables")
	do(run)
	code, _ := run.end()
	var report model.Report
	data, err := os.ReadFile(filepath.Join(g.latestRun(), "report.json"))
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil {
		g.Fatal(err)
	}
	if code != 0 && code != 3 {
		g.Errorf("busy %s: exit code %d", beside, code)
	}
	for _, s := range report.Scenarios {
		g.Logf("busy %s: %s: %s: %s", beside, s.ID, s.Outcome, s.Because)
		switch {
		case s.Outcome == verdict.Fail:
			g.Errorf("busy %s: %s is red on a healthy cluster: %s", beside, s.ID, s.Because)
		case s.Outcome == verdict.Pass && slices.ContainsFunc(s.Lanes, func(l model.Lane) bool { return l.Requests == 0 }):
			g.Errorf("busy %s: %s passes with a lane that sent nothing", beside, s.ID)
		}
	}
	if len(report.Scenarios) != 2 {
		g.Errorf("busy %s: %d scenarios are reported, want the two twins", beside, len(report.Scenarios))
	}
}

// stress keeps every processor busy for a time, or until the test ends.
func (g guest) stress(lasts string) {
	g.Helper()
	cmd := exec.CommandContext(g.ctx, "stress-ng", "--cpu", "0", "--timeout", lasts, "--quiet")
	if err := cmd.Start(); err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// latestRun returns the folder of the latest run.
func (g guest) latestRun() string {
	g.Helper()
	root, err := layout.Find()
	if err != nil {
		g.Fatal(err)
	}
	return filepath.Join(root.Module, "out", "latest")
}
