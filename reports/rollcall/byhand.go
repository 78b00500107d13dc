package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/during"
)

func beginCommand() *cobra.Command {
	o := during.Options{}
	cmd := &cobra.Command{
		Use:   "begin",
		Short: "Begin to record what maintenance by hand costs clients; rollcall during end ends it",
		Long: `Put an app on a cluster under steady load, as rollcall during does, and return
when that is steady. The recorder is a process that outlives this one. Say with
rollcall during mark TEXT what you are about to do, from any terminal, and with
rollcall during end that all is done. After --deadline it ends by itself.

` + lossHelp + `

Exit codes: 0 when the load is steady; 2 for bad input, a host or cluster that
is not fit, or when another recording is under way; 3 when it failed.`,
		Example: `  rollcall during begin --context=staging --namespace=rollcall --max-outage=5s
  rollcall during mark cordon node-7
  rollcall during end`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if during.IsRecorder() {
				signals, stop := interrupts()
				defer stop()
				return finish(during.Record(cmd.Context(), signals, o))
			}
			return work(cmd, func(ctx context.Context) error { return during.Begin(ctx, cmd.OutOrStdout(), o) })
		},
	}
	addFlags(cmd, o.List())
	return cmd
}

func markCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mark TEXT...",
		Short: "Note a step of the maintenance that is recorded, now",
		Long: `Note in the recording that rollcall during or rollcall during begin began that the
maintenance reaches a step now: outages are reported with the step that they
followed. Which recording that is says ROLLCALL_RUN or, without it, out/during.

Exit codes: 0; 2 when nothing is recorded, or it cannot be noted.`,
		Example: "  rollcall during mark reboot node-7",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return finish(0, during.Mark(strings.Join(args, " ")))
		},
	}
}

func endCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "end",
		Short: "End what rollcall during begin began, and say what the maintenance cost clients",
		Long: `Say that the maintenance is over. The load goes on until every node takes pods
again, and then for the time that --settle said at the beginning. What was recorded is
then judged and printed. A recording whose recorder was killed is judged as far
as it goes, and never passes.

Exit codes:
  0  every claim held
  1  a claim failed: clients lost more than they may
  2  nothing is recorded, or it is not to be ended by this
  3  it was inconclusive, cut off or ended by its deadline, or the infrastructure
     failed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return finish(during.End(ctx, cmd.OutOrStdout())) })
		},
	}
}
