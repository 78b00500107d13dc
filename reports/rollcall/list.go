package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/suites"
)

// A listing is what is known of a scenario without a cluster.
type listing struct {
	ID      string   `json:"id"`
	Suite   string   `json:"suite"`
	Claim   string   `json:"claim"` // one sentence
	Covers  []string `json:"covers"`
	Profile string   `json:"profile"` // the smallest that has it
	Needs   []string `json:"needs"`
	Seconds float64  `json:"seconds"` // an estimate of how long it takes
}

func listCommand() *cobra.Command {
	var run, skip, suite, profile string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios: what each claims, covers and needs, and how long it takes",
		Args:  cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&run, "run", "", "only scenarios whose name matches this `pattern`")
	flags.StringVar(&skip, "skip", "", "leave out scenarios whose name matches this `pattern`")
	flags.StringVar(&suite, "suite", "", "only scenarios of this `suite`")
	flags.StringVar(&profile, "profile", string(harness.Full), "only scenarios of this `profile`: smoke, core or full")
	out := addOutput(cmd, asText, asJSON, asYAML, asMarkdown)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := harness.ParseProfile(profile); err != nil {
			return err
		}
		if have := slices.Sorted(maps.Keys(suites.All(nil))); suite != "" && !slices.Contains(have, suite) {
			return usage.New("suite "+suite, "it does not exist", "choose one that rollcall list shows"+usage.Meant(suite, have...))
		}
		named, err := regexp.Compile(run)
		if err != nil {
			return fmt.Errorf("rollcall: run %q: %w", run, err)
		}
		without, err := regexp.Compile(skip)
		if err != nil {
			return fmt.Errorf("rollcall: skip %q: %w", skip, err)
		}
		all := slices.DeleteFunc(listings(), func(l listing) bool {
			return suite != "" && l.Suite != suite || !named.MatchString(l.ID) || skip != "" && without.MatchString(l.ID) ||
				!(harness.Scenario{Profile: harness.Profile(l.Profile)}).In(harness.Profile(profile))
		})
		if len(all) == 0 {
			return fmt.Errorf("rollcall: list: no scenario matches: rollcall list has all")
		}
		return out.print(cmd.OutOrStdout(), all, map[string]func(io.Writer) error{
			asText:     func(w io.Writer) error { return listAsText(w, all) },
			asMarkdown: func(w io.Writer) error { return listAsMarkdown(w, all) },
		})
	}
	return cmd
}

// listings lists the scenarios of every suite but own, whose app is not known here.
func listings() (all []listing) {
	suites := suites.All(nil)
	for _, suite := range slices.Sorted(maps.Keys(suites)) {
		for _, s := range suites[suite] {
			all = append(all, listing{s.ID, suite, s.Claim, append([]string{}, s.Covers()...), string(cmp.Or(s.Profile, harness.Full)), s.Needs(),
				s.Estimate().Seconds()})
		}
	}
	return all
}

func listAsText(w io.Writer, all []listing) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCENARIO\tPROFILE\tSECONDS\tCOVERS\tNEEDS")
	for _, l := range all {
		fmt.Fprintf(table, "%s/%s\t%s\t%.0f\t%s\t%s\n", l.Suite, l.ID, l.Profile, l.Seconds, strings.Join(l.Covers, " "),
			strings.Join(l.Needs, ", "))
	}
	return table.Flush()
}

func listAsMarkdown(w io.Writer, all []listing) error {
	text := reports.Head("scenario", "claims that", "covers", "profile", "seconds", "needs")
	for _, l := range all {
		text += reports.Row(l.Suite+"/"+l.ID, reports.Escape(l.Claim), strings.Join(l.Covers, " "), l.Profile, fmt.Sprintf("%.0f", l.Seconds),
			strings.Join(l.Needs, ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}
