package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Since says how a report differs from the report.json with the bytes then: line by line, first each scenario, then the rest. The error
// says that then is no report; one by another build, even a newer one, will do.
func Since(then []byte, r model.Report) (string, error) {
	before, err := decode(then)
	if err != nil {
		return "", fmt.Errorf("report.json cannot be read: %w", err)
	}
	var now bytes.Buffer
	if err := JSON(&now, r); err != nil {
		return "", err
	}
	after, err := decode(now.Bytes())
	if err != nil {
		return "", fmt.Errorf("reports: compare: %w", err)
	}
	said := sinceThen(before, after)
	switch {
	case bytes.Equal(then, now.Bytes()):
		said = "nothing changed: report.json is byte-identical\n"
	case said == "":
		said = "nothing changed but the wording or the form of report.json\n"
	}
	return said + "\n" + totals(r) + "\n", nil
}

// A plainReport is a report as decoded JSON.
type plainReport struct {
	scenarios map[string]any // by name
	rest      map[string]any // the other fields
}

func decode(data []byte) (r plainReport, err error) {
	if err := json.Unmarshal(data, &r.rest); err != nil {
		return r, err
	}
	if kind := r.rest["kind"]; kind != model.Kind {
		return r, fmt.Errorf("its kind is %s, not %s", text(kind), model.Kind)
	}
	list, _ := r.rest["scenarios"].([]any)
	if r.scenarios = partsOf(list); list == nil || r.scenarios == nil {
		return r, errors.New("it has no list of scenarios")
	}
	delete(r.rest, "scenarios")
	return r, nil
}

// sinceThen lists the changes, those of scenarios first, by name; it is empty if only wording changed.
func sinceThen(then, now plainReport) string {
	var b strings.Builder
	for _, name := range union(then.scenarios, now.scenarios) {
		printScenario(&b, phrase.Printable(name), then.scenarios[name], now.scenarios[name])
	}
	if rest := changes("", then.rest, now.rest); len(rest) > 0 {
		fmt.Fprintln(&b, "the run as a whole")
		printChanges(&b, rest)
	}
	return b.String()
}

// printScenario writes what changed in a scenario, with the outcome in the first line, and the reasons if that changed.
func printScenario(b *strings.Builder, name string, then, now any) {
	switch {
	case then == nil:
		fmt.Fprintf(b, "%s: new: %s\n", name, text(now))
		return
	case now == nil:
		fmt.Fprintf(b, "%s: gone, was %s\n", name, text(then))
		return
	}
	changed := changes("", then, now)
	if len(changed) == 0 {
		return
	}
	was, is := then.(map[string]any), now.(map[string]any)
	if before, outcome := text(was["outcome"]), text(is["outcome"]); outcome == before {
		fmt.Fprintf(b, "%s: %s, as before\n", name, outcome)
	} else {
		fmt.Fprintf(b, "%s: %s → %s: %s\n    before: %s\n", name, before, outcome, text(is["because"]), text(was["because"]))
	}
	printChanges(b, slices.DeleteFunc(changed, func(c change) bool { return c.name == "outcome" }))
}

func printChanges(b *strings.Builder, changed []change) {
	for _, c := range changed {
		fmt.Fprintf(b, "    %s: %s → %s\n", phrase.Printable(c.name), c.then, c.now)
	}
}
