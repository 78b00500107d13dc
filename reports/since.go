package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"rollcall/reports/model"
	"rollcall/reports/sheet"
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
		said := sinceThen(before, after)
		switch {
		case bytes.Equal(then, now.Bytes()):
			said = "nothing changed: report.json is byte-identical\n"
		case said == "":
			said = "nothing changed but the form of report.json\n"
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
	if _, _, ok := entries(report["scenarios"]); !ok {
		return nil, errors.New("it has no list of scenarios")
	}
	return report, nil
}

// sinceThen tells the scenarios first, in the order of the newer report; it is empty when nothing
// changed.
func sinceThen(then, now map[string]any) string {
	var b strings.Builder
	thenScenarios, thenNames, _ := entries(then["scenarios"])
	nowScenarios, nowNames, _ := entries(now["scenarios"])
	for _, name := range union(nowNames, thenNames) {
		tellScenario(&b, name, thenScenarios[name], nowScenarios[name])
	}
	if rest := changes("", without(then, "scenarios"), without(now, "scenarios")); len(rest) > 0 {
		fmt.Fprintln(&b, "the run as a whole")
		tell(&b, rest)
	}
	return b.String()
}

// tellScenario has the outcome in its first line, and why when it changed.
func tellScenario(b *strings.Builder, name string, then, now any) {
	switch {
	case then == nil:
		fmt.Fprintf(b, "%s: appeared, %s\n", sheet.Printable(name), text(now))
		return
	case now == nil:
		fmt.Fprintf(b, "%s: went, it was %s\n", sheet.Printable(name), text(then))
		return
	}
	was, is := then.(map[string]any), now.(map[string]any)
	outcome := text(is["outcome"])
	switch changed := changes("", was, is); {
	case len(changed) == 0:
	case outcome == text(was["outcome"]):
		fmt.Fprintf(b, "%s: %s, as before\n", sheet.Printable(name), outcome)
		tell(b, changed)
	default:
		fmt.Fprintf(b, "%s: %s → %s: %s\n", sheet.Printable(name), text(was["outcome"]), outcome, text(is["because"]))
		fmt.Fprintf(b, "    before: %s\n", text(was["because"]))
		tell(b, changes("", without(was, "outcome", "because"), without(is, "outcome", "because")))
	}
}

func tell(b *strings.Builder, changed []change) {
	for _, c := range changed {
		fmt.Fprintf(b, "    %s: %s → %s\n", sheet.Printable(c.name), c.then, c.now)
	}
}

// without is an object less some of its fields.
func without(object map[string]any, fields ...string) map[string]any {
	rest := maps.Clone(object)
	maps.DeleteFunc(rest, func(key string, _ any) bool { return slices.Contains(fields, key) })
	return rest
}
