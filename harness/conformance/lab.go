package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/rollcall/harness/lab"
	"example.com/rollcall/harness/usage"
)

// RunLab runs the suites in ipvs mode in a lab, and returns the exit code of the run there. Its run folder is beside the
// others, and out/latest-ipvs leads to it.
func RunLab(ctx context.Context, out io.Writer, o Options, all Suites) (code int, err error) {
	prepared, err := o.prepare()
	if err != nil {
		return 0, err
	}
	if prepared.Named() || prepared.App != "" || prepared.Keep || prepared.DryRun || o.Failed != "" || o.Serve != "" {
		return 0, usage.New("--lab", "it has a cluster of its own, for Rollcall's own app, and keeps nothing",
			"leave out --context, --app, --keep, --dry-run, --failed and --serve")
	}
	home := prepared.Layout()
	if home.Module == "" {
		return 0, usage.New("--lab", "it is built from the sources", "run it from a clone of the repository")
	}
	suites, err := all.selected(o.Suites)
	if err != nil {
		return 0, err
	}
	folder, code, err := lab.Run(ctx, out, home.Runs(), lab.Options{
		Module: home.Module, Kubernetes: prepared.Version(), Suites: suites, Pattern: o.Pattern, SaveImages: home.SaveImages,
		Args: []string{"--rate=6", "--profile=" + string(prepared.ProfileName()), "--skip=" + o.Skip},
		Report: func(folder string) error {
			_, _, err := write(folder)
			return err
		},
	})
	if folder == "" {
		return code, err
	}
	if err := errors.Join(Link(home.Runs(), "latest-ipvs", folder), appendHistory(home.Runs(), folder)); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run is complete without these
	}
	fmt.Fprintf(out, "run folder: %s\n", folder)
	return code, err
}
