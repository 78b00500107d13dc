// Package commands has the commands of the program rollcall, which runs suites that say what a rollout costs the clients of a Kubernetes
// Service, and reads what such a run recorded. It is the only package that knows both [run] and reports. The commands of run.go, during.go,
// byhand.go, try.go, wait.go, host.go and image.go work on clusters; all others only read run folders, or what is built in.
package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/verdict/phrase"
)

// Main runs the program with the arguments of this process, and returns its exit code.
func Main() int { return Execute(os.Args[1:], os.Stdout, os.Stderr) }

// Execute runs the program with arguments, and returns its exit code.
func Execute(args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	if calledAsPlugin(os.Args[0]) {
		asPlugin(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	var end exit
	if !errors.As(err, &end) {
		end = exit{exitUsage, inOneForm(root, args, err)} // cobra's own errors are about arguments
	}
	if end.err != nil {
		fmt.Fprintln(stderr, "Error:", phrase.PrintableLines(end.err.Error()))
	} else if err == nil {
		return 0
	}
	return end.code
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "rollcall",
		Short: "Measures what a rollout costs the clients of a Kubernetes Service",
		Example: "  rollcall try -f k8s/       what a rollout of your app costs its clients, and what to change in its manifests\n" +
			"  rollcall run               whether a cluster keeps what Rollcall's suites claim of rollouts, in every kube-proxy mode\n" +
			"  rollcall explain RC2019    what a failure or an inconclusive verdict means, and what to do",
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // an error is one line
	}
	root.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // commands stand in the order of what comes first
	cobra.AddTemplateFunc("byTopic", byTopic)
	root.SetHelpTemplate("{{.UsageString}}")
	root.SetUsageTemplate(helpForm)
	addVersionFlag(root)
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"app", "Your app:", []*cobra.Command{checkCommand(), tryCommand(), duringCommand(), waitCommand()}},
		{"suites", "Rollcall's suites:", []*cobra.Command{runCommand(), statusCommand(), listCommand(), explainCommand()}},
		{"report", "Reports of runs:",
			[]*cobra.Command{reportCommand(), evidenceCommand(), compareCommand(), acceptCommand(), trendCommand(), schemaCommand()}},
		{"host", "This host, and clusters:", []*cobra.Command{preflightCommand(), imageCommand(), cleanCommand(), versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.id
			root.AddCommand(cmd)
		}
	}
	describe(root.Commands())
	settleFlags(root.Commands())
	return root
}
