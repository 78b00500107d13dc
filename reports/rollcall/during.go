package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/rollcall/harness/during"
)

// lossHelp says by what a recording of maintenance is judged.
const lossHelp = `Any request that fails is a failure, unless --max-outage or --max-failed say what
each client may lose; every outage is reported with the step that it followed.
Where clients sent too few requests meanwhile to tell, it is inconclusive.`

func duringCommand() *cobra.Command {
	o := during.Options{}
	rights := false
	cmd := &cobra.Command{
		Use:   "during -- COMMAND...",
		Short: "Run a command that maintains a cluster, and say what it costs clients",
		Long: `Put an app on a cluster under steady load, run a command of yours, and say what
it cost the app's clients: on a kind cluster that is made, or with --context on
one that is there already. Nothing else is done to the cluster. The load ends
when the command has ended, every node takes pods again, and --settle is over.

With --service it asks a Service of yours and, where the roles of --print-rights
are granted, watches its pods: the load goes on until their rollout is over, and
a command after which nothing changed is inconclusive. Where no status tells
when a rollout is over, --until or --for says it.

With --url alone nothing but this host is used: no cluster, no rights. What it
cannot see is said by --for or --until; without either, a command that costs
nobody a request is inconclusive.

` + lossHelp + `

The command gets ROLLCALL_RUN, the run folder, with which it may call rollcall
during mark TEXT before each step; of a kind cluster also KUBECONFIG and
ROLLCALL_NODES, the names of the nodes. It has no terminal to read from. What it
prints is kept, with times, in command.log in the run folder. Its exit code does
not affect the verdict; it is printed, and recorded in report.json.
Ctrl-C is passed on to it once; the second one tears down.

Exit codes:
  0  every claim held
  1  a claim failed: clients lost more than they may
  2  bad input, or a host or cluster that is not fit; nothing was created
  3  it was inconclusive or interrupted, or the infrastructure failed`,
		Example: `  N=rollcall-iptables-worker rollcall during --keep -- sh -c 'kubectl drain $N --ignore-daemonsets; kubectl uncordon $N'
  rollcall during --context=staging --namespace=rollcall --max-outage=5s --max-failed=0.1% -- ./upgrade-nodes.sh
  rollcall during --context=staging --namespace=rollcall --service=shop/web -- kubectl rollout restart deployment/web --namespace=shop
  rollcall during --context=staging --url=https://shop.example.com/healthz --header='Authorization=$TOKEN' -- ./upgrade-nodes.sh
  rollcall during --url=https://shop.example.com/healthz --for=60s -- kubectl rollout restart deployment/web --namespace=shop
  rollcall during --print-rights | kubectl apply -f -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rights {
				return infrastructure(o.PrintRights(cmd.OutOrStdout()))
			}
			if len(args) == 0 {
				return errors.New("rollcall: during: no command: write one after --, or use rollcall during begin, mark and end")
			}
			signals, stop := interrupts()
			defer stop()
			at := during.Terminal{Out: cmd.OutOrStdout(), Errors: cmd.ErrOrStderr(), Signals: signals}
			if !term.IsTerminal(int(os.Stdin.Fd())) {
				at.In = os.Stdin
			}
			return finish(during.Run(cmd.Context(), at, o, args))
		},
	}
	addFlags(cmd, append(o.List(), o.OfCommand()...))
	cmd.AddCommand(beginCommand(), markCommand(), endCommand())
	cmd.Flags().BoolVar(&rights, "print-rights", false, "print roles with the least rights that this needs on a cluster that is there already")
	return cmd
}

// interrupts are those of this process, until stop.
func interrupts() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return signals, func() { signal.Stop(signals) }
}
