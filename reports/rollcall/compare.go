package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"rollcall/reports/compare"
	"rollcall/reports/sheet"
	"rollcall/reports/trend"
)

func compareCommand() *cobra.Command {
	var modes []string
	var history, html string
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Say what run B says otherwise than run A, and what got worse",
		Long: `Say what run B says otherwise than run A: scenarios with another outcome, new
and missing ones, what differs between the clusters, and numbers that moved by
more than two runs of the same differ anyway. Markdown is printed.

A and B are run folders, before and after an upgrade for one. Every mode that
both have is compared with itself; --modes iptables:nftables compares A's
iptables with B's nftables, or, without B, two modes of A.

The evidence of both is judged by the rules of this build; of a run whose
evidence is gone, report.json is taken, and the output says so. Scenarios that
only the run of the larger profile has are neither new nor missing.

By how much a number may differ is a default, for each number, from many runs
on one small machine. With --history, which rollcall trend writes, it is what
the number did in 5 or more runs of the same scenario, mode, Kubernetes minor,
CNI and load: within 6 median deviations of the median, where the default
counts like 5 more runs. It is never less than what was measured is uncertain
by. Numbers of a scenario that was inconclusive or skipped are not compared.

Exit codes:
  0  nothing got worse
  1  something did: a scenario fails that did not, one that passed is
     inconclusive, or a number moved the wrong way
  2  wrong usage, or a folder or history that cannot be read
  3  what was found could not be written`,
		Example: `  rollcall compare out/before out/after --history out/history.jsonl
  rollcall compare out/latest --modes iptables:nftables`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if err := publish(cmd, compare.Sheet(c), html); err != nil {
				return infrastructure(err)
			}
			if c.Worse() {
				return exitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&modes, "modes", nil, "modes to compare, such as iptables:nftables")
	cmd.Flags().StringVar(&history, "history", "", "history of earlier runs, which tells by how much they differ")
	cmd.Flags().StringVar(&html, "html", "", "write it to this file as well, as one HTML page")
	return cmd
}

func compared(dirA, dirB string, pairs []compare.Pair, history string) (c compare.Comparison, err error) {
	a, err := compare.Open(dirA)
	if err != nil {
		return c, err
	}
	b, err := compare.Open(dirB)
	if err != nil {
		return c, err
	}
	var past trend.History
	if history != "" {
		if past, err = readHistory("compare", history); err != nil {
			return c, err
		}
	}
	return compare.Compare(a, b, pairs, past)
}

// readHistory reads one that has to be there.
func readHistory(command, file string) (trend.History, error) {
	if _, err := os.Stat(file); err != nil {
		return trend.History{}, fmt.Errorf("rollcall: %s: read history: %w: to write it: rollcall trend DIR... --history %s", command, err, file)
	}
	return trend.Read(file)
}

// publish prints a page, and writes it to the file html unless that is empty.
func publish(cmd *cobra.Command, p sheet.Sheet, html string) error {
	if html != "" {
		var b bytes.Buffer
		if err := sheet.HTML(&b, p); err != nil {
			return err
		}
		if err := os.WriteFile(html, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("rollcall: write page: %w", err)
		}
	}
	return sheet.Markdown(cmd.OutOrStdout(), p)
}
