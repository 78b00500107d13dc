package commands

import (
	"os"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/try"
)

func tryCommand() *cobra.Command {
	o := try.Options{}
	cmd := &cobra.Command{
		Use:   "try -f FILES [flags]",
		Short: "Roll out an app of yours by its manifests, and say what that costs its clients",
		Args:  noArgs(func(word string) string { return "-f " + word }),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.In = os.Stdin
			return finish(try.Run(cmd.Context(), during.Terminal{Out: cmd.OutOrStdout(), Errors: cmd.ErrOrStderr()}, o, reportsOf))
		},
	}
	addFlags(cmd, o.List())
	return cmd
}
