package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/conformance"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/suites"
)

func runCommand() *cobra.Command {
	o := conformance.Options{}
	inLab := false
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run suites in every kube-proxy mode and write a run folder",
		Args: noArgs(func(word string) string {
			if _, err := strconv.ParseUint(word, 10, 16); err == nil {
				return "--serve=" + word
			}
			return selected(word)
		}),
		RunE: func(cmd *cobra.Command, _ []string) error {
			run := conformance.Run
			if inLab {
				run = conformance.RunLab
			}
			return work(cmd, func(ctx context.Context) error { return finish(run(ctx, cmd.OutOrStdout(), o, suites.All)) })
		},
	}
	addFlags(cmd, o.List().First("profile", "modes", "suites", "context", "k8s"))
	completeFlag(cmd, "suites", suiteNames())
	cmd.Flags().BoolVar(&inLab, "lab", false, "run in ipvs mode in a virtual machine, where this host's kernel has no IP_VS")
	cmd.Flags().BoolVarP(&o.Verbose, "verbose", "v", false, "print all that the suites print")
	addServe(cmd, &o.Serve)
	underTopic(cmd, usage.Kind, "lab")
	underTopic(cmd, usage.Printed, "verbose", "serve")
	return cmd
}

// addServe gives a command the flag --serve.
func addServe(cmd *cobra.Command, port *string) {
	cmd.Flags().StringVar(port, "serve", "", "show the run on a page at 127.0.0.1 until it ends, at this `port` or at any that is free")
	cmd.Flags().Lookup("serve").NoOptDefVal = live.AnyPort
}
