package commands

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/wait"
)

func waitCommand() *cobra.Command {
	o := wait.Options{}
	rights := false
	cmd := &cobra.Command{
		Use:   "wait",
		Short: "Wait until only pods of the current revision are behind a Service",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Service == "" {
				return usage.New("rollcall wait", "no Service is named", "name one: --service=NAMESPACE/NAME")
			}
			if rights {
				return finish(0, o.PrintRights(cmd.OutOrStdout()))
			}
			return work(cmd, func(ctx context.Context) error { return wait.Run(ctx, cmd.OutOrStdout(), o) })
		},
	}
	addFlags(cmd, append(o.List(), usage.Option{Flag: "print-rights", Topic: usage.OnCluster, Switch: &rights,
		Help: "print the role with the least rights that this needs; you bind it to whoever runs it"}))
	return cmd
}
