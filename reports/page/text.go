package page

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/inspect"
	"example.com/rollcall/reports/model"
)

// funcs returns the functions that templates call.
func funcs() template.FuncMap {
	return template.FuncMap{
		"tally":      outcomes,
		"run":        reports.HowItWent,
		"foreign":    reports.ForeignText,
		"needed":     reports.NeededSleep,
		"bugs":       reports.Bugs,
		"tested":     reports.Tested,
		"testedHead": func() string { return reports.TestedTitle },
		"faults":     phrase.Faults,
		"versions":   versions,
		"numbers":    numbers,
		"count":      phrase.Count,
		"number":     phrase.Number,
		"join":       strings.Join,
		"whole":      whole,
		"pieces":     pieces,
		"limits":     reports.NotLookedAt,
		"words":      strings.Fields,
		"clock":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"length":     length,
		"ms":         ms,
		"counted":    counted,
		"during":     during,
		"rate":       optional("%.4g"),
		"lag":        optional("%.4g ms"),
		"rounded":    optional("%.0f"),
		"podColumns": func() any { return inspect.LifeColumns },
		"anchor":     anchor,
		"outage":     outageText,
		"diffLines":  diffLines,
		"patchFile":  func() string { return reports.PatchFile },
		"decimal":    func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) },
		"add":        func(a, b float64) float64 { return a + b },
	}
}

// A piece is a part of a sentence: words, or code.
type piece struct {
	Text string
	Code bool
}

// pieces splits a sentence at its backticks, which enclose code.
func pieces(sentence string) (all []piece) {
	for i, text := range strings.Split(sentence, "`") {
		if text != "" {
			all = append(all, piece{text, i%2 == 1})
		}
	}
	return all
}

// A diffLine is a line of a diff.
type diffLine struct{ Of, Text string }

func diffLines(diff string) (all []diffLine) {
	of := map[byte]string{'-': "goes", '+': "comes", ' ': "stays"}
	for text := range strings.Lines(diff) {
		all = append(all, diffLine{of[text[0]], strings.TrimSuffix(text, "\n")})
	}
	return all
}

// An amount is how many scenarios had an outcome.
type amount struct {
	Outcome verdict.Outcome
	Word    string
	Count   int
}

// outcomes returns the amounts of a run, first those that need a look.
func outcomes(s model.Summary) []amount {
	return []amount{
		{verdict.Fail, "failed", s.Fail}, {verdict.Inconclusive, "inconclusive", s.Inconclusive},
		{verdict.Pass, "passed", s.Pass}, {verdict.Skipped, "skipped", s.Skipped},
	}
}

// versions formats replies by version, such as "v1 120, v2 3,400".
func versions(replies map[string]int) string {
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(replies)) {
		parts = append(parts, version+" "+phrase.Number(replies[version]))
	}
	return strings.Join(parts, ", ")
}

// numbers returns what was measured, without uncertainties: they stand beside their numbers.
func numbers(s model.Scenario) []model.Measurement {
	return slices.DeleteFunc(s.Measurements(), func(m model.Measurement) bool { return m.Title == "" })
}

// optional returns a function that formats a number, or writes a dash if it was not measured.
func optional(format string) func(*float64) string {
	return func(n *float64) string {
		if n == nil {
			return "–"
		}
		return fmt.Sprintf(format, *n)
	}
}

// during returns the latencies of a lane during the rollout; nil without any.
func during(l model.Lane) *model.Latency {
	if in, measured := l.LatencyIn["during"]; measured {
		return &in
	}
	return nil
}

// counted formats a count, or writes a dash if it was not counted.
func counted(n *int) string {
	if n == nil {
		return "–"
	}
	return phrase.Number(*n)
}

// ms formats a duration in at most three digits, such as "45.2 ms" or "1.25 s".
func ms(millis float64) string {
	if millis > -1000 && millis < 1000 {
		return fmt.Sprintf("%.3g ms", millis)
	}
	return phrase.Duration(time.Duration(millis * float64(time.Millisecond)))
}

func millis(d time.Duration) string { return ms(float64(d.Microseconds()) / 1000) }

var beforeUnit = regexp.MustCompile(`(\d) ((?:s|ms|min|h)\b|%|of \d)`)

// whole keeps numbers of a sentence with their units: no line breaks between them.
func whole(sentence string) string { return beforeUnit.ReplaceAllString(sentence, "$1\u00a0$2") }

// length formats how long something took that nobody measures in milliseconds.
func length(seconds float64) string {
	whole := int(math.Round(seconds))
	switch {
	case whole < 60:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%d h %d min", whole/3600, whole%3600/60)
	}
}
