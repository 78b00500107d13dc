package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"rollcall/harness/lab"
	"rollcall/harness/usage"
	"rollcall/reports"
	"rollcall/reports/page"
)

// lab runs the suites in a lab. Its run folder is among the others, and out/latest-ipvs points at it.
func (c *conformance) lab(ctx context.Context) int {
	if c.runner.Context != "" || c.runner.App != "" || c.runner.Keep {
		return complain(usage.New("lab", "it has a cluster of its own, for Rollcall's own app, and keeps nothing", "leave out -context, -app and -keep"))
	}
	home := c.runner.Layout()
	suites, err := selectSuites(home, c.suites)
	if err != nil {
		return complain(err)
	}
	folder, code, err := lab.Run(ctx, os.Stdout, home.Runs(), lab.Options{
		Module: home.Folder, Kubernetes: c.runner.Version(), Suites: suites, Pattern: c.pattern, SaveImages: home.SaveImages,
		Args: []string{fmt.Sprintf("-agents-per-node=%d", c.runner.Agents()), "-rate=6", "-profile=" + string(c.runner.ProfileName())},
		Report: func(folder string) error {
			report, err := reports.Load(folder)
			if err != nil {
				return err
			}
			return reports.WriteFolder(folder, report, page.File(folder))
		},
	})
	if err != nil {
		code = complain(err)
	}
	if folder == "" {
		return code
	}
	latest := filepath.Join(home.Runs(), "latest-ipvs")
	if err := errors.Join(os.RemoveAll(latest), os.Symlink(filepath.Base(folder), latest), remember(home.Runs(), folder)); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run is none the worse for it
	}
	fmt.Printf("run folder: %s\n", folder)
	return code
}
