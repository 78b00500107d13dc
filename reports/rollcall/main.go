// Command rollcall reads what a conformance run recorded.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rollcall/reports"
)

// Exit codes that are not about a verdict.
const (
	exitUsage          = 2 // wrong arguments, or a folder that cannot be read
	exitInfrastructure = 3 // the report could not be written
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	code := 0
	root := &cobra.Command{
		Use:           "rollcall",
		Short:         "Tells what a rollout costs the clients of a Kubernetes Service",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(reportCommand(&code))
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		if code == 0 {
			code = exitUsage
		}
	}
	return code
}

func reportCommand(code *int) *cobra.Command {
	return &cobra.Command{
		Use:   "report DIR",
		Short: "Judge a recorded run again and write its reports",
		Long: `Judge a recorded run again and write its reports.

DIR is a run folder, such as out/latest. Its evidence is read, joined and judged
by the rules of this build; no cluster is needed. Into DIR go

  report.json   every scenario, lane and number
  junit.xml     for CI: a failed claim is a failure, an inconclusive one an error
  summary.md    totals, a table, and the reason for everything that did not pass

and the table is printed. Reports of an earlier judgement are replaced; the
evidence is never changed.

Exit codes:
  0  every scenario passed, or some passed and the rest were skipped
  1  a claim failed
  2  wrong usage, or DIR is not a whole run folder
  3  a scenario was inconclusive, none was judged, or a report could not be written`,
		Example: `  rollcall report out/latest`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := reports.Load(args[0])
			if err != nil {
				return err
			}
			*code = exitInfrastructure
			if err := reports.WriteFolder(args[0], r); err != nil {
				return err
			}
			if err := reports.Terminal(cmd.OutOrStdout(), r); err != nil {
				return err
			}
			*code = reports.ExitCode(r)
			return nil
		},
	}
}
