// Command rollcall runs suites that say what a rollout costs the clients of a Kubernetes Service, and reads what such a run recorded. The
// commands of run.go, during.go, byhand.go, try.go, host.go and image.go work on clusters; all others only read run folders, or what is
// built in.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Groups of commands, as the help lists them.
const (
	runGroup    = "run"
	hostGroup   = "host"
	reportGroup = "report"
)

func run(args []string, stdout, stderr io.Writer) int {
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
		end = exit{exitUsage, nearestCommand(root, args, err)} // cobra's own errors are about arguments
	}
	if end.err != nil {
		fmt.Fprintln(stderr, "Error:", end.err)
	} else if err == nil {
		return 0
	}
	return end.code
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:                "rollcall",
		Short:              "Measures what a rollout costs the clients of a Kubernetes Service",
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // an error is one line
	}
	root.SetFlagErrorFunc(flagError)
	listFlags(root)
	addVersionFlag(root)
	root.AddGroup(&cobra.Group{ID: runGroup, Title: "Run suites:"}, &cobra.Group{ID: hostGroup, Title: "This host:"},
		&cobra.Group{ID: reportGroup, Title: "Read what runs recorded:"})
	for group, commands := range map[string][]*cobra.Command{
		runGroup:    {runCommand(), listCommand(), explainCommand(), duringCommand(), tryCommand(), imageCommand()},
		hostGroup:   {preflightCommand(), cleanCommand(), versionCommand()},
		reportGroup: {statusCommand(), reportCommand(), compareCommand(), trendCommand(), acceptCommand(), schemaCommand()},
	} {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	describe(root.Commands())
	settleFlags(root.Commands())
	return root
}
