package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
)

const ms = time.Millisecond

// recorded is a lane of 100 requests a second, each settled 100 µs after it was due: x failed, any other is good.
func recorded(outcomes string, windows ...interval) recording {
	t := trial{kind: reset, conn: evidence.Fresh, rate: 100}
	r := recording{trial: t, windows: windows, given: map[string]int{}, decided: map[uint64]time.Duration{}}
	for range windows {
		r.trial.lengths = append(r.trial.lengths, 30*ms)
	}
	for i, c := range outcomes {
		at := time.Duration(i) * 10 * ms
		h := evidence.Hit{Lane: t.lane().ID, Seq: uint64(i), Due: at, Sent: at, Took: ms / 10, Status: 200,
			By: evidence.Server{Version: "v0", Pod: "p", Node: "n"}}
		if c == 'x' {
			h.Status, h.By, h.Fault = 0, evidence.Server{}, evidence.Reset
		} else {
			r.given["v0"]++
		}
		r.hits = append(r.hits, h)
		r.decided[h.Seq] = h.End()
	}
	return r
}

func TestMeasure(t *testing.T) {
	tests := []struct {
		sentence string
		of       recording
		measured []time.Duration
		invented int
		broken   string // part of the one sentence; empty: none
	}{
		{"a window is as long as its outage", recorded("..xxx...", interval{begin: 15 * ms, end: 45 * ms}), []time.Duration{30 * ms}, 0, ""},
		{"an outage may be off by nearly an interval", recorded("..xxx...", interval{begin: 19 * ms, end: 41 * ms}),
			[]time.Duration{30 * ms}, 0, ""},
		{"an outage that is off by more than the bar is a miss",
			recorded("..xxxxx...", interval{begin: 15 * ms, end: 41 * ms}), []time.Duration{50 * ms}, 0, "off by 24ms, more than 11ms"},
		{"of an outage in two parts the longer one is measured",
			recorded("..x.xx..", interval{begin: 15 * ms, end: 56 * ms}), []time.Duration{20 * ms}, 0, "off by 21ms"},
		{"of an outage in two parts the longer one is measured, also when it comes first",
			recorded("..xx.x..", interval{begin: 15 * ms, end: 56 * ms}), []time.Duration{20 * ms}, 0, "off by 21ms"},
		{"a window between two requests may be missed", recorded("........", interval{begin: 15 * ms, end: 19 * ms}), []time.Duration{0}, 0, ""},
		{"a window of two intervals must not be missed",
			recorded("........", interval{begin: 15 * ms, end: 35 * ms}), []time.Duration{0}, 0, "was not found"},
		{"an outage far from every window is invented",
			recorded("..xxx...x..", interval{begin: 15 * ms, end: 45 * ms}), []time.Duration{30 * ms}, 1, "invented 1 outages, the first of 10ms"},
		{"two windows have an outage each",
			recorded("..xxx...xx..", interval{begin: 15 * ms, end: 45 * ms}, interval{begin: 75 * ms, end: 95 * ms}),
			[]time.Duration{30 * ms, 20 * ms}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got, err := tt.of.measure()
			if err != nil {
				t.Fatal(err)
			}
			var measured []time.Duration
			for _, s := range got.samples {
				measured = append(measured, s.measured)
			}
			if diff := cmp.Diff(tt.measured, measured); diff != "" {
				t.Errorf("measured (-want +got):\n%s", diff)
			}
			if len(got.invented) != tt.invented {
				t.Errorf("invented %v", got.invented)
			}
			switch broken := got.broken(); {
			case tt.broken == "" && len(broken) > 0:
				t.Errorf("broken: %q", broken)
			case tt.broken != "" && (len(broken) != 1 || !strings.Contains(broken[0], tt.broken)):
				t.Errorf("broken: %q, want one with %q", broken, tt.broken)
			}
		})
	}
}

// TestDisturbed has a request held up near the end of a window, far from it, and where it makes the measured length wrong.
func TestDisturbed(t *testing.T) {
	window := interval{begin: 215 * ms, end: 245 * ms}
	tests := []struct {
		sentence string
		seq      int
		heldUp   time.Duration
		want     bool
	}{
		{"a request near the end, by more than is allowed", 24, 3 * ms, true},
		{"a request near the end, by less", 24, ms, false},
		{"a request far from both ends", 10, 20 * ms, false},
		{"a request sent long before the window and settled in it", 10, 110 * ms, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			r := recorded(strings.Repeat(".", 22)+"xxx"+strings.Repeat(".", 10), window)
			r.hits[tt.seq].Took += tt.heldUp
			r.decided[uint64(tt.seq)] += tt.heldUp
			got, err := r.measure()
			if err != nil {
				t.Fatal(err)
			}
			if got.samples[0].disturbed() != tt.want {
				t.Errorf("late by %s", got.samples[0].late)
			}
			if again := got.again(); (len(again.lengths) == 1) != tt.want {
				t.Errorf("again: %v", again.lengths)
			}
		})
	}
}

// TestHeldUp has a lane that invents an outage, and did or did not keep its rate.
func TestHeldUp(t *testing.T) {
	tests := []struct {
		sentence string
		late     time.Duration
		want     bool
	}{
		{"a lane on time", 0, false},
		{"a lane that sent one in eleven requests 20 ms late", 20 * ms, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			r := recorded("......x....")
			r.hits[5].Sent += tt.late
			got, err := r.measure()
			if err != nil {
				t.Fatal(err)
			}
			if got.heldUp() != tt.want || (len(got.broken()) == 0) != tt.want {
				t.Errorf("held up %v, broken %q", got.heldUp(), got.broken())
			}
		})
	}
}

func TestMiscounted(t *testing.T) {
	got := miscounted(map[string]int{"v0": 3, "v1": 4}, map[string]int{"v1": 4, "v0": 2, "v2": 1})
	want := []string{"v0 replied 3 times and was recorded 2 times", "v2 replied 0 times and was recorded 1 times"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
