package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"rollcall/reports/page"
)

func pictureCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "picture DIR",
		Short: "Print the timeline of one recorded scenario, as an SVG file",
		Long: `Print the timeline of one recorded scenario as an SVG file: replies by version,
requests that failed, and each pod's life, from shortly before the rollout until
shortly after it. It is light or dark as its reader's screen is.

DIR is the folder of the scenario's evidence. Exit codes: 0; 2 when it holds no
scenario that was under load; 3 when it could not be printed.`,
		Example: "  rollcall picture out/latest/evidence/iptables/control/undrained-rolling-update >timeline.svg",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var svg bytes.Buffer
			if err := page.Picture(&svg, args[0]); err != nil {
				return err
			}
			_, err := svg.WriteTo(cmd.OutOrStdout())
			return infrastructure(err)
		},
	}
}
