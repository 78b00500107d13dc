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
	"example.com/rollcall/reports"
	"example.com/rollcall/suites"
)

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain NAME...",
		Short: "Explain a scenario, rule, code, claim, suite, lane or outcome that reports name",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explained(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	out := addOutput(cmd, asText, asJSON, asYAML)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage.New("rollcall explain", "no name is given", whatToName)
		}
		all := []explanation{}
		for _, arg := range args {
			found := explain(strings.ToLower(arg))
			if len(found) == 0 {
				return usage.New("explain "+arg, "nothing has that name", whatToName+usage.Meant(strings.ToLower(arg), explained()...))
			}
			all = append(all, found...)
		}
		return out.print(cmd.OutOrStdout(), all, map[string]func(io.Writer) error{
			asText: func(w io.Writer) error { return printExplanations(w, all) },
		})
	}
	return cmd
}

// whatToName is the remedy for a name that is missing, or that nothing has.
const whatToName = "name a scenario, a rule or a code; all codes: harness/verdict/CODES.md"

// explain returns what has a name, in small letters: several scenarios of different suites may.
func explain(name string) (found []explanation) {
	for _, of := range []func(string) []explanation{explainScenario, explainCode, explainRetired, explainClaim, explainSuite, explainOutcome,
		explainLane, explainExcuses} {
		if found = of(name); len(found) > 0 {
			return found
		}
	}
	return nil
}

func explainScenario(name string) (found []explanation) {
	all := suites.All()
	for _, suite := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[suite] {
			if s.ID == name || strings.HasSuffix("/"+name, "/"+suite+"/"+s.ID) { // the name may have a mode before it
				found = append(found, scenarioExplained(suite, s))
			}
		}
	}
	return found
}

func scenarioExplained(suite string, s harness.Scenario) explanation {
	e := explanation{Kind: aScenario, Name: suite + "/" + s.ID, Says: s.Claim, Profile: string(cmp.Or(s.Profile, harness.Full)),
		Seconds: s.Estimate().Seconds(), Needs: s.Needs(), Run: "rollcall run --suites=" + suite + " --run='^" + s.ID + "$'"}
	for _, id := range s.Covers() {
		claim, _ := reports.SeedClaimOf(id)
		e.Decides = append(e.Decides, explainedPart{Name: id, Says: claim.Says})
	}
	for _, x := range s.Expect {
		text := x.Rule
		if r, ok := verdict.RuleOf(x.Rule); ok {
			text = r.Claim
		}
		if x.Fact != "" {
			text += ": " + x.Fact
		}
		e.Expects = append(e.Expects, explainedPart{Code: verdict.CodeOf(x.Rule), Name: x.Rule, Says: text})
	}
	return e
}

// explainCode says what a rule, a reason, a limit, an advice or a stage is, what causes a finding of it, and what to do.
func explainCode(name string) []explanation {
	code, found := codeNamed(name)
	if !found {
		return nil
	}
	e := explanation{Kind: anAdvice, Name: code.ID, Code: code.Code, Causes: code.Causes, Do: code.Remedy()}
	rule, isRule := verdict.RuleOf(code.ID)
	reason := slices.IndexFunc(verdict.Reasons(), func(k verdict.ReasonKind) bool { return k.ID == code.ID })
	switch {
	case isRule:
		e.Kind, e.Says = aRule, rule.Claim
	case reason >= 0:
		k := verdict.Reasons()[reason]
		e.Kind, e.Says, e.NotDecided = aReason, k.When, k.NotDecided
	case slices.Contains(evidence.Limits(), code.ID):
		e.Kind, e.Says = aLimit, "something was not looked at"
	case slices.ContainsFunc(timeline.StageTexts(), func(t timeline.StageText) bool { return string(t.Stage) == code.ID }):
		e.Kind, e.Says = aStage, "how far a request came that got no good reply"
	}
	if other, ok := codeNamed(code.As); ok {
		e.As = &explainedPart{Code: other.Code, Name: other.ID, Says: other.Remedy()}
	}
	return []explanation{e}
}

// explainRetired says that a code is not in use any more, as the head of CODES.md does.
func explainRetired(name string) []explanation {
	code := strings.ToUpper(name)
	if !slices.Contains(verdict.RetiredCodes(), code) {
		return nil
	}
	return []explanation{{Kind: aRetiredCode, Name: code, Says: "it was of a rule that no scenario had, and is not given again"}}
}

func explainClaim(name string) []explanation {
	name = strings.ToUpper(name)
	claim, ok := reports.SeedClaimOf(name)
	if !ok {
		return nil
	}
	e := explanation{Kind: aClaim, Name: name, Says: claim.Says, Truth: claim.Truth, Do: claim.Do}
	for _, l := range listings() {
		if slices.Contains(l.Covers, name) {
			e.Scenarios = append(e.Scenarios, explainedPart{Name: l.Suite + "/" + l.ID, Says: l.Claim})
		}
	}
	return []explanation{e}
}

// explainLane says what a client does, by the id of its lane, such as worker-reused, or by that of its kind alone.
func explainLane(name string) []explanation {
	end := strings.LastIndex(name, "-") + 1
	outside := strings.TrimSuffix(name[:end], "-") == "outside"
	kinds := evidence.LaneKinds()
	for _, k := range evidence.LaneKinds() {
		if k.Protocol != evidence.HTTP {
			kinds = append(kinds, evidence.KindsOf(k.Protocol)...)
		}
	}
	i := slices.IndexFunc(kinds, func(k evidence.LaneKind) bool {
		return k.Name == name[end:] && (end == 0 || k.IsControl() || outside == (k.Vantage == evidence.FromHost))
	})
	if i < 0 {
		return nil
	}
	return []explanation{{Kind: aLane, Name: name, Says: whatAsks(kinds[i], outside)}}
}

// whatAsks says what a client does that is of a kind.
func whatAsks(kind evidence.LaneKind, outside bool) string {
	from, target, over := "in a pod on each node that carries load", "the Service by its address", ""
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
		over = ", over connections that are kept, and sends a request again whose connection breaks, as most clients do"
	case kind.Protocol.Shares():
		over = ", over connections that its requests share, and never sends a request again"
	case kind.KeepsAlive():
		over = ", over connections that are kept, and never sends a request again"
	case kind.Conn == evidence.Fresh:
		over = ", over a new connection for each request"
	}
	if kind.Protocol != evidence.HTTP {
		over += ", by " + kind.Protocol.Name()
	}
	return fmt.Sprintf("a client %s, which asks %s%s", from, target, over)
}

func explainSuite(name string) []explanation {
	e := explanation{Kind: aSuite, Name: name}
	for _, l := range listings() {
		if l.Suite == name {
			e.Scenarios = append(e.Scenarios, explainedPart{Name: l.Suite + "/" + l.ID, Says: l.Claim})
		}
	}
	if len(e.Scenarios) == 0 {
		return nil
	}
	return []explanation{e}
}

// explainExcuses says what a slow host, and not the cluster, is to blame for.
func explainExcuses(name string) []explanation {
	if name != "excused" {
		return nil
	}
	e := explanation{Kind: anExcuse, Name: name,
		Says: "a failure that is inconclusive, because whoever was late had waited that long for a processor of the host",
		Do:   "see who waited in the facts of the finding; then lower --jobs or --rate, or give the host more processors."}
	for _, of := range verdict.Excuses() {
		e.Excuses = append(e.Excuses, explainedPart{Name: of.What, Says: of.When})
	}
	return []explanation{e}
}
