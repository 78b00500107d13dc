package main

import (
	"os"

	"github.com/spf13/cobra"

	"rollcall/reports"
	"rollcall/reports/model"
	"rollcall/reports/page"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report DIR",
		Short: "Judge a recorded run again and write its reports",
		Long: `Judge a recorded run again and write its reports.

DIR is a run folder, such as out/latest. Its evidence is read, joined and judged
by the rules of this build; no cluster is needed. Into DIR go

  index.html    for a browser: what failed and why, and a timeline of every rollout
  report.json   every scenario, lane and number
  junit.xml     for CI: a failed claim is a failure, an inconclusive one an error
  summary.md    worst first: totals, every reason, outcomes by mode, numbers
  metrics.prom  for Prometheus, by way of node_exporter's textfile collector

and the table is printed. In a GitHub workflow, which GITHUB_ACTIONS tells of,
annotations for what failed or was inconclusive follow it, and the summary is
added to GITHUB_STEP_SUMMARY. Reports of an earlier judgement are replaced; the
evidence is never changed.

Exit codes:
  0  every scenario passed, or some passed and the rest were skipped
  1  a claim failed
  2  wrong usage, or DIR is not a run folder
  3  a scenario was inconclusive or could not be read, none was judged, the run
     broke, or a report could not be written`,
		Example: `  rollcall report out/latest`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			index := page.New(args[0])
			r, err := reports.LoadWith(args[0], index)
			if err != nil {
				return err
			}
			if err := reports.WriteFolder(args[0], r, index.File()); err != nil {
				return infrastructure(err)
			}
			if err := reports.Terminal(cmd.OutOrStdout(), r); err != nil {
				return infrastructure(err)
			}
			if err := reports.GitHub(cmd.OutOrStdout(), os.Getenv, r); err != nil {
				return infrastructure(err)
			}
			return exitCode(model.ExitCode(r))
		},
	}
}
