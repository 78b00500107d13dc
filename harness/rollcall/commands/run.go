package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/try"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/suites"
)

func runCommand() *cobra.Command {
	q := run.Request{All: suites.All(), Past: run.Past{Took: lastDurations, Failed: failedIn}, Reports: reportsOfSuites}
	app, inLab, serve := "", false, ""
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run suites in every kube-proxy mode and write a run folder",
		Args: noArgs(func(word string) string {
			if _, err := strconv.ParseUint(word, 10, 16); err == nil {
				return "--serve=" + word
			}
			return selected(word)
		}),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if app != "" {
				return finish(0, try.InsteadOf(cmd.Context(), app, q.Options))
			}
			return work(cmd, func(ctx context.Context) error {
				if inLab {
					return finish(runLab(ctx, cmd.OutOrStdout(), q, serve))
				}
				return finish(runSuites(ctx, cmd.OutOrStdout(), q, serve))
			})
		},
	}
	addFlags(cmd, append(append(q.Selection.List(), q.Options.List()...).First("profile", "modes", "suites", "context", "k8s"),
		usage.Option{Flag: "app", Topic: usage.Scenarios, Default: usage.Make, Text: &app,
			Help: "`file` about an app of yours, as earlier releases had: prints the rollcall try that does the same"}))
	completeFlag(cmd, "suites", suiteNames())
	cmd.Flags().BoolVar(&inLab, "lab", false, "run in ipvs mode in a virtual machine, where this host's kernel has no IP_VS")
	cmd.Flags().BoolVarP(&q.Verbose, "verbose", "v", false, "print all that the suites print")
	addServe(cmd, &serve)
	underTopic(cmd, usage.Kind, "lab")
	underTopic(cmd, usage.Printed, "verbose", "serve")
	return cmd
}

// addServe gives a command the flag --serve.
func addServe(cmd *cobra.Command, port *string) {
	cmd.Flags().StringVar(port, "serve", "", "show the run on a page at 127.0.0.1 until it ends, at this `port` or at any that is free")
	cmd.Flags().Lookup("serve").NoOptDefVal = live.AnyPort
}

// runSuites runs suites, and shows the run on a page at a port of this host if one is named.
func runSuites(ctx context.Context, out io.Writer, q run.Request, serve string) (code int, err error) {
	if serve != "" {
		page, err := live.Listen(serve)
		if err != nil {
			return 0, usage.New("--serve="+serve, err.Error(), "name a free port, or none for any")
		}
		defer page.Close()
		q.Began = func(folder string) { show(out, page, folder) }
	}
	if q.DryRun {
		return dryRun(ctx, out, q)
	}
	return run.Suites(ctx, out, q)
}

// show shows a run folder on a live page.
func show(out io.Writer, page *live.Server, folder string) {
	if err := page.Show(folder); err != nil {
		fmt.Fprintln(os.Stderr, err) // the run goes on without it
		return
	}
	fmt.Fprintf(out, "watch it live: %s\n", page.URL())
}

// dryRun prints what a run would do and how long it would take. It returns the exit code of a run in which all would pass.
func dryRun(ctx context.Context, out io.Writer, q run.Request) (code int, err error) {
	plan, err := run.List(ctx, out, q)
	if err != nil {
		return 0, err
	}
	for _, why := range skippedWhole(plan) {
		code = 3
		fmt.Fprintf(out, "a run ends with exit code 3: %s\n", why)
	}
	return code, nil
}
