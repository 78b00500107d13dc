package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Metric is one number that is measured of a scenario: what it is called, what it means, which way it gets better, how it is compared
// between runs, and how it is read from a scenario. junit.xml, metrics.prom, the page, comparisons, trends and tables all take it from
// here.
type Metric struct {
	Name      string // permanent: as in report.json, without the unit
	Series    string // in metrics.prom, where that is another: a noun, as Prometheus' conventions have it; empty: Name
	Stat      string // p50 or max of a distribution; empty for a number that stands alone
	Unit      Unit
	Title     string // in tables for people; empty for an uncertainty, which stands beside its number
	Help      string // in metrics.prom and on the page
	Direction Direction
	Sample    *Sample               // nil: it is not compared between runs
	Read      func(Scenario) *Value // nil: it was not measured
}

// A Value is the value of a metric in one run of a scenario.
type Value struct {
	Value       float64
	Uncertainty float64 // by how much it may be wrong, as far as that is known
}

// A Measurement is a metric with its value.
type Measurement struct {
	Metric
	Value
}

// Key returns the name with statistic and unit, such as rule_lag_p50_ms, as junit.xml and history.jsonl have it.
func (m Metric) Key() string {
	parts := slices.DeleteFunc([]string{m.Name, m.Stat, suffixes[m.Unit]}, func(part string) bool { return part == "" })
	return strings.Join(parts, "_")
}

// MarshalText returns the key.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.Key()), nil }

// Text formats the value for people, with its uncertainty if there is one.
func (m Measurement) Text() string {
	text := m.Unit.Text(m.Value.Value)
	if m.Uncertainty > 0 {
		text += " ± " + m.Unit.Text(m.Uncertainty)
	}
	return text
}

// Measurements lists what was measured of a scenario, in the order of the metrics.
func (s Scenario) Measurements() []Measurement {
	var all []Measurement
	for _, m := range Metrics() {
		if v := m.Read(s); v != nil {
			all = append(all, Measurement{m, *v})
		}
	}
	return all
}

// ComparedMetrics lists the metrics that are compared between runs.
func ComparedMetrics() []Metric {
	return slices.DeleteFunc(Metrics(), func(m Metric) bool { return m.Sample == nil })
}

// ComparedOf returns a scenario's values of the compared metrics, by key. A negative value counts as 0: an old version whose last reply
// came a second before the status has no smaller status gap than one that replied until that moment.
func ComparedOf(s Scenario) map[string]Value {
	values := make(map[string]Value)
	for _, m := range ComparedMetrics() {
		if v := m.Read(s); v != nil {
			v.Value = max(0, v.Value)
			values[m.Key()] = *v
		}
	}
	return values
}

// Median returns the median of at least one value.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// A Unit is what a metric is counted in.
type Unit uint8

// The units.
const (
	InRequests Unit = iota // a count that depends on how many were sent
	InPods
	InTerminations
	InMilliseconds
	InSeconds
	InPercent
)

// suffixes are the ends of the keys of metrics; counts have none.
var suffixes = map[Unit]string{InMilliseconds: "ms", InSeconds: "seconds", InPercent: "percent"}

// Text formats a value with its unit and no more digits than are accurate.
func (u Unit) Text(x float64) string {
	switch {
	case u == InPercent:
		return fmt.Sprintf("%.1f%%", x)
	case u == InSeconds:
		return fmt.Sprintf("%.0f s", x)
	case u == InMilliseconds && x != 0 && math.Abs(x) < 10:
		return fmt.Sprintf("%.2g ms", x)
	case u == InMilliseconds:
		return phrase.Duration(time.Duration(x * float64(time.Millisecond)))
	default:
		return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
	}
}

// A Direction says which way a metric gets better.
type Direction uint8

// The directions. A neutral metric is about the machine, or about what was asked of it.
const (
	Neutral Direction = iota
	LowerIsBetter
	HigherIsBetter
)
