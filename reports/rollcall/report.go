package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

func reportCommand() *cobra.Command {
	var dryRun bool
	var picture string
	cmd := &cobra.Command{
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

and the table is printed, or with -o report.json or summary.md. In a GitHub
workflow, which GITHUB_ACTIONS tells of, annotations for what failed or was
inconclusive follow, and the summary is added to GITHUB_STEP_SUMMARY. Reports of
an earlier judgement are replaced; the evidence is never changed.

With --dry-run nothing is written. The judgement of today is compared with
DIR/report.json, which any build may have written. Of each scenario that is
judged otherwise are printed the outcome and the reason, then and now, and every
rule, number and other field that changed, a line each.

With --picture only a drawing is printed, of one scenario that was under load:
replies by version, requests that failed, and each pod's life, from shortly
before the rollout until shortly after it.

Exit codes:
  0  every scenario passed, or some passed and the rest were skipped
  1  a claim failed
  2  wrong usage, DIR is not a run folder, it has no report.json to compare with,
     or no such scenario to draw
  3  a scenario was inconclusive or could not be read, none was judged, the run
     broke, or a report could not be written`,
		Example: `  rollcall report out/latest
  for run in out/2*; do rollcall report --dry-run "$run"; done
  rollcall report out/latest --picture=iptables/control/undrained-rolling-update >timeline.svg`,
		Args: cobra.ExactArgs(1),
	}
	out := addOutput(cmd, asText, asJSON, asYAML, asMarkdown)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what changed since its report, and write nothing")
	cmd.Flags().StringVar(&picture, "picture", "", "print the timeline of this `scenario`, MODE/SUITE/ID, as an SVG file, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("output", "dry-run", "picture")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch dir := args[0]; {
		case dryRun:
			return rejudge(cmd.OutOrStdout(), dir)
		case picture != "":
			return draw(cmd.OutOrStdout(), filepath.Join(dir, "evidence", picture))
		default:
			return report(cmd, dir, out)
		}
	}
	return cmd
}

func report(cmd *cobra.Command, dir string, out *output) error {
	index := page.New(dir)
	r, err := reports.LoadWith(dir, index)
	if err != nil {
		return err
	}
	if err := reports.WriteFolder(dir, r, index.File()); err != nil {
		return infrastructure(err)
	}
	if err := out.print(cmd.OutOrStdout(), r, map[string]func(io.Writer) error{
		asText:     func(w io.Writer) error { return reports.Terminal(w, r) },
		asMarkdown: func(w io.Writer) error { return reports.Markdown(w, r) },
	}); err != nil {
		return err
	}
	talk := cmd.OutOrStdout()
	if out.format != asText {
		talk = cmd.ErrOrStderr()
	}
	if err := reports.GitHub(talk, os.Getenv, r); err != nil {
		return infrastructure(err)
	}
	return exitCode(model.ExitCode(r))
}

func draw(w io.Writer, evidence string) error {
	var svg bytes.Buffer
	if err := page.Picture(&svg, evidence); err != nil {
		return err
	}
	_, err := svg.WriteTo(w)
	return infrastructure(err)
}
