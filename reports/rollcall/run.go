package main

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/conformance"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/suites"
)

func runCommand() *cobra.Command {
	o := conformance.Options{}
	inLab := false
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run suites in every kube-proxy mode and write a run folder",
		Long: `Run suites in every kube-proxy mode that this host supports, on one kind
cluster per mode, or with --context on a cluster that is there already. It
prepares this host first. What was recorded is judged, and the reports are
written to a new folder below out/, or below $ARTIFACTS; out/latest leads to it.

On a terminal a table shows what is under way. Elsewhere, as in a CI log, a line
is printed for each scenario that ended, with details below it unless it passed.
All that the suites print goes to log.txt in the run folder. With --serve a page
at 127.0.0.1 shows the same, and of each scenario that ended what was recorded,
until the run ends.

With --lab they run in ipvs mode in a virtual machine, the lab, whose kernel has
IP_VS. It is built when it is first asked for. The run folder is among the
others, and out/latest-ipvs leads to it.

Exit codes:
  0  every scenario passed, or some passed and the rest were skipped
  1  a claim failed
  2  bad input, or a host or cluster that is not fit; nothing was created
  3  a scenario was inconclusive, or the infrastructure failed`,
		Example: `  rollcall run
  rollcall run --modes=nftables --suites=control,rollout --k8s=v1.36.x
  rollcall run --context=staging --namespace=rollcall --image-repo=registry.example.com/platform/rollcall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			run := conformance.Run
			if inLab {
				run = conformance.RunLab
			}
			return work(cmd, func(ctx context.Context) error { return finish(run(ctx, cmd.OutOrStdout(), o, suites.All)) })
		},
	}
	addFlags(cmd, o.List())
	cmd.Flags().BoolVar(&inLab, "lab", false, "run in ipvs mode in a machine of its own, where this host's kernel has no IP_VS")
	cmd.Flags().BoolVarP(&o.Verbose, "verbose", "v", false, "print each line of what goes on")
	addServe(cmd, &o.Serve)
	return cmd
}

// addServe gives a command the flag --serve.
func addServe(cmd *cobra.Command, port *string) {
	cmd.Flags().StringVar(port, "serve", "", "show the run to a browser on this host while it goes on, at this `port` or, without one, at any")
	cmd.Flags().Lookup("serve").NoOptDefVal = live.AnyPort
}
