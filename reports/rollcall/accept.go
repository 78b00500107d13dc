package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/rollcall/reports/compare"
)

func acceptCommand() *cobra.Command {
	var policyFile, history string
	var baseline, candidates []string
	cmd := &cobra.Command{
		Use:   "accept --baseline DIR --candidate DIR",
		Short: "Decide whether a candidate cluster may take the place of its baseline: go or no-go",
		Args:  cobra.NoArgs,
	}
	out := addSheetOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(baseline) == 0 || len(candidates) == 0 {
			return errors.New("rollcall: accept: a baseline and a candidate are needed: --baseline DIR --candidate DIR")
		}
		var policy compare.Policy
		past, err := readHistory("accept", history)
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
			d, err := compare.Decide(was, is, policy, past, time.Now())
			if err != nil {
				return err
			}
			decisions = append(decisions, d)
		}
		if err := out.publish(cmd.OutOrStdout(), decisions, compare.DecisionSheet(was, decisions)); err != nil {
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
	cmd.Flags().StringVar(&policyFile, "policy", "", "`file` that says what is required, and what is known and accepted")
	cmd.Flags().StringVar(&history, "history", "", "history `file` of earlier runs, which count as further runs of the baseline")
	return cmd
}
