package reports_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	prometheus "github.com/prometheus/common/model"

	"example.com/rollcall/reports"
)

func metricsParser() *expfmt.TextParser {
	return new(expfmt.NewTextParser(prometheus.LegacyValidation))
}

// Series have to go on from run to run, and the textfile collector refuses a file with a timestamp or with a
// series twice.
func TestMetricsAreWhatTheTextfileCollectorTakes(t *testing.T) {
	r, err := reports.Load(runFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	text := printed(t, reports.Metrics, r)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	families, err := metricsParser().TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, family := range families {
		if !strings.HasPrefix(name, "rollcall_") {
			t.Errorf("%s is not named as ours", name)
		}
		series := make(map[string]bool)
		for _, metric := range family.Metric {
			if metric.TimestampMs != nil {
				t.Errorf("%s has a timestamp", name)
			}
			labels := ""
			for _, label := range metric.Label {
				labels += label.GetName() + "=" + label.GetValue() + " "
			}
			if series[labels] {
				t.Errorf("%s %s is there twice", name, labels)
			}
			series[labels] = true
		}
	}
	if strings.Contains(text, r.Run.ID) {
		t.Errorf("the run's id is in\n%s", text)
	}
}

// Of the states of an outcome exactly one is 1, also when the scenario did not run.
func TestAnOutcomeIsAStateSet(t *testing.T) {
	r, err := reports.Load(runFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	families, err := metricsParser().TextToMetricFamilies(strings.NewReader(printed(t, reports.Metrics, r)))
	if err != nil {
		t.Fatal(err)
	}
	states, is := make(map[string]int), make(map[string][]string)
	for _, metric := range families["rollcall_scenario_outcome"].Metric {
		labels := make(map[string]string)
		for _, label := range metric.Label {
			labels[label.GetName()] = label.GetValue()
		}
		scenario := labels["mode"] + "/" + labels["suite"] + "/" + labels["scenario"]
		if states[scenario]++; metric.Gauge.GetValue() == 1 {
			is[scenario] = append(is[scenario], labels["outcome"])
		}
	}
	if len(states) != len(r.Scenarios) {
		t.Errorf("%d scenarios have an outcome, want %d", len(states), len(r.Scenarios))
	}
	for _, s := range r.Scenarios {
		scenario := s.Mode + "/" + s.Suite + "/" + s.ID
		if states[scenario] != 4 || len(is[scenario]) != 1 || is[scenario][0] != s.Outcome.String() {
			t.Errorf("%s: of %d states it is in %q, want %s", scenario, states[scenario], is[scenario], s.Outcome)
		}
	}
}
