package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"al.essio.dev/pkg/shellescape"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/secret"
)

// Plan returns the plan of the options, without scenarios. Scenarios that are named may be of any profile.
func (q Request) Plan() (Plan, error) {
	o := q.Options
	if (q.Pattern != "" || q.Failed != "") && o.Profile == "" {
		o.Profile = string(harness.Full)
	}
	return NewPlan(o)
}

// begin makes a run folder, plans which scenarios run, prints how long that takes, and begins the session. If that fails nothing is left.
func (q Request) begin(ctx context.Context, out io.Writer, p Plan) (r *Run, reporter Reporter, err error) {
	folder, err := NewFolder(p.Layout.Runs(), "")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	s := p.NewSession(folder)
	if p, err = q.withScenarios(ctx, out, p, s.ID); err != nil {
		return nil, nil, err
	}
	if p.Target == nil {
		if p, err = q.opener().admit(ctx, p, out, s.ID); err != nil {
			return nil, nil, err
		}
	}
	d := p.duration()
	d.print(out)
	s.Command, s.LeftOut, s.Expected, s.Named = q.command(p), d.leftOut, d.seconds(), p.NamedModes()
	if r, err = p.Begin(ctx, folder, s, d.expected...); err != nil {
		return nil, nil, err
	}
	reporter = q.Reports(folder)
	r.clusters, r.reading = q.opener(), reporter.Reading
	if q.Began != nil {
		q.Began(folder)
	}
	return r, reporter, nil
}

// withScenarios returns the plan with the scenarios that are selected, in every mode. Which of them a target allows is found out there, so
// it is admitted first. The error is a [usage.Error] if the profile has none of them.
func (q Request) withScenarios(ctx context.Context, out io.Writer, p Plan, session string) (Plan, error) {
	names, err := q.Names(q.All)
	if err != nil {
		return p, err
	}
	wanted, err := q.wanted(q.Past.Failed)
	if err != nil {
		return p, err
	}
	for _, name := range names {
		p.Options.RPCs = p.Options.RPCs || slices.ContainsFunc(q.All[name], func(s harness.Scenario) bool {
			return s.SendsRPCs() && s.In(p.Profile) && slices.ContainsFunc(p.Modes, func(mode string) bool {
				return wanted(progress.Name{Mode: mode, Suite: name, Scenario: s.ID})
			})
		})
	}
	if p.Target != nil {
		if p, err = q.opener().admit(ctx, p, out, session); err != nil {
			return p, err
		}
	}
	for _, name := range names {
		for _, s := range p.planned(ctx, name, q.All[name]) {
			if wanted(s.Name) {
				p.Scenarios = append(p.Scenarios, s)
			}
		}
	}
	if !slices.ContainsFunc(p.Scenarios, func(s Planned) bool { return !s.LeftOut }) {
		return p, q.nothing(names, p.Profile)
	}
	if q.Past.Took != nil {
		p.learn(q.Past.Took(p.Layout.Runs()))
	}
	return p, nil
}

// NamedModes returns the modes that the options name.
func (p Plan) NamedModes() []string {
	if p.Options.Modes == "" {
		return nil
	}
	return p.Modes
}

// command returns the command line that reproduces the run.
func (q Request) command(p Plan) string {
	again, o := q.Selection, p.options()
	if folder, err := filepath.EvalSymlinks(again.Failed); err == nil && again.Failed != "" {
		again.Failed = folder // out/latest will lead to another run
	}
	words := append([]string{"rollcall", "run"}, again.List().Args()...)
	return secret.URLs(shellescape.QuoteCommand(append(words, o.List().Args()...)))
}

// endAfter ends a run of suites. unseen is what went wrong with its display.
func (r *Run) endAfter(ctx context.Context, unseen error) error {
	if unseen != nil {
		r.RecordBreakage(unseen.Error())
	}
	if ctx.Err() != nil {
		r.RecordBreakage("interrupted")
	}
	return r.End()
}

// hasRecording reports whether the run folder has a recording.
func (r *Run) hasRecording() bool {
	runs, err := filepath.Glob(filepath.Join(evidence.Folder(r.Folder), "*", "*", "*", evidence.RunFile))
	return err == nil && len(runs) > 0
}
