package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/progress"
	"rollcall/harness/runner"
	"rollcall/harness/verdict"
)

// Variables of the fake suites' processes.
const (
	fakeSuite   = "FAKE_SUITE"   // makes this test program a suite
	fakeCluster = "FAKE_CLUSTER" // is there where a cluster was opened
	fakePipe    = "FAKE_PIPE"    // is written to by a suite that hangs
)

// TestMain is also the main function of fake suites, each of which does what its name says with its one scenario.
func TestMain(m *testing.M) {
	for _, name := range []string{"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"} {
		os.Unsetenv(name)
	}
	if os.Getenv(fakeSuite) == "" {
		os.Exit(m.Run())
	}
	code, err := runFakeSuite(strings.TrimSuffix(filepath.Base(os.Args[0]), ".test"), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runFakeSuite(name string, args []string) (code int, err error) {
	var o runner.Options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	o.List().Register(flags)
	for _, ours := range []string{"test.timeout", "test.run"} {
		flags.String(ours, "", "")
	}
	flags.Bool("test.v", false, "")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	suite := fakeRun{Name: progress.Name{Mode: o.Modes, Suite: name, Scenario: "drained"}, out: o.Out}
	if o.DryRun {
		return suite.list()
	}
	if err := store.WriteJSON(evidence.ClusterPath(o.Out, o.Modes), evidence.Cluster{Mode: o.Modes}); err != nil {
		return 0, err
	}
	board, err := progress.Open(o.Out, name+"-"+o.Modes, "", time.Now())
	if err != nil {
		return 0, err
	}
	suite.entry = board.Entry(suite.Name)
	suite.entry.Begin()
	fmt.Println(name, "goes on with its scenario")
	return suite.run()
}

// A fakeRun is a fake suite's of its scenario in a mode.
type fakeRun struct {
	progress.Name
	out   string
	entry *progress.Entry
}

// list notes the scenario as a dry run does.
func (f fakeRun) list() (code int, err error) {
	switch f.Suite {
	case "unlistable":
		fmt.Println("it cannot be listed")
		return 1, nil
	case "empty":
		return 0, nil
	}
	listed := runner.Listed{Suite: f.Suite, Scenario: f.Scenario, Mode: f.Mode, Seconds: 1, Beside: 1}
	if f.Suite == "owns" { // its scenario has a cluster of its own
		listed.Own = []string{"v1.35"}
	}
	line, err := json.Marshal(listed)
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(os.Getenv(runner.ListFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, err = file.Write(append(line, '\n'))
	return 0, err
}

func (f fakeRun) run() (code int, err error) {
	switch shares := os.Getenv(fakeCluster) != ""; {
	case f.Suite == "owns" && shares:
		return 1, f.end(1, verdict.Fail, "there is a cluster beside its own")
	case f.Suite == "owns":
		return 0, f.end(1, verdict.Pass, "0 of 100 requests failed")
	case !shares:
		return 0, f.end(1, verdict.Skipped, "no cluster")
	}
	switch f.Suite {
	case "fails":
		return 1, f.end(1, verdict.Fail, "3 of 100 requests failed", 60, 61, 62)
	case "retries":
		if err := f.record(1, 3); err != nil { // before the rollout, so that it cannot be trusted
			return 0, err
		}
		return 0, f.end(2, verdict.Pass, "0 of 100 requests failed")
	case "leaves": // something behind, which no scenario tells of
		return 1, f.end(1, verdict.Pass, "0 of 100 requests failed")
	case "crashes":
		fmt.Println("panic: nil map")
		return 2, nil
	case "hangs":
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		if err := os.WriteFile(os.Getenv(fakePipe), []byte("it hangs\n"), 0); err != nil {
			return 0, err
		}
		<-interrupted
		return 1, f.end(1, verdict.Inconclusive, "interrupted", 3)
	}
	return 0, f.end(1, verdict.Pass, "0 of 100 requests failed")
}

// end records an attempt and says how the scenario ended.
func (f fakeRun) end(attempt int, outcome verdict.Outcome, headline string, refused ...int) error {
	f.entry.End(progress.Result{Outcome: outcome.String(), Headline: headline, Because: headline})
	if outcome == verdict.Skipped {
		run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: f.Scenario, Suite: f.Suite, Mode: f.Mode, Attempt: 1, Skipped: headline}
		return store.Write(evidence.ScenarioFolder(f.out, f.Mode, f.Suite, f.Scenario, 1), evidence.Evidence{Run: run})
	}
	return f.record(attempt, refused...)
}

// record records 2 s of 50 requests per second, of which the numbered ones are refused.
func (f fakeRun) record(attempt int, refused ...int) error {
	lane := evidence.Lane{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 50}
	run := evidence.Run{Schema: evidence.SchemaVersion, Scenario: f.Scenario, Suite: f.Suite, Mode: f.Mode, Attempt: attempt, Tries: attempt,
		OldVersion: "v1", NewVersion: "v2", Lanes: []evidence.Lane{lane}, Expect: []evidence.Expectation{verdict.NoFailures()}}
	var hits []evidence.Hit
	for i := range 100 {
		due := time.Duration(i) * 20 * time.Millisecond
		hit := evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due, Status: 200, By: evidence.Server{Version: "v1"}}
		if slices.Contains(refused, i) {
			hit.Fault, hit.Status, hit.By = evidence.Refused, 0, evidence.Server{}
		}
		hits = append(hits, hit)
	}
	return store.Write(evidence.ScenarioFolder(f.out, f.Mode, f.Suite, f.Scenario, attempt),
		evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: []evidence.Event{
			{At: 0, Kind: evidence.LoadBegun}, {At: 5e8, Kind: evidence.RolloutBegun}, {At: 1e9, Kind: evidence.OldGone},
			{At: 2e9, Kind: evidence.LoadEnded},
		}})
}
