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
		Long: `Decide whether a candidate cluster, an upgraded one for example, may take the
place of its baseline: go or no-go, with every reason. Markdown is printed,
or with -o data for a script. With
--candidate given again, all candidates stand side by side. Several runs of the
baseline are given by --baseline again, those of one candidate with commas
between: --candidate out/a,out/b.

Go means: what passed in the baseline passes in the candidate, nothing new
fails, no number is shown to be worse, and of each mode it is shown that its
terminations lose and lag no more, within a margin. How, rollcall compare --help
says. With too few observations for that the answer is "cannot tell". All have to be runs
of the same profile; a run from before there were profiles counts as full.

A policy adds to that:

  apiVersion: rollcall/v1alpha1
  kind: AcceptancePolicy
  required:                     # has to pass in every mode of the candidate
    claims: [C31, C37]
    scenarios: [rollout/drained-rolling-update]
    modes: [nftables]           # and these modes have to be there
  exceptions:
  - scenario: statusgap/status-trap
    mode: iptables              # left out: in every one
    number: status_gap_ms       # left out: whatever is wrong with it
    until: 2027-01-31           # the last day, in UTC
    because: known, see OPS-1234

rollcall schema policy prints its JSON Schema.

Exit codes:
  0  go
  1  no-go
  2  wrong usage, a folder, policy or history that cannot be read, or runs of
     different profiles
  3  too little was seen to tell, or the decision could not be written`,
		Example: `  rollcall accept --baseline out/v1.35 --candidate out/v1.36 --policy policy.yaml
  rollcall accept --baseline out/v1.35-1 --baseline out/v1.35-2 --candidate out/v1.36-1,out/v1.36-2
  rollcall accept --baseline out/v1.35 --candidate out/v1.36 --candidate out/v1.37 --html accept.html`,
		Args: cobra.NoArgs,
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
	cmd.Flags().StringSliceVar(&baseline, "baseline", nil, "run `folder` of what is there now; may be given again")
	cmd.Flags().StringArrayVar(&candidates, "candidate", nil, "run `folder` of what is to take its place, or several with commas; may be given again")
	cmd.Flags().StringVar(&policyFile, "policy", "", "`file` that says what is required, and what is known and accepted")
	cmd.Flags().StringVar(&history, "history", "", "history of earlier runs, which count as further ones of the baseline")
	return cmd
}
