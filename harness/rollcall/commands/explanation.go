package commands

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// An explanation is what something is that reports name.
type explanation struct {
	Kind       explainedKind   `json:"kind"`
	Name       string          `json:"name"`                  // a scenario's has its suite
	Code       string          `json:"code,omitempty"`        // of a rule, a reason, a limit, a stage or an advice
	Says       string          `json:"says,omitempty"`        // what it claims, is or means, a clause
	Profile    string          `json:"profile,omitempty"`     // the smallest that has the scenario
	Seconds    float64         `json:"seconds,omitempty"`     // an estimate for the scenario
	Needs      []string        `json:"needs,omitempty"`       // what the scenario needs of a host or a cluster
	Decides    []explainedPart `json:"decides,omitempty"`     // claims
	Expects    []explainedPart `json:"expects,omitempty"`     // rules, with what is expected
	NotDecided string          `json:"not_decided,omitempty"` // what a reason leaves open
	Truth      string          `json:"truth,omitempty"`       // of a claim that is false
	Causes     string          `json:"causes,omitempty"`
	Excuses    []explainedPart `json:"excuses,omitempty"` // what is excused, and where
	Do         string          `json:"do,omitempty"`
	As         *explainedPart  `json:"as,omitempty"`        // the code whose remedy it is, with that
	Scenarios  []explainedPart `json:"scenarios,omitempty"` // that decide a claim, or are in a suite
	Run        string          `json:"run,omitempty"`       // the command that runs the scenario
}

// An explainedKind is a kind of thing that has an explanation.
type explainedKind string

const (
	aScenario    explainedKind = "scenario"
	aRule        explainedKind = "rule"
	aReason      explainedKind = "reason"
	aLimit       explainedKind = "limit"
	aStage       explainedKind = "stage"
	anAdvice     explainedKind = "advice"
	aRetiredCode explainedKind = "retired-code"
	aClaim       explainedKind = "claim"
	aSuite       explainedKind = "suite"
	anOutcome    explainedKind = "outcome"
	aLane        explainedKind = "lane"
	anExcuse     explainedKind = "excuse"
)

// An explainedPart names something else, and what it says.
type explainedPart struct {
	Code string `json:"code,omitempty"`
	Name string `json:"name"`
	Says string `json:"says"`
}

func printExplanations(w io.Writer, all []explanation) error {
	var b bytes.Buffer
	for _, e := range all {
		e.print(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// print prints an explanation for a person.
func (e explanation) print(w io.Writer) {
	say(w, "", "%s", e.head())
	if e.Profile != "" {
		say(w, "  ", "profile %s, about %.0f s, needs %s", e.Profile, e.Seconds, strings.Join(e.Needs, ", "))
	}
	for _, claim := range e.Decides {
		say(w, "  ", "decides %s: %s", claim.Name, claim.Says)
	}
	if len(e.Expects) > 0 {
		say(w, "  ", "expects that")
	}
	for _, rule := range e.Expects {
		say(w, "    ", "%s %s: %s", rule.Code, rule.Name, rule.Says)
	}
	for _, part := range []struct{ form, text string }{
		{"Cannot be decided: %s.", e.NotDecided}, {"false; what is true: %s", e.Truth}, {"Causes: %s", e.Causes},
	} {
		if part.text != "" {
			say(w, "  ", part.form, part.text)
		}
	}
	for _, excuse := range e.Excuses {
		say(w, "  ", "%s: excused where %s", excuse.Name, excuse.Says)
	}
	if e.Do != "" {
		say(w, "  ", "Do: %s", e.Do)
	}
	if e.As != nil {
		say(w, "  ", "%s says: %s", e.As.Code, e.As.Says)
	}
	for _, scenario := range e.Scenarios {
		decided := ""
		if e.Kind == aClaim {
			decided = "decided by "
		}
		say(w, "  ", "%s%s: %s", decided, scenario.Name, scenario.Says)
	}
	if e.Run != "" {
		fmt.Fprintln(w, "run it:", e.Run)
	}
}

// head returns the first sentence of an explanation.
func (e explanation) head() string {
	named := strings.TrimPrefix(e.Code+" "+string(e.Kind)+" "+e.Name, " ")
	switch e.Kind {
	case aScenario:
		return named + " claims: " + e.Says
	case aReason:
		return named + " for an inconclusive verdict: " + e.Says
	case anOutcome:
		return named + ": " + e.Says + "."
	case aRetiredCode:
		return e.Name + " is retired: " + e.Says
	case anExcuse:
		return e.Name + " is " + e.Says
	case aSuite, anAdvice:
		return named
	default:
		return named + ": " + e.Says
	}
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
