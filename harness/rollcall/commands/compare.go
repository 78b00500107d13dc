package commands

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/compare"
)

func compareCommand() *cobra.Command {
	var modes []string
	var history string
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Compare two runs: changed outcomes, and numbers that got worse",
		Args:  countArgs(1, 2, "two run folders, or one and --modes=iptables:nftables"),
	}
	out := addSheetOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pairs, err := compare.ParsePairs(modes)
		if err != nil {
			return err
		}
		if len(args) == 1 && len(pairs) == 0 {
			return usage.New(args[0], "one run alone is named", "name another, or two modes of it: --modes=iptables:nftables")
		}
		c, err := compared(args[0], args[len(args)-1], pairs, history)
		if err != nil {
			return err
		}
		if err := out.publish(cmd.OutOrStdout(), c, compare.Sheet(c)); err != nil {
			return err
		}
		if c.Worse() {
			return exitCode(1)
		}
		return nil
	}
	cmd.Flags().StringSliceVar(&modes, "modes", nil, "`modes` to compare, such as iptables:nftables")
	cmd.Flags().StringVar(&history, "history", "", "history `file` of earlier runs, which count as further runs of A")
	return cmd
}

func compared(dirA, dirB string, pairs []compare.Pair, history string) (c compare.Comparison, err error) {
	a, err := compare.OpenAll(strings.Split(dirA, ","))
	if err != nil {
		return c, err
	}
	b, err := compare.OpenAll(strings.Split(dirB, ","))
	if err != nil {
		return c, err
	}
	past, err := readHistory(history)
	if err != nil {
		return c, err
	}
	return compare.Compare(a, b, compare.Scope{Pairs: pairs, History: past})
}

// readHistory reads the history that is named, which has to be there; without a name it is empty.
func readHistory(file string) (compare.History, error) {
	if file == "" {
		return compare.History{}, nil
	}
	if _, err := os.Stat(file); err != nil {
		return compare.History{}, usage.New("--history="+file, "it cannot be read: "+err.Error(),
			"have it written: rollcall trend DIR... --history="+file)
	}
	return compare.ReadHistory(file)
}
