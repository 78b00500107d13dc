package commands

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/during"
)

func beginCommand() *cobra.Command {
	o := during.Options{}
	cmd := &cobra.Command{
		Use:   "begin",
		Short: "Begin to record what maintenance by hand costs clients; rollcall during end ends it",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if during.IsRecorder() {
				return finish(during.Record(cmd.Context(), o, reportsOf))
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
		Short: "Note in the recording under way that a step of the maintenance begins now",
		Args:  countArgs(1, math.MaxInt, "the step, such as: reboot node-7"),
		RunE: func(_ *cobra.Command, args []string) error {
			return finish(0, during.Mark(strings.Join(args, " ")))
		},
	}
}

func endCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "end",
		Short: "End what rollcall during begin began, and say what the maintenance cost clients",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return finish(during.End(ctx, cmd.OutOrStdout(), reportsOf)) })
		},
	}
}
