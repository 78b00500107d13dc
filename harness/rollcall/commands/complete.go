package commands

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeFlag has a shell complete the values of a flag, also after a comma. Without values it completes files.
func completeFlag(cmd *cobra.Command, name string, values []string) {
	if len(values) == 0 {
		return
	}
	err := cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		before := word[:strings.LastIndex(word, ",")+1]
		var all []string
		for _, value := range values {
			if strings.HasPrefix(before+value, word) && !slices.Contains(strings.Split(before, ","), value) {
				all = append(all, before+value)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is there
	}
}

// explained returns all names that rollcall explain knows, but lanes and claims.
func explained() (all []string) {
	for _, c := range codes() {
		all = append(all, c.ID, c.Code)
	}
	for _, l := range listings() {
		if !slices.Contains(all, l.Suite) {
			all = append(all, l.Suite)
		}
		all = append(all, l.ID)
	}
	for _, o := range outcomes {
		all = append(all, o.Name)
	}
	return all
}
