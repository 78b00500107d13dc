package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/usage"
)

// programs is a folder with the compiled programs of a guest: rollcall, rollcall-host and the runtime wrapper.
type programs string

// compile compiles the programs.
func (o Options) compile(ctx context.Context, dir string) (programs, error) {
	build := command.Command{Line: fmt.Sprintf(`go build -o "%s/" ./harness/rollcall ./harness/host/rollcall-host ./harness/host/ociruntime`, dir),
		Dir: o.Module, Env: []string{"CGO_ENABLED=0"}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	_, err := build.Run(ctx)
	return programs(dir), err
}

// check returns a [usage.Error] if rollcall run would refuse the options, before a lab is built for them.
func (p programs) check(ctx context.Context, o Options) error {
	_, err := p.rollcall(ctx, o.Module, append(o.command(), "--dry-run")...)
	switch code, ended := exitCode(err); {
	case !ended:
		return err
	case code == exitUsage:
		return usage.New("ipvs lab", strings.TrimPrefix(command.LastLine(err), "Error: "), "rollcall run --help lists the options")
	}
	return nil // also 3, since this host has no IP_VS
}

// report has a run folder judged, and its reports written.
func (p programs) report(ctx context.Context, folder string) error {
	_, err := p.rollcall(context.WithoutCancel(ctx), "", "report", folder)
	if code, ended := exitCode(err); ended && code != exitUsage { // that of the verdict
		return nil
	}
	return err
}

// publish makes latest-ipvs, in the folder of runs, lead to a run folder, and adds the run to the history there.
func (p programs) publish(ctx context.Context, runs, folder string) error {
	latest := filepath.Join(runs, "latest-ipvs")
	_ = os.Remove(latest) // a folder of that name, such as a copy, stays: then there can be no link
	_, unadded := p.rollcall(context.WithoutCancel(ctx), "", "trend", folder, "--history="+filepath.Join(runs, "history.jsonl"))
	return errors.Join(os.Symlink(filepath.Base(folder), latest), unadded)
}

// rollcall runs the product, as for clusters that it makes.
func (p programs) rollcall(ctx context.Context, dir string, args ...string) (string, error) {
	return command.Command{Line: fmt.Sprintf(`"%s"`, filepath.Join(string(p), "rollcall")), Args: args, Dir: dir,
		Env: []string{usage.GivenToMake + "="}}.Run(ctx)
}

// exitUsage is the exit code of rollcall for bad input.
const exitUsage = 2

// exitCode returns the exit code of a program that ended; 0 without an error.
func exitCode(err error) (code int, ended bool) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), exit.Exited()
	}
	return 0, err == nil
}
