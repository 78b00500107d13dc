package commands

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/suites"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain NAME...",
		Short: "Explain a scenario, rule, code, claim, suite, lane or outcome that reports name",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explained(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.New("rollcall explain", "no name is given", whatToName)
			}
			for _, arg := range args {
				name := strings.ToLower(arg)
				w := cmd.OutOrStdout()
				if !explainScenario(w, name) && !explainCode(w, name) && !explainRetired(w, name) && !explainClaim(w, strings.ToUpper(arg)) &&
					!explainSuite(w, name) && !explainOutcome(w, name) && !explainLane(w, name) && !explainExcuses(w, name) {
					return usage.New("explain "+arg, "nothing has that name", whatToName+usage.Meant(name, explained()...))
				}
			}
			return nil
		},
	}
}

// whatToName is the remedy for a name that is missing, or that nothing has.
const whatToName = "name a scenario, a rule or a code; all codes: harness/verdict/CODES.md"

func explainScenario(w io.Writer, name string) (found bool) {
	all := suites.All()
	for _, suite := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[suite] {
			if s.ID == name || strings.HasSuffix("/"+name, "/"+suite+"/"+s.ID) { // the name may have a mode before it
				printScenario(w, suite, s)
				found = true
			}
		}
	}
	return found
}

func printScenario(w io.Writer, suite string, s harness.Scenario) {
	say(w, "", "scenario %s/%s claims: %s", suite, s.ID, s.Claim)
	say(w, "  ", "profile %s, about %.0f s, needs %s", cmp.Or(s.Profile, harness.Full), s.Estimate().Seconds(), strings.Join(s.Needs(), ", "))
	for _, id := range s.Covers() {
		claim, _ := reports.SeedClaimOf(id)
		say(w, "  ", "decides %s: %s", id, claim.Says)
	}
	say(w, "  ", "expects that")
	for _, x := range s.Expect {
		text := x.Rule
		if r, ok := verdict.RuleOf(x.Rule); ok {
			text = r.Claim
		}
		if x.Fact != "" {
			text += ": " + x.Fact
		}
		say(w, "    ", "%s %s: %s", verdict.CodeOf(x.Rule), x.Rule, text)
	}
	fmt.Fprintf(w, "run it: rollcall run --suites=%s --run='^%s$'\n", suite, s.ID)
}

// explainCode says what a rule, a reason, a limit, an advice or a stage is, what causes a finding of it, and what to do.
func explainCode(w io.Writer, name string) bool {
	code, found := codeNamed(name)
	if !found {
		return false
	}
	rule, isRule := verdict.RuleOf(code.ID)
	reason := slices.IndexFunc(verdict.Reasons(), func(k verdict.ReasonKind) bool { return k.ID == code.ID })
	switch {
	case isRule:
		say(w, "", "%s rule %s: %s", code.Code, code.ID, rule.Claim)
	case reason >= 0:
		k := verdict.Reasons()[reason]
		say(w, "", "%s reason %s for an inconclusive verdict: %s", code.Code, code.ID, k.When)
		say(w, "  ", "Cannot be decided: %s.", k.NotDecided)
	case slices.Contains(evidence.Limits(), code.ID):
		say(w, "", "%s limit %s: something was not looked at", code.Code, code.ID)
	case slices.ContainsFunc(timeline.StageTexts(), func(t timeline.StageText) bool { return string(t.Stage) == code.ID }):
		say(w, "", "%s stage %s: how far a request came that got no good reply", code.Code, code.ID)
	default:
		say(w, "", "%s advice %s", code.Code, code.ID)
	}
	say(w, "  ", "Causes: %s", code.Causes)
	say(w, "  ", "Do: %s", code.Remedy())
	if other, ok := codeNamed(code.As); ok {
		say(w, "  ", "%s says: %s", other.Code, other.Remedy())
	}
	return true
}

// explainRetired says that a code is not in use any more, as the head of CODES.md does.
func explainRetired(w io.Writer, name string) bool {
	code := strings.ToUpper(name)
	retired := slices.Contains(verdict.RetiredCodes(), code)
	if retired {
		say(w, "", "%s is retired: it was of a rule that no scenario had, and is not given again", code)
	}
	return retired
}

func explainClaim(w io.Writer, name string) bool {
	claim, ok := reports.SeedClaimOf(name)
	if !ok {
		return false
	}
	say(w, "", "claim %s: %s", name, claim.Says)
	if claim.Truth != "" {
		say(w, "  ", "false; what is true: %s", claim.Truth)
	}
	say(w, "  ", "Do: %s", claim.Do)
	for _, l := range listings() {
		if slices.Contains(l.Covers, name) {
			say(w, "  ", "decided by %s/%s: %s", l.Suite, l.ID, l.Claim)
		}
	}
	return true
}

// explainLane says what a client does, by the id of its lane, such as worker-reused, or by that of its kind alone.
func explainLane(w io.Writer, name string) bool {
	end := strings.LastIndex(name, "-") + 1
	outside := strings.TrimSuffix(name[:end], "-") == "outside"
	i := slices.IndexFunc(evidence.LaneKinds(), func(k evidence.LaneKind) bool {
		return k.Name == name[end:] && (end == 0 || k.IsControl() || outside == (k.Vantage == evidence.FromHost))
	})
	if i < 0 {
		return false
	}
	kind := evidence.LaneKinds()[i]
	from, target, over := "in a pod on each node that carries load", "the Service by its address", "over a new connection for each request"
	if outside {
		from, target = "outside the cluster", "the Service by a NodePort or a URL"
	}
	switch {
	case kind.IsControl() && outside:
		target = "a URL that nobody rolls out, to show what fails on the way there whatever the app does"
	case kind.IsControl():
		target = "a pod that is not rolled out, past kube-proxy, to show what fails whatever the app does"
	case kind.Named:
		target = "the Service by its name"
	}
	switch {
	case kind.Resends:
		over = "over connections that are kept, and sends a request again whose connection breaks, as most clients do"
	case kind.KeepsAlive():
		over = "over connections that are kept, and never sends a request again"
	}
	say(w, "", "lane %s: a client %s, which asks %s, %s", name, from, target, over)
	return true
}

func explainSuite(w io.Writer, name string) (found bool) {
	for _, l := range listings() {
		if l.Suite != name {
			continue
		}
		if !found {
			say(w, "", "suite %s", name)
		}
		found = true
		say(w, "  ", "%s/%s: %s", l.Suite, l.ID, l.Claim)
	}
	return found
}

// explainExcuses says what a slow host, and not the cluster, is to blame for.
func explainExcuses(w io.Writer, name string) bool {
	if name != "excused" {
		return false
	}
	say(w, "", "excused is a failure that is inconclusive, because whoever was late had waited that long for a processor of the host")
	for _, e := range verdict.Excuses() {
		say(w, "  ", "%s: excused where %s", e.What, e.When)
	}
	say(w, "  ", "Do: see who waited in the facts of the finding; then lower --jobs or --rate, or give the host more processors.")
	return true
}

// say prints a text in lines that fit a terminal, indented after the first.
func say(w io.Writer, indent, form string, args ...any) {
	for i, line := range phrase.Wrap(fmt.Sprintf(form, args...), 118-len(indent)) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, indent+line)
	}
}
