package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// withTwoDashes makes --modes=x of -modes=x, as the suites' own programs and older scripts have it. Only names of flags of the
// command are taken for such.
func withTwoDashes(root *cobra.Command, args []string) []string {
	changed := append([]string{}, args...) // and not nil, which would be the arguments of the process
	cmd, _, err := root.Find(args)
	if err != nil {
		return changed
	}
	for i, arg := range changed {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			changed[i] = "-" + arg
		}
	}
	return changed
}
