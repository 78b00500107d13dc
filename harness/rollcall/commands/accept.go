package commands

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports/compare"
)

func acceptCommand() *cobra.Command {
	var policyFile, history string
	var baseline, candidates, modes []string
	cmd := &cobra.Command{
		Use:   "accept --baseline DIR --candidate DIR",
		Short: "Decide whether a candidate cluster may take the place of its baseline: go or no-go",
		Args:  noArgs(unmeant),
	}
	out := addSheetOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		pairs, err := compare.ParsePairs(modes)
		if err != nil {
			return err
		}
		if len(pairs) > 0 && len(candidates) == 0 { // another mode of the same runs
			candidates = []string{strings.Join(baseline, ",")}
		}
		if len(baseline) == 0 || len(candidates) == 0 {
			return usage.New("rollcall accept", "a baseline or a candidate is missing",
				"name both: --baseline=DIR --candidate=DIR, or two modes of one: --baseline=DIR --modes=iptables:nftables")
		}
		var policy compare.Policy
		past, err := readHistory(history)
		if err == nil && policyFile != "" {
			policy, err = compare.ReadPolicy(policyFile)
		}
		if err != nil {
			return err
		}
		was, err := compare.OpenAll(baseline)
		if err != nil {
			return err
		}
		var decisions []compare.Decision
		for _, dirs := range candidates {
			is, err := compare.OpenAll(strings.Split(dirs, ","))
			if err != nil {
				return err
			}
			d, err := compare.Decide(was, is, pairs, policy, past, time.Now())
			if err != nil {
				return err
			}
			decisions = append(decisions, d)
		}
		if err := out.publish(cmd.OutOrStdout(), decisions, compare.DecisionSheet(decisions)); err != nil {
			return err
		}
		switch compare.Worst(decisions) {
		case compare.NoGo:
			return exitCode(1)
		case compare.Undecided:
			return exitCode(3)
		default:
			return nil
		}
	}
	cmd.Flags().StringSliceVar(&baseline, "baseline", nil, "run `folder` of the cluster there is now; may be given again")
	cmd.Flags().StringArrayVar(&candidates, "candidate", nil, "run `folder` of a cluster to take its place, or several, separated by commas; may be given again")
	cmd.Flags().StringSliceVar(&modes, "modes", nil,
		"`modes` of baseline and candidate to compare, such as iptables:nftables (default: each with itself)")
	cmd.Flags().StringVar(&policyFile, "policy", "", "`file` that says what is required, and what is known and accepted")
	cmd.Flags().StringVar(&history, "history", "", "history `file` of earlier runs, which count as further runs of the baseline")
	return cmd
}
