package commands

import (
	"cmp"
	_ "embed"
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

// timeLimitsText is the list of time limits, made of the files timeouts.go.
//
//go:embed timeouts.txt
var timeLimitsText string

func listCommand() *cobra.Command {
	var run, skip, asked, profile string
	var limits bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios: what each claims, covers and needs, and how long it takes",
		Args:  noArgs(selected),
	}
	flags := cmd.Flags()
	flags.StringVar(&run, "run", "", "only scenarios whose name matches this `pattern`")
	flags.StringVar(&skip, "skip", "", "leave out scenarios whose name matches this `pattern`")
	flags.StringVar(&asked, "suites", "", "only scenarios of these `suites`, separated by commas or spaces")
	flags.StringVar(&profile, "profile", string(harness.Full), "only scenarios of this `profile`: smoke, core or full")
	flags.BoolVar(&limits, "timeouts", false, "list the time limits of Rollcall instead: what each bounds, and why for that long")
	completeFlag(cmd, "suites", suiteNames())
	completeFlag(cmd, "profile", harness.Profiles())
	out := addOutput(cmd, asText, asJSON, asYAML, asMarkdown)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limits {
			return printTimeLimits(cmd.OutOrStdout(), out)
		}
		if _, err := harness.ParseProfile(profile); err != nil {
			return err
		}
		of := strings.FieldsFunc(asked, func(r rune) bool { return r == ',' || r == ' ' })
		for _, suite := range of {
			if !slices.Contains(suiteNames(), suite) {
				return usage.New("--suites="+suite, "it does not exist", "choose one that rollcall list shows"+usage.Meant(suite, suiteNames()...))
			}
		}
		named, err := regexp.Compile(run)
		if err != nil {
			return usage.New("--run="+run, err.Error(), "use a regular expression, such as '^drained-'")
		}
		without, err := regexp.Compile(skip)
		if err != nil {
			return usage.New("--skip="+skip, err.Error(), "use a regular expression, such as '^drained-'")
		}
		all := slices.DeleteFunc(listings(), func(l listing) bool {
			return len(of) > 0 && !slices.Contains(of, l.Suite) || !named.MatchString(l.ID) || skip != "" && without.MatchString(l.ID) ||
				!(harness.Scenario{Profile: harness.Profile(l.Profile)}).In(harness.Profile(profile))
		})
		if len(all) == 0 {
			return usage.New("rollcall list", "no scenario matches the options", "leave some out: without options it has all")
		}
		return out.print(cmd.OutOrStdout(), all, map[string]func(io.Writer) error{
			asText:     func(w io.Writer) error { return listAsText(w, all) },
			asMarkdown: func(w io.Writer) error { return listAsMarkdown(w, all) },
		})
	}
	return cmd
}

func printTimeLimits(w io.Writer, out *output) error {
	if out.format != asText {
		return usage.New("rollcall list --timeouts", "the time limits are text alone", "leave -o out")
	}
	_, err := io.WriteString(w, timeLimitsText)
	return infrastructure(err)
}

func suiteNames() []string { return slices.Sorted(maps.Keys(suites.All())) }

// selected returns the option that a suite or scenario may have been meant for, or nothing.
func selected(word string) string {
	switch {
	case slices.Contains(suiteNames(), word):
		return "--suites=" + word
	case slices.ContainsFunc(listings(), func(l listing) bool { return l.ID == word }):
		return "--run='^" + word + "$'"
	}
	return ""
}

// listings lists the scenarios of every suite.
func listings() (all []listing) {
	suites := suites.All()
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
