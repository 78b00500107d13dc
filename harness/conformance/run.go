package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"al.essio.dev/pkg/shellescape"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/layout"
	"rollcall/harness/progress"
	"rollcall/harness/runner"
	"rollcall/harness/usage"
	"rollcall/reports/model"
)

// A run is one run of suites: of a mode side by side, and of as many modes at once as this machine carries.
type run struct {
	Options
	runner   *runner.Runner
	clusters clusters
	compile  func(ctx context.Context, w io.Writer, home layout.Layout, suites []string) error
	out      io.Writer
	names    []string         // of the suites
	use      clusterUse       // of those that record something
	env      []string         // of the suites' processes, beside ours
	session  evidence.Session // as it began
	board    *progress.Board

	mu     sync.Mutex
	failed []suiteRun // suites whose process ended with 1
	broken []string   // what kept scenarios from being recorded
}

// Run runs the suites that the options name, prints to out how far they are and what came of it, and returns the exit code. It
// is an error if there is no report, one of [usage.Error] if nothing was created either.
func Run(ctx context.Context, out io.Writer, o Options) (code int, err error) {
	prepared, err := o.prepare()
	if err != nil {
		return 0, err
	}
	r := &run{Options: o, runner: prepared, clusters: clustersOf(prepared), compile: compile, out: out}
	if r.names, err = selectSuites(prepared.Layout(), o.Suites); err != nil {
		return 0, err
	}
	if prepared.DryRun {
		return 0, r.list(ctx)
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (code int, err error) {
	began := time.Now().UTC()
	root := r.runner.Layout().Runs()
	folder := filepath.Join(root, began.Format("20060102-150405"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, usage.New("run folder "+folder, err.Error(), "make "+root+" writable")
	}
	r.runner.Out = folder
	r.session = store.NewSession(filepath.Base(folder), began)
	if err := r.begin(ctx); err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	unseen := r.watched(ctx, func(s screen) { err = r.modes(ctx, s) })
	if unseen != nil {
		r.recordBreakage(unseen.Error())
	}
	if usage.Is(err) && !r.recorded() {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	if ctx.Err() != nil {
		r.recordBreakage("interrupted")
	}
	if err := errors.Join(runner.RemoveTurns(folder), r.runner.Leave(len(r.broken) > 0)); err != nil {
		r.recordBreakage(err.Error())
	}
	if _, err := runner.EditSession(folder, func(s *evidence.Session) {
		s.Broken = append(append(s.Broken, r.broken...), r.runner.Broken()...)
		s.Ended = time.Now().UTC()
	}); err != nil {
		return 0, err
	}
	report, err := r.report(root, folder)
	return model.ExitCode(report), err
}

// begin makes sure that a run is possible, says how long it will take, and begins the run folder.
func (r *run) begin(ctx context.Context) (err error) {
	if r.env, err = r.clusters.check(ctx, r.out, r.session.ID); err != nil {
		return err
	}
	if err := r.compile(ctx, r.out, r.runner.Layout(), r.names); err != nil {
		return err
	}
	p, err := r.expect(ctx)
	if err != nil {
		return err
	}
	r.use = p.clusters
	if p.recorded() == 0 && p.skipped == 0 {
		return r.nothing(p)
	}
	p.print(r.out)
	r.session.Command = r.command()
	r.session.Profile, r.session.LeftOut, r.session.Expected = string(r.runner.ProfileName()), p.leftOut, p.seconds()
	r.session.Rate, r.session.Jobs, r.session.MostJobs = r.runner.FirstRate(), r.runner.FirstJobs(), r.runner.MostJobs()
	if err := store.WriteJSON(evidence.SessionPath(r.runner.Out), r.session); err != nil {
		return err
	}
	if err := r.runner.Join(r.session); err != nil {
		return err
	}
	if r.board, err = progress.Open(r.runner.Out, "", r.session.ID, r.session.Began); err != nil {
		return err
	}
	r.board.Expect(p.expected)
	return nil
}

// nothing says that the profile records nothing of what the options select.
func (r *run) nothing(p plan) error {
	what, why := "suites "+strings.Join(r.names, ", "), fmt.Sprintf("profile %s has no scenario of them", p.profile)
	if r.Pattern != "" {
		what, why = "run "+r.Pattern, fmt.Sprintf("%s has no such scenario in profile %s", what, p.profile)
	}
	return usage.New(what, why, "name others, or use --profile=full; --dry-run lists them")
}

// command reproduces the run.
func (r *run) command() string {
	o := Options{Suites: strings.Join(r.names, ","), Pattern: r.Pattern, Options: r.runner.Prepared(r.runner.ModeList()...)}
	o.Out = "" // which is new for each run
	return shellescape.QuoteCommand(append([]string{"rollcall", "run"}, o.List().Args()...))
}

// recordBreakage notes for the report what kept scenarios from being recorded.
func (r *run) recordBreakage(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = append(r.broken, what)
}

// recorded reports whether there is a recording of any scenario.
func (r *run) recorded() bool {
	runs, err := filepath.Glob(filepath.Join(evidence.Folder(r.runner.Out), "*", "*", "*", evidence.RunFile))
	return err == nil && len(runs) > 0
}
