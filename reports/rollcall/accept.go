package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"rollcall/reports/accept"
	"rollcall/reports/compare"
	"rollcall/reports/trend"
)

func acceptCommand() *cobra.Command {
	var baseline, policyFile, history, html string
	var candidates []string
	cmd := &cobra.Command{
		Use:   "accept --baseline DIR --candidate DIR",
		Short: "Decide whether a candidate cluster may take the place of its baseline: go or no-go",
		Long: `Decide whether a candidate cluster, an upgraded one for example, may take the
place of its baseline: go or no-go, with every reason. Markdown is printed. With
--candidate given again, all candidates stand side by side.

Go means: what passed in the baseline passes in the candidate, nothing new
fails, and no number is worse by more than two runs of the same differ. By how
much that is, rollcall compare --help says. Both have to be runs of the same profile;
a run from before there were profiles counts as full.

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
  3  the decision could not be written`,
		Example: `  rollcall accept --baseline out/v1.35 --candidate out/v1.36 --policy policy.yaml
  rollcall accept --baseline out/v1.35 --candidate out/v1.36 --candidate out/v1.37 --html accept.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if baseline == "" || len(candidates) == 0 {
				return errors.New("rollcall: accept: a baseline and a candidate are needed: --baseline DIR --candidate DIR")
			}
			var policy accept.Policy
			var past trend.History
			var err error
			if policyFile != "" {
				if policy, err = accept.ReadPolicy(policyFile); err != nil {
					return err
				}
			}
			if history != "" {
				if past, err = readHistory("accept", history); err != nil {
					return err
				}
			}
			was, err := compare.Open(baseline)
			if err != nil {
				return err
			}
			var decisions []accept.Decision
			for _, dir := range candidates {
				is, err := compare.Open(dir)
				if err != nil {
					return err
				}
				d, err := accept.Decide(was, is, policy, past, time.Now())
				if err != nil {
					return err
				}
				decisions = append(decisions, d)
			}
			if err := publish(cmd, accept.Sheet(was, decisions), html); err != nil {
				return infrastructure(err)
			}
			if !accept.Go(decisions) {
				return exitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&baseline, "baseline", "", "run `folder` of what is there now")
	cmd.Flags().StringArrayVar(&candidates, "candidate", nil, "run `folder` of what is to take its place; may be given again")
	cmd.Flags().StringVar(&policyFile, "policy", "", "`file` that says what is required, and what is known and accepted")
	cmd.Flags().StringVar(&history, "history", "", "history of earlier runs, which tells by how much they differ")
	cmd.Flags().StringVar(&html, "html", "", "write it to this file as well, as one HTML page")
	return cmd
}
