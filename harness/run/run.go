package run

import (
	"context"
	"errors"
	"io"
	"os"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
)

// A Request is what somebody asks of the suites, and how he is told about it.
type Request struct {
	Selection
	Options
	Verbose bool // print everything

	All     map[string][]harness.Scenario // suites, by name
	Past    Past
	Began   func(folder string) // called when the run folder has its session; nil: nobody waits for that
	Reports Reports

	clusters clusters // of a test; nil: real ones
}

// Past knows earlier runs. Its functions may be nil: then nothing is known.
type Past struct {
	Took   func(runs string) map[progress.Name]float64         // seconds of each scenario in the last run below a folder
	Failed func(folder string) (map[progress.Name]bool, error) // what neither passed nor was skipped in a run folder
}

// Reports returns the reporter of a run folder.
type Reports func(folder string) Reporter

// A Reporter sees each recording of its run folder when that is judged, see [Reading], and at the end writes the reports, which are in
// root, prints the report, and returns the exit code that the verdicts give.
type Reporter interface {
	Reading(evidence.Run) (show func(evidence.Hit, error), judged func(kept.Recording))
	Report(out io.Writer, root string) (code int, err error)
}

// Suites runs suites: it plans what is asked for, opens a cluster for each mode, on which scenarios take turns to be recorded and judged,
// closes the clusters, and has the run reported. It prints its progress to out and returns the exit code. It returns an error if there is
// no report: a [usage.Error] if nothing was created.
func Suites(ctx context.Context, out io.Writer, q Request) (code int, err error) {
	plan, err := q.Plan()
	if err != nil {
		return 0, err
	}
	r, reporter, err := q.begin(ctx, out, plan)
	if err != nil {
		return 0, err
	}
	unseen := r.watched(ctx, out, q.Verbose, func(s screen) { err = r.modes(ctx, s) })
	unended := r.endAfter(ctx, unseen)
	if usage.Is(err) && !r.hasRecording() {
		return 0, errors.Join(err, unended, os.RemoveAll(r.Folder))
	}
	code, err = reporter.Report(out, plan.Layout.Runs())
	return code, errors.Join(err, unended)
}

// List prints what a run of suites would do and how long that takes, and returns the plan. It writes nothing.
func List(ctx context.Context, out io.Writer, q Request) (Plan, error) {
	plan, err := q.Plan()
	if err != nil {
		return plan, err
	}
	if plan, err = q.withScenarios(ctx, out, plan, ""); err != nil {
		return plan, err
	}
	if err := plan.printScenarios(out); err != nil {
		return plan, err
	}
	plan.duration().print(out)
	return plan, nil
}
