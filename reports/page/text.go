package page

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rollcall/harness/verdict"
	"rollcall/harness/verdict/phrase"
	"rollcall/reports"
	"rollcall/reports/model"
)

// words are what the template can say.
func words() template.FuncMap {
	return template.FuncMap{
		"tally":      outcomes,
		"profile":    reports.ProfileLine,
		"faults":     phrase.Faults,
		"versions":   versions,
		"numbers":    numbers,
		"count":      phrase.Count,
		"join":       strings.Join,
		"clock":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"length":     length,
		"ms":         ms,
		"counted":    optional[int]("%d"),
		"rate":       optional[float64]("%.4g"),
		"lag":        optional[float64]("%.4g ms"),
		"rounded":    optional[float64]("%.0f"),
		"podColumns": func() any { return podColumns },
		"anchor":     anchor,
		"add":        func(a, b float64) float64 { return a + b },
	}
}

// An amount is how many scenarios ended so.
type amount struct {
	Outcome verdict.Outcome
	Word    string
	Count   int
}

// outcomes are those of a run, what needs a look first.
func outcomes(s model.Summary) []amount {
	return []amount{
		{verdict.Fail, "failed", s.Fail}, {verdict.Inconclusive, "inconclusive", s.Inconclusive},
		{verdict.Pass, "passed", s.Pass}, {verdict.Skipped, "skipped", s.Skipped},
	}
}

// versions is like "v1 120, v2 3400".
func versions(replies map[string]int) string {
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(replies)) {
		parts = append(parts, fmt.Sprintf("%s %d", version, replies[version]))
	}
	return strings.Join(parts, ", ")
}

// A number is one of those a rollout cost, as it is shown.
type number struct{ Name, Value, Means string }

func numbers(s model.Scenario) []number {
	n := s.Numbers
	var all []number
	add := func(name, means, value string) { all = append(all, number{name, value, means}) }
	wrong := func(by *float64) string {
		if by == nil || *by == 0 {
			return ""
		}
		return " ± " + ms(*by)
	}
	if n.StatusGap != nil {
		add("status gap", "from rollout status saying done to the old version's last reply", ms(*n.StatusGap)+wrong(n.StatusGapError))
	}
	if n.MixedWindow != nil {
		add("mixed window", "both versions answered", ms(*n.MixedWindow)+wrong(n.MixedWindowError))
	}
	if n.MinAvailable != nil {
		add("fewest available", "pods ready at the worst moment", fmt.Sprint(*n.MinAvailable))
	}
	if n.MaxPods != nil {
		add("most pods", "terminating ones included", fmt.Sprint(*n.MaxPods))
	}
	for _, lag := range []struct {
		name, means string
		lags        *model.Lags
	}{
		{"drain lag", "a node still sent new connections to a pod that had left the endpoints", n.DrainLag},
		{"rule lag", "a node's rules still led to a pod that had left the endpoints", n.RuleLag},
	} {
		if lag.lags != nil {
			add(lag.name, lag.means, fmt.Sprintf("half within %s, all within %s%s", ms(lag.lags.P50), ms(lag.lags.Max), wrong(&lag.lags.Error)))
		}
	}
	if n.NodeBusy != nil {
		add("nodes busy", "processors in use, over the seconds of all nodes", fmt.Sprintf("half below %.0f %%, at most %.0f %%", n.NodeBusy.P50, n.NodeBusy.Max))
	}
	if n.NodeStolen != nil {
		add("stolen", "the most of a node's processors that other machines of its host had for a second", fmt.Sprintf("%.0f %%", *n.NodeStolen))
	}
	if n.Conntrack != nil {
		add("connection table", "the fullest of any node's", fmt.Sprintf("%.1f %%", *n.Conntrack))
	}
	if n.ClockUncertainty != nil {
		add("clocks", "by which any time may be wrong", ms(*n.ClockUncertainty))
	}
	return all
}

// optional is a pointer's number as the format has it, or a dash where it was not measured.
func optional[N int | float64](format string) func(*N) string {
	return func(n *N) string {
		if n == nil {
			return "–"
		}
		return fmt.Sprintf(format, *n)
	}
}

func ms(millis float64) string {
	if millis > -1000 && millis < 1000 {
		return fmt.Sprintf("%.4g ms", millis)
	}
	return fmt.Sprintf("%.3f s", millis/1000)
}

func millis(d time.Duration) string { return ms(float64(d.Microseconds()) / 1000) }

// length is how long something took that nobody measures in milliseconds.
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
