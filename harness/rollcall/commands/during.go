package commands

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/usage"
)

func duringCommand() *cobra.Command {
	o := during.Options{}
	rights := false
	var out *output
	cmd := &cobra.Command{
		Use:   "during [flags] -- COMMAND...",
		Short: "Run a command that maintains a cluster, and say what it costs clients",
		RunE: func(cmd *cobra.Command, args []string) error {
			if rights {
				return finish(0, o.PrintRights(cmd.OutOrStdout()))
			}
			if len(args) == 0 {
				return usage.New("rollcall during", "no command is named", "write one after --, or use rollcall during begin, mark and end")
			}
			at := during.Terminal{Out: out.said(cmd), Errors: cmd.ErrOrStderr()}
			if !term.IsTerminal(int(os.Stdin.Fd())) {
				at.In = os.Stdin
			}
			folder := ""
			code, err := during.Run(cmd.Context(), at, o, args, noting(&folder, reportsOf))
			if err == nil && !out.isText() {
				err = printResult(cmd, out, folder, code)
			}
			return finish(code, err)
		},
	}
	addFlags(cmd, slices.Concat(o.List(), o.OfCommand(), usage.List{{Flag: "print-rights", Topic: usage.OnCluster, Switch: &rights,
		Help: "print the roles with the least rights that this needs; you bind them to whoever runs it"}}))
	out = addOutput(cmd, asText, asJSON, asYAML)
	cmd.AddCommand(beginCommand(), markCommand(), endCommand())
	return cmd
}
