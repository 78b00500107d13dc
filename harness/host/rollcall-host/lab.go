package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/host/lab"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/usage"
)

func labCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{Use: "lab", Short: "Run suites in ipvs mode in a virtual machine, where this host's kernel has no IP_VS"}
	kubernetes := ""
	run := &cobra.Command{
		Use:   "run [flags] [-- OPTIONS]",
		Short: "Run suites there, with these options of rollcall run; out/latest-ipvs leads to the run folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			p.began = true
			return runLab(cmd.Context(), cmd.OutOrStdout(), kubernetes, args)
		},
	}
	run.Flags().StringVar(&kubernetes, "k8s", "", "Kubernetes `version`, such as v1.36.x (default "+kube.Default+")")
	remove := &cobra.Command{
		Use:   "remove",
		Short: "Remove the machine, unless it is in use",
		Args:  cobra.NoArgs,
		RunE:  p.make(func(context.Context, io.Writer, []string) (string, error) { return "", lab.Remove() }),
	}
	cmd.AddCommand(run, remove)
	return cmd
}

// runLab runs the suites in the lab. Its error is the exit code of the run there, if it had one.
func runLab(ctx context.Context, out io.Writer, kubernetes string, args []string) error {
	home, err := layout.Find()
	if err != nil {
		return err
	}
	if home.Module == "" {
		return usage.New("ipvs lab", "it is built from the sources", "run it from a clone of the repository")
	}
	version, err := kube.Resolve(kubernetes)
	if err != nil {
		return err
	}
	folder, code, err := lab.Run(ctx, out, home.Runs(), lab.Options{Module: home.Module, Kubernetes: version, Args: args,
		SaveImages: home.SaveImages})
	if folder != "" {
		fmt.Fprintf(out, "run folder: %s\n", folder)
	}
	if err == nil && code != 0 {
		err = ended(code)
	}
	return err
}
