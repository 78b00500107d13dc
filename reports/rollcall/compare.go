package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/reports/compare"
)

func compareCommand() *cobra.Command {
	var modes []string
	var history string
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Compare two runs: changed outcomes, and numbers that got worse",
		Long: `Compare run B with run A: scenarios with another outcome, new
and missing ones, what differs between the clusters, and which numbers a test
shows to have moved. Markdown is printed, or with -o data for a script.

A and B are run folders, before and after an upgrade for one, or several of a
side with commas between: the more runs, the smaller the change that is seen.
Every mode that both have is compared with itself; --modes iptables:nftables
compares A's iptables with B's nftables, or, without B, two modes of A.

The evidence of both is judged by the rules of this build; of a run whose
evidence is gone, report.json is taken, and the output says so. Scenarios that
only the run of the larger profile has are neither new nor missing. Numbers of
a scenario that was inconclusive or skipped are not compared.

Terminations that lost a request are compared by Fisher's exact test, all else
by a permutation test within each scenario. Lags have one value for each moment
at which old pods left, other numbers one a run; --history, which rollcall trend
writes, adds its runs of the same scenario, mode, Kubernetes minor, CNI and load
to those of A. Each number is:

  worse        at most one in a hundred of these by chance, after Benjamini
               and Hochberg over all numbers, scenarios and modes
  better       likewise
  no worse     within the margin, at 95 % confidence
  cannot tell  neither was shown; the change that would have been is named

Exit codes:
  0  nothing got worse
  1  something did: a scenario fails that did not, one that passed is
     inconclusive, or a number is shown to be worse
  2  wrong usage, or a folder or history that cannot be read
  3  what was found could not be written`,
		Example: `  rollcall compare out/before out/after --history out/history.jsonl
  rollcall compare out/before-1,out/before-2 out/after-1,out/after-2
  rollcall compare out/latest --modes iptables:nftables`,
		Args: cobra.RangeArgs(1, 2),
	}
	out := addSheetOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var pairs []compare.Pair
		for _, named := range modes {
			pair, err := compare.ParsePair(named)
			if err != nil {
				return err
			}
			pairs = append(pairs, pair)
		}
		if len(args) == 1 && len(pairs) == 0 {
			return errors.New("rollcall: compare: one run alone: name another, or two modes of it: --modes iptables:nftables")
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
	cmd.Flags().StringSliceVar(&modes, "modes", nil, "modes to compare, such as iptables:nftables")
	cmd.Flags().StringVar(&history, "history", "", "history of earlier runs, which count as further ones of A")
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
	past, err := readHistory("compare", history)
	if err != nil {
		return c, err
	}
	return compare.Compare(a, b, compare.Scope{Pairs: pairs, History: past})
}

// readHistory reads one that has to be there, if one is named.
func readHistory(command, file string) (compare.History, error) {
	if file == "" {
		return compare.History{}, nil
	}
	if _, err := os.Stat(file); err != nil {
		return compare.History{}, fmt.Errorf("rollcall: %s: read history: %w: to write it: rollcall trend DIR... --history %s",
			command, err, file)
	}
	return compare.ReadHistory(file)
}
