package main

import (
	"os"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/try"
)

func tryCommand() *cobra.Command {
	o := try.Options{}
	options := append(o.Options.List().Only("modes", "k8s", "keep", "rate", "max-outage", "max-failed", "max-latency",
		"namespace", "image-repo", "images", "allow", "host", "header", "method", "body", "good-status", "ca", "server-name", "insecure"),
		o.Reach()...)
	cmd := &cobra.Command{
		Use:   "try -f FILES",
		Short: "Roll out an app of yours by its manifests, and say what that costs its clients",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signals, stop := interrupts()
			defer stop()
			o.In, o.Line = os.Stdin, commandLine(cmd, options)
			at := during.Terminal{Out: cmd.OutOrStdout(), Errors: cmd.ErrOrStderr(), Signals: signals}
			return finish(try.Run(cmd.Context(), at, o))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Files, "filename", "f", nil, "`file`, folder or URL with manifests, or - for standard input")
	flags.StringVarP(&o.Kustomize, "kustomize", "k", "", "`folder` of a kustomization")
	flags.BoolVarP(&o.Recursive, "recursive", "R", false, "read folders within folders, too")
	flags.StringVar(&o.Service, "service", "", "`Service` that clients use: [namespace/]name[:port][/path] (default: the only one that leads to pods)")
	flags.StringVar(&o.To, "to", "", "what to roll out: image=`REF`, CONTAINER=REF, or a file or folder with manifests (default: a restart)")
	flags.BoolVar(&o.Twin, "twin", false, "then restart the app without its preStop hook: clients have to lose requests")
	flags.BoolVar(&o.Needed, "needed", false, "then restart the app with the preStop sleep that the rollout needed: clients may lose none")
	flags.BoolVar(&o.DryRun, "dry-run", false, "say how the manifests are understood, and do nothing")
	addFlags(cmd, options)
	return cmd
}
