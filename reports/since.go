package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Since gives the writer of what a report says otherwise than report.json did, whose bytes are then:
// line by line what became of each scenario, and of the rest of the report. The error is for bytes that
// are no report; one by another build, even a newer one, will do.
func Since(then []byte) (Writer, error) {
	before, err := decode(then)
	if err != nil {
		return nil, fmt.Errorf("reports: read report.json: %w", err)
	}
	return func(w io.Writer, r model.Report) error {
		var now bytes.Buffer
		if err := JSON(&now, r); err != nil {
			return err
		}
		after, err := decode(now.Bytes())
		if err != nil {
			return fmt.Errorf("reports: compare: %w", err)
		}
		said, reworded := sinceThen(before, after)
		switch {
		case bytes.Equal(then, now.Bytes()):
			said = "nothing changed: report.json is byte-identical\n"
		case said == "" && reworded > 0:
			said = "nothing changed but wording, in " + phrase.Count(reworded, "scenario") + "\n"
		case said == "":
			said = "nothing changed but the form of report.json\n"
		case reworded > 0:
			said += "and the wording of " + phrase.Count(reworded, "other scenario") + "\n"
		}
		if _, err := fmt.Fprintf(w, "%s\n%s\n", said, totals(r)); err != nil {
			return fmt.Errorf("reports: write changes: %w", err)
		}
		return nil
	}, nil
}

// A plainReport is a report as JSON, with its numbers as they are spelled.
type plainReport struct {
	scenarios map[string]any // by name
	rest      map[string]any // of its fields
}

func decode(data []byte) (r plainReport, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&r.rest); err != nil {
		return r, fmt.Errorf("byte %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return r, fmt.Errorf("byte %d: there is more than a report", dec.InputOffset())
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

// sinceThen tells the scenarios first, by name; it is empty when nothing changed. A scenario that says the same in other words is
// only counted.
func sinceThen(then, now plainReport) (said string, reworded int) {
	var b strings.Builder
	for _, name := range union(then.scenarios, now.scenarios) {
		if tellScenario(&b, phrase.Printable(name), then.scenarios[name], now.scenarios[name]) {
			reworded++
		}
	}
	if rest := changes("", then.rest, now.rest); len(rest) > 0 {
		fmt.Fprintln(&b, "the run as a whole")
		printChanges(&b, rest)
	}
	return b.String(), reworded
}

// tellScenario has the outcome in its first line, and why when it changed; or it says that only the wording changed.
func tellScenario(b *strings.Builder, name string, then, now any) (reworded bool) {
	switch {
	case then == nil:
		fmt.Fprintf(b, "%s: appeared, %s\n", name, text(now))
		return false
	case now == nil:
		fmt.Fprintf(b, "%s: went, it was %s\n", name, text(then))
		return false
	}
	changed := changes("", then, now)
	if len(changed) == 0 {
		return !reflect.DeepEqual(then, now)
	}
	was, is := then.(map[string]any), now.(map[string]any)
	if before, outcome := text(was["outcome"]), text(is["outcome"]); outcome == before {
		fmt.Fprintf(b, "%s: %s, as before\n", name, outcome)
	} else {
		fmt.Fprintf(b, "%s: %s → %s: %s\n    before: %s\n", name, before, outcome, text(is["because"]), text(was["because"]))
	}
	printChanges(b, slices.DeleteFunc(changed, func(c change) bool { return c.name == "outcome" }))
	return false
}

func printChanges(b *strings.Builder, changed []change) {
	for _, c := range changed {
		fmt.Fprintf(b, "    %s: %s → %s\n", phrase.Printable(c.name), c.then, c.now)
	}
}
