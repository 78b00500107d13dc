package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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

// decode reads a report as plain JSON with its numbers as they are spelled.
func decode(data []byte) (map[string]any, error) {
	var report map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&report); err != nil {
		return nil, fmt.Errorf("byte %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("byte %d: there is more than a report", dec.InputOffset())
	}
	if kind := report["kind"]; kind != model.Kind {
		return nil, fmt.Errorf("its kind is %s, not %s", text(kind), model.Kind)
	}
	list, _ := report["scenarios"].([]any)
	if scenarios, _ := partsOf(list); list == nil || scenarios == nil {
		return nil, errors.New("it has no list of scenarios")
	}
	return report, nil
}

// sinceThen tells the scenarios first, in the order of the newer report; it is empty when nothing
// changed. A scenario that says the same in other words is only counted.
func sinceThen(then, now map[string]any) (said string, reworded int) {
	var b strings.Builder
	thenScenarios, thenNames := partsOf(then["scenarios"])
	nowScenarios, nowNames := partsOf(now["scenarios"])
	for _, name := range union(nowNames, thenNames) {
		was, is := thenScenarios[name], nowScenarios[name]
		switch {
		case reflect.DeepEqual(was, is):
		case was != nil && is != nil && reflect.DeepEqual(stripped(was, wording()), stripped(is, wording())):
			reworded++
		default:
			tellScenario(&b, name, stripped(was, []string{"headline", "facts"}), stripped(is, []string{"headline", "facts"}))
		}
	}
	if rest := changes("", without(then, "scenarios"), without(now, "scenarios")); len(rest) > 0 {
		fmt.Fprintln(&b, "the run as a whole")
		printChanges(&b, rest)
	}
	return b.String(), reworded
}

// wording are the fields that say in words what others say; the claim is a rule's, as this build words it.
func wording() []string { return []string{"headline", "facts", "because", "advice", "patch", "claim"} }

// stripped is a JSON value less some fields of every object in it.
func stripped(value any, fields []string) any {
	switch value := value.(type) {
	case map[string]any:
		rest := make(map[string]any, len(value))
		for key, v := range value {
			if !slices.Contains(fields, key) {
				rest[key] = stripped(v, fields)
			}
		}
		return rest
	case []any:
		rest := make([]any, len(value))
		for i, v := range value {
			rest[i] = stripped(v, fields)
		}
		return rest
	default:
		return value
	}
}

// tellScenario has the outcome in its first line, and why when it changed.
func tellScenario(b *strings.Builder, name string, then, now any) {
	switch {
	case then == nil:
		fmt.Fprintf(b, "%s: appeared, %s\n", phrase.Printable(name), text(now))
		return
	case now == nil:
		fmt.Fprintf(b, "%s: went, it was %s\n", phrase.Printable(name), text(then))
		return
	}
	was, is := then.(map[string]any), now.(map[string]any)
	outcome := text(is["outcome"])
	switch changed := changes("", was, is); {
	case len(changed) == 0:
	case outcome == text(was["outcome"]):
		fmt.Fprintf(b, "%s: %s, as before\n", phrase.Printable(name), outcome)
		printChanges(b, changed)
	default:
		fmt.Fprintf(b, "%s: %s → %s: %s\n", phrase.Printable(name), text(was["outcome"]), outcome, text(is["because"]))
		fmt.Fprintf(b, "    before: %s\n", text(was["because"]))
		printChanges(b, changes("", without(was, "outcome", "because"), without(is, "outcome", "because")))
	}
}

func printChanges(b *strings.Builder, changed []change) {
	for _, c := range changed {
		fmt.Fprintf(b, "    %s: %s → %s\n", phrase.Printable(c.name), c.then, c.now)
	}
}

// without is an object less some of its fields.
func without(object map[string]any, fields ...string) map[string]any {
	rest := maps.Clone(object)
	maps.DeleteFunc(rest, func(key string, _ any) bool { return slices.Contains(fields, key) })
	return rest
}
