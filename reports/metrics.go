package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Metrics writes metrics.prom, in Prometheus' text format and without timestamps, as the textfile collector of node_exporter wants it:
// gauges in seconds and shares of one, by suite, scenario, mode and version of Kubernetes. The run's id is not a label, so that every run
// continues the same series.
func Metrics(w io.Writer, r model.Report) error {
	var g gauges
	g.run(r)
	for _, c := range r.Clusters {
		g.set("cluster_info", "What the scenarios of a mode ran on.", 1,
			label("mode", c.Mode), label("kubernetes", c.Kubernetes), label("kernel", c.Kernel), label("cni", c.CNI), label("provider", c.Provider))
	}
	for _, s := range r.Scenarios {
		g.scenario(s, cmp.Or(s.Kubernetes, r.Cluster(s.Mode).Kubernetes))
	}
	var b bytes.Buffer
	for _, family := range g.families {
		if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
			return fmt.Errorf("reports: write metrics: %w", err)
		}
	}
	return write(w, "metrics", b.Bytes())
}

// gauges holds metric families in the order in which they were first set.
type gauges struct{ families []*dto.MetricFamily }

// set adds a sample to the gauge rollcall_<name>.
func (g *gauges) set(name, help string, value float64, labels ...*dto.LabelPair) {
	name = "rollcall_" + name
	var family *dto.MetricFamily
	for _, known := range g.families {
		if known.GetName() == name {
			family = known
		}
	}
	if family == nil {
		family = &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
		g.families = append(g.families, family)
	}
	family.Metric = append(family.Metric, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &value}})
}

func label(name, value string) *dto.LabelPair {
	return &dto.LabelPair{Name: &name, Value: new(phrase.Printable(value))}
}

func (g *gauges) run(r model.Report) {
	unix := func(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
	if !r.Run.Began.IsZero() {
		g.set("run_began_timestamp_seconds", "When the run began.", unix(r.Run.Began))
	}
	if !r.Run.Ended.IsZero() {
		g.set("run_ended_timestamp_seconds", "When the run ended; absent for one that was cut off.", unix(r.Run.Ended))
		g.set("run_duration_seconds", "How long the run took.", r.Summary.Seconds)
	}
	g.set("run_exit_code", "0 all passed or were skipped, 1 a claim failed, 3 something was inconclusive or broke.",
		float64(model.ExitCode(r)))
	g.set("run_problems", "How many things kept the run from being recorded or read whole.", float64(len(r.Run.Broken)))
	g.set("run_broken", deprecated("run_problems"), float64(len(r.Run.Broken)))
	n := r.Summary
	for outcome, count := range [...]int{verdict.Inconclusive: n.Inconclusive, verdict.Pass: n.Pass, verdict.Fail: n.Fail,
		verdict.Skipped: n.Skipped} {
		g.set("run_scenarios", "Scenarios by outcome.", float64(count), label("outcome", verdict.Outcome(outcome).String()))
	}
}

func (g *gauges) scenario(s model.Scenario, kubernetes string) {
	set := func(name, help string, value float64, more ...*dto.LabelPair) {
		labels := []*dto.LabelPair{label("suite", s.Suite), label("scenario", s.ID), label("mode", s.Mode), label("kubernetes", kubernetes)}
		g.set("scenario_"+name, help, value, append(labels, more...)...)
	}
	for outcome := verdict.Inconclusive; outcome <= verdict.Skipped; outcome++ {
		is := 0.0
		if s.Outcome == outcome {
			is = 1
		}
		set("outcome", "1 for the outcome the scenario had, 0 for the others.", is, label("outcome", outcome.String()))
	}
	if !s.Ran() {
		return
	}
	set("duration_seconds", "How long the scenario took.", s.Seconds)
	set("attempts", "How often the scenario was tried.", float64(s.Attempts))
	failures := make(map[evidence.Fault]int)
	for _, lane := range s.LoadLanes() {
		for fault, n := range lane.Failures {
			failures[fault] += n
		}
	}
	for _, fault := range evidence.Faults() {
		n, counted := failures[fault]
		if counted || len(s.LoadLanes()) > 0 && slices.Contains(evidence.PlainFaults(), fault) {
			set("requests_failed", "Requests that failed, by kind.", float64(n), label("kind", string(fault)))
			set("failures", deprecated("scenario_requests_failed"), float64(n), label("kind", string(fault)))
		}
	}
	for _, m := range s.Measurements() {
		var stat []*dto.LabelPair
		if m.Stat != "" {
			stat = append(stat, label("stat", m.Stat))
		}
		unit, value := inBaseUnits(m)
		switch {
		case m.Name == "failed": // requests_failed has it, by kind
			set(m.Name, deprecated("scenario_requests_failed"), value)
		case m.Series != "":
			set(m.Series+unit, m.Help, value, stat...)
			set(m.Name+unit, deprecated("scenario_"+m.Series+unit), value, stat...)
		default:
			set(m.Name+unit, m.Help, value, stat...)
		}
	}
}

// deprecated returns the help of a gauge of which another takes the place. It is written for one more release.
func deprecated(by string) string {
	return "Deprecated, will not be in the release after this one: use rollcall_" + by + "."
}

// inBaseUnits returns the suffix of a measurement's unit and its value in Prometheus' base units, rounded to a thousandth of its own unit.
func inBaseUnits(m model.Measurement) (suffix string, value float64) {
	x := m.Value.Value
	switch m.Unit {
	case model.InMilliseconds:
		return "_seconds", math.Round(x*1000) / 1e6
	case model.InPercent:
		return "_ratio", math.Round(x*1000) / 1e5
	case model.InSeconds:
		return "_seconds", x
	default:
		return "", x
	}
}
