package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/try"
	"example.com/rollcall/harness/usage"
)

// work runs a command that changes something outside the run folder: on Ctrl-C and SIGTERM it cleans up and ends.
func work(cmd *cobra.Command, do func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends this process at once; clusters are removed all the same
	return finish(0, do(ctx))
}

func preflightCommand() *cobra.Command {
	o := run.Options{}
	nodeImage := false
	cmd := &cobra.Command{
		Use:   "preflight",
		Short: "Say what this host can run",
		Args:  noArgs(unmeant),
	}
	addFlags(cmd, o.List().Only("k8s"))
	cmd.Flags().BoolVar(&nodeImage, "node-image", false, "have rollcall-host get the node image of --k8s, built here if need be")
	out := addOutput(cmd, asText, asJSON, asYAML)
	cmd.MarkFlagsMutuallyExclusive("node-image", "output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("k8s") && !nodeImage {
			return usage.New("--k8s="+o.Kubernetes, "it is the version of the node image, and that is not asked for", "add --node-image")
		}
		return work(cmd, func(ctx context.Context) error {
			if nodeImage {
				return getNodeImage(ctx, cmd, o.Kubernetes)
			}
			facts, err := provision.Check(ctx)
			told := out.print(cmd.OutOrStdout(), facts.Findings(), map[string]func(io.Writer) error{asText: facts.Print})
			return cmp.Or(err, told)
		})
	}
	return cmd
}

func getNodeImage(ctx context.Context, cmd *cobra.Command, kubernetes string) error {
	version, err := kube.Resolve(kubernetes)
	if err != nil {
		return err
	}
	image, err := provision.NodeImage(ctx, cmd.ErrOrStderr(), version)
	if err == nil {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), image)
	}
	return err
}

// cleanTries deletes what killed tries of this host created on a cluster.
func cleanTries(ctx context.Context, t staging.Target, out io.Writer) error {
	if !t.Named() {
		return nil
	}
	c, err := t.Connect(ctx, "")
	if err != nil {
		return nil // Cleanup fails with the same
	}
	at, err := layout.Find()
	if err != nil {
		return err
	}
	return try.Clean(ctx, c, func(line string) { fmt.Fprintln(out, line) }, at.Runs())
}

func cleanCommand() *cobra.Command {
	t := staging.Target{}
	ofLab, all := false, false
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove the clusters that Rollcall made on this host, or what runs left on another cluster",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error {
				switch {
				case ofLab:
					return finish(provision.Lab(ctx, cmd.OutOrStdout(), "remove"))
				case t.Named() || cmd.Flags().NFlag() > 0: // an empty --context too: an unset variable must not mean kind clusters
					return errors.Join(cleanTries(ctx, t, cmd.OutOrStdout()), t.Cleanup(ctx, cmd.OutOrStdout(), all))
				default:
					return kind.Sweep(ctx, cmd.OutOrStdout(), true)
				}
			})
		},
	}
	addFlags(cmd, append(t.Reach(), t.List().Only("namespace", "allow")...))
	cmd.Flags().BoolVar(&ofLab, "lab", false, "remove the virtual machine of rollcall run --lab")
	cmd.Flags().BoolVar(&all, "all", false, "with --context: also what runs need that are still under way, and what names no run")
	cmd.MarkFlagsMutuallyExclusive("lab", "context")
	return cmd
}
