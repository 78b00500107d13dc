package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"rollcall/harness/command"
	"rollcall/harness/runner"
)

// list prints what a run would do and how long that would take, and does nothing of it.
func (r *run) list(ctx context.Context) (err error) {
	if r.env, err = r.clusters.check(ctx, r.out, ""); err != nil {
		return err
	}
	if err := r.compile(ctx, io.Discard, r.runner.Layout(), r.names); err != nil {
		return err
	}
	listed, err := r.listed(ctx)
	if err != nil {
		return err
	}
	if err := runner.PrintList(r.out, listed); err != nil {
		return err
	}
	p := r.plan(listed)
	p.image, err = r.clusters.imageTime(ctx, len(p.clusters.shared) > 0, p.further)
	p.print(r.out)
	return err
}

// expect asks the suites what they will record, and adds up how long that and all before it takes.
func (r *run) expect(ctx context.Context) (plan, error) {
	listed, err := r.listed(ctx)
	if err != nil {
		return plan{}, err
	}
	p := r.plan(listed)
	p.image, err = r.clusters.imageTime(ctx, len(p.clusters.shared) > 0, p.further)
	return p, err
}

// listed asks every suite for its scenarios.
func (r *run) listed(ctx context.Context) ([]runner.Listed, error) {
	file, err := os.CreateTemp("", "rollcall-list-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	for _, suite := range r.names {
		for _, mode := range r.runner.ModeList() {
			cmd := r.child(ctx, mode, suite, "--dry-run")
			cmd.Env = append(cmd.Env, runner.ListFile+"="+file.Name())
			if said, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("suite %s cannot be listed: %w: %s", suite, err, command.LastLines(string(said), 3))
			}
		}
	}
	var all []runner.Listed
	for lines := json.NewDecoder(file); ; {
		var l runner.Listed
		switch err := lines.Decode(&l); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, l)
	}
}
