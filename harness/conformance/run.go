package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/reports/model"
)

// A run is a run of suites.
type run struct {
	Options
	suites    Suites
	runner    *runner.Runner
	clusters  clusters
	out       io.Writer
	live      *live.Server // nil: there is no live page
	names     []string     // of the selected suites
	scenarios []runner.Listed
}

// Run runs the suites that the options name, prints its progress and the report to out, and returns the exit code. It
// returns an error if there is no report: a [usage.Error] if nothing was created.
func Run(ctx context.Context, out io.Writer, o Options, suites Suites) (code int, err error) {
	prepared, err := o.prepare()
	if err != nil {
		return 0, err
	}
	r := &run{Options: o, suites: suites, runner: prepared, clusters: realClusters{prepared}, out: out}
	if r.names, err = suites.selected(o.Suites); err != nil {
		return 0, err
	}
	if o.Serve != "" {
		if r.live, err = live.Listen(o.Serve); err != nil {
			return 0, usage.New("--serve="+o.Serve, err.Error(), "name a free port, or none for any")
		}
		defer r.live.Close()
	}
	if prepared.DryRun {
		return r.printList(ctx)
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (code int, err error) {
	root := r.runner.Layout().Runs()
	folder, err := runner.NewFolder(root, "")
	if err != nil {
		return 0, err
	}
	r.runner.Out = folder
	if err := r.begin(ctx); err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	r.show()
	unseen := r.watched(ctx, func(s screen) { err = r.modes(ctx, s) })
	if unseen != nil {
		r.runner.RecordBreakage(unseen.Error())
	}
	if ctx.Err() != nil {
		r.runner.RecordBreakage("interrupted")
	}
	unended := r.runner.End()
	if usage.Is(err) && !r.hasRecording() {
		return 0, errors.Join(err, unended, os.RemoveAll(folder))
	}
	report, err := Report(r.out, root, folder)
	if unadded := appendHistory(root, folder); unadded != nil {
		fmt.Fprintln(os.Stderr, unadded) // the run is complete without it
	}
	return model.ExitCode(report), errors.Join(err, unended)
}

// show serves the live page of the run, if the options ask for it.
func (r *run) show() {
	if r.live == nil {
		return
	}
	if err := r.live.Show(r.runner.Out); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run goes on without it
		return
	}
	fmt.Fprintf(r.out, "watch it live: %s\n", r.live.URL())
}

// begin checks that a run is possible, prints how long it will take, and begins the session in the run folder.
func (r *run) begin(ctx context.Context) error {
	s := r.runner.NewSession()
	if r.runner.Attached() { // it is found out there which scenarios are possible
		if err := r.clusters.Ready(ctx, r.out, s.ID); err != nil {
			return err
		}
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	if !r.runner.Attached() {
		if err := r.clusters.Ready(ctx, r.out, s.ID); err != nil {
			return err
		}
	}
	p := r.plan()
	p.print(r.out)
	s.Command, s.LeftOut, s.Expected = r.command(), p.leftOut, p.seconds()
	s.Asked = r.asked()
	return r.runner.Begin(ctx, s, p.expected...)
}

// asked returns the modes that the options name.
func (r *run) asked() []string {
	if r.Modes == "" {
		return nil
	}
	return r.runner.ModeList()
}

// noScenario returns the error that the options select no scenario of the profile.
func (r *run) noScenario() error {
	what, why := "--suites="+strings.Join(r.names, ","), fmt.Sprintf("profile %s has no scenario of them", r.runner.ProfileName())
	switch {
	case r.Failed != "":
		what, why = "--failed="+r.Failed, "nothing there failed or was inconclusive, of what the other options select"
	case r.Pattern != "":
		what, why = "--run="+r.Pattern, fmt.Sprintf("the suites have no such scenario in profile %s", r.runner.ProfileName())
	case r.Skip != "":
		what, why = "--skip="+r.Skip, fmt.Sprintf("it leaves no scenario of profile %s", r.runner.ProfileName())
	}
	return usage.New(what, why, "name others: rollcall list shows them")
}

// command returns the command line that reproduces the run.
func (r *run) command() string {
	o := Options{Suites: strings.Join(r.names, ","), Pattern: r.Pattern, Skip: r.Skip, Failed: r.Failed, Options: r.runner.Prepared()}
	if folder, err := filepath.EvalSymlinks(o.Failed); err == nil && o.Failed != "" {
		o.Failed = folder // out/latest will lead to another run
	}
	return secret.URLs(shellescape.QuoteCommand(append([]string{"rollcall", "run"}, o.List().Args()...)))
}

// hasRecording reports whether the run folder has a recording.
func (r *run) hasRecording() bool {
	runs, err := filepath.Glob(filepath.Join(evidence.Folder(r.runner.Out), "*", "*", "*", evidence.RunFile))
	return err == nil && len(runs) > 0
}
