package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rollcall/reports"
	"rollcall/reports/model"
)

func rejudgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rejudge DIR",
		Short: "Judge a recorded run again and say what changed since its report",
		Long: `Judge a recorded run again and say what changed since its report.

DIR is a run folder, such as out/latest. Its evidence is read, joined and judged
by the rules of this build, and the result is compared with DIR/report.json,
which any build may have written. Of each scenario that is judged otherwise are
printed the outcome and the reason, then and now, and every rule, number and
other field that changed, a line each. Nothing is written: to replace the
report, use rollcall report DIR.

Exit codes, of the judgement of today:
  0  every scenario passed, or some passed and the rest were skipped
  1  a claim failed
  2  wrong usage, DIR is not a run folder, or it has no report.json
  3  a scenario was inconclusive or could not be read, none was judged, or the
     run broke`,
		Example: `  rollcall rejudge out/latest
  for run in out/2*; do rollcall rejudge "$run"; done`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			now, err := reports.Load(dir)
			if err != nil {
				return err
			}
			changed, err := readReport(dir)
			if err != nil {
				return fmt.Errorf("rollcall: rejudge %s: %w: to write it: rollcall report %s", dir, err, dir)
			}
			if err := changed(cmd.OutOrStdout(), now); err != nil {
				return infrastructure(err)
			}
			return exitCode(model.ExitCode(now))
		},
	}
}

func readReport(dir string) (reports.Writer, error) {
	then, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return nil, err
	}
	return reports.Since(then)
}
