package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rollcall/harness/evidence/store"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Long:  "Print which build this is, as report.json of its runs has it.\n\nExit codes: 0; 3 when it could not be printed.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), store.Version())
			return infrastructure(err)
		},
	}
}
