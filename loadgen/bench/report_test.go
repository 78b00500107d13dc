package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// good are figures that reach every bar.
func good() figures {
	f := newFigures(plan{rounds: 5, memoryFor: time.Minute})
	for _, conn := range conns() {
		f.highest[conn].by = map[string][]float64{"agent": {4000, 3900, 4100}, "vegeta": {4000, 4000, 4000}, "fortio": {9000, 9000, 9000}}
		f.app[conn].by = map[string][]float64{"agent": {50, 60, 70}, "vegeta": {50, 60, 70}, "fortio": {99, 99, 99}}
	}
	for _, rate := range steadyRates() {
		f.cost[rate].by = map[string][]float64{"agent": {210, 200, 190}, "vegeta": {200, 200, 200}}
	}
	f.lag50.by = map[string][]float64{"agent": {0.5}, "vegeta": {0.4}}
	f.lag99.by = map[string][]float64{"agent": {1.2, 9, 1.3}, "vegeta": {1, 1, 1}}
	f.memory.by = map[string][]float64{"agent": {14.25}}
	return f
}

func TestReport(t *testing.T) {
	var b strings.Builder
	if err := good().write(&b); err != nil {
		t.Errorf("error %v", err)
	}
	const want = `Median of 5 rounds (least–most):

| | agent | vegeta | fortio | agent / vegeta | bar |
|---|---|---|---|---|---|
| highest rate held, fresh, per second | 4000 (3900–4100) | 4000 (4000–4000) | 9000 (9000–9000) | 1.00 (0.97–1.02) | ratio ≥ 0.90 |
| of its processors the app used then, fresh, % | 60 (50–70) | 60 (50–70) | 99 (99–99) | – |  |
| highest rate held, reused, per second | 4000 (3900–4100) | 4000 (4000–4000) | 9000 (9000–9000) | 1.00 (0.97–1.02) | ratio ≥ 0.90 |
| of its processors the app used then, reused, % | 60 (50–70) | 60 (50–70) | 99 (99–99) | – |  |
| CPU per request at 1000/s, µs | 200 (190–210) | 200 (200–200) | – | 1.00 (0.95–1.05) | ratio ≤ 1.10 |
| CPU per request at 2000/s, µs | 200 (190–210) | 200 (200–200) | – | 1.00 (0.95–1.05) | ratio ≤ 1.10 |
| lag at 1000/s, p50, ms | 0.50 | 0.40 | – | – |  |
| lag at 1000/s, p99, ms | 1.30 (1.20–9.00) | 1.00 (1.00–1.00) | – | – | agent ≤ 2 |
| memory resident at most, 1 min at 1000/s, MiB | 14.2 | – | – | – | agent ≤ 64 |
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestReportNamesEachMiss(t *testing.T) {
	tests := []struct {
		sentence string
		spoil    func(f figures)
		want     string // of the lines that begin with "missed: "
	}{
		{"an agent that sends less than vegeta", func(f figures) { f.highest["fresh"].by["agent"] = []float64{3500, 3500, 4000} },
			"highest rate held, fresh, per second: the ratio of agent to vegeta is 0.88 (0.88–1.00), bar ratio ≥ 0.90"},
		{"an agent that costs more", func(f figures) { f.cost[2000].by["agent"] = []float64{230, 190, 240} },
			"CPU per request at 2000/s, µs: the ratio of agent to vegeta is 1.15 (0.95–1.20), bar ratio ≤ 1.10"},
		{"an agent that is late", func(f figures) { f.lag99.by["agent"] = []float64{1, 2.01, 3} },
			"lag at 1000/s, p99, ms: the agent's is 2.01 (1.00–3.00), bar agent ≤ 2"},
		{"an agent that keeps what it should forget", func(f figures) { f.memory.by["agent"] = []float64{64.5} },
			"memory resident at most, 1 min at 1000/s, MiB: the agent's is 64.5, bar agent ≤ 64"},
		{"a ratio that was not measured", func(f figures) { delete(f.cost[1000].by, "vegeta") },
			"CPU per request at 1000/s, µs: the ratio of agent to vegeta is –, bar ratio ≤ 1.10"},
		{"a value that was not measured", func(f figures) { f.memory.by = nil },
			"memory resident at most, 1 min at 1000/s, MiB: the agent's is –, bar agent ≤ 64"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			f := good()
			tt.spoil(f)
			var b strings.Builder
			if err := f.write(&b); !errors.Is(err, errMissed) {
				t.Errorf("error %v", err)
			}
			var got []string
			for line := range strings.Lines(b.String()) {
				if miss, ok := strings.CutPrefix(line, "missed: "); ok {
					got = append(got, strings.TrimSpace(miss))
				}
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("misses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportOfMemoryAlone(t *testing.T) {
	f := newFigures(plan{memoryFor: 10 * time.Minute})
	f.memory.by = map[string][]float64{"agent": {14.25}}
	var b strings.Builder
	if err := f.write(&b); err != nil {
		t.Errorf("error %v", err)
	}
	const want = `| | agent | vegeta | fortio | agent / vegeta | bar |
|---|---|---|---|---|---|
| memory resident at most, 10 min at 1000/s, MiB | 14.2 | – | – | – | agent ≤ 64 |
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestBusyApp has the app be what limits vegeta, so that the agent's being as fast says nothing.
func TestBusyApp(t *testing.T) {
	f := good()
	f.app["reused"].by["vegeta"] = []float64{95, 80, 97}
	var b strings.Builder
	if err := f.write(&b); err == nil || errors.Is(err, errMissed) || !strings.Contains(err.Error(), "held vegeta up") {
		t.Errorf("error %v", err)
	}
}

func TestMedian(t *testing.T) {
	for _, values := range [][]float64{{3, 1, 2}, {2}, {4, 2, 1, 3}} {
		if got := median(values); got != 2 {
			t.Errorf("of %v got %v, want 2", values, got)
		}
	}
}
