package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
)

// measured is the outcome of a reset trial at 100 a second, by its samples: injected, measured, late, in ms.
func measured(samples ...[3]int) outcome {
	o := outcome{trial: trial{kind: reset, conn: evidence.Fresh, rate: 100}, rate: 100}
	for _, s := range samples {
		o.samples = append(o.samples, sample{
			trial: o.trial, length: time.Duration(s[0]) * ms,
			injected: time.Duration(s[0]) * ms, measured: time.Duration(s[1]) * ms, late: time.Duration(s[2]) * ms,
		})
	}
	return o
}

func TestReport(t *testing.T) {
	var got strings.Builder
	quiet := outcome{trial: trial{kind: clean, conn: evidence.Fresh, rate: 100}, requests: 100, rate: 100}
	windows := measured([3]int{50, 53, 0}, [3]int{5, 0, 0}, [3]int{5, 10, 1}, [3]int{50, 90, 3}, [3]int{50, 51, 0})
	err := report{append(slices.Repeat([]outcome{quiet}, cleanRuns), windows)}.write(&got)
	if err != nil {
		t.Fatal(err)
	}
	want := `Worst error in ms of a measured outage, by its true length:

| true length | 100/s fresh |
|---|---|
| 5ms | 5.0 (1 of 2) |
| 50ms | 3.0 |
| *bar* | *11.0* |

The same by what the servers did:

| in the window | 100/s fresh |
|---|---|
| reset | 5.0 (3 of 4) |
| *bar* | *11.0* |

2 of 2 windows of 2/R or longer found; 2 shorter ones; 1 not counted, as the machine disturbed them
10 clean runs: 0 outages invented in 1000 requests of 10 lanes
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReportNamesWhatWasMissed(t *testing.T) {
	tests := []struct {
		sentence string
		of       outcome
		missed   bool // else too busy
		want     string
	}{
		{"a length that is off", measured([3]int{50, 62, 0}), true, "missed: reset, 100/s fresh, 50ms: a window of 50ms was measured as 62ms"},
		{"a window that was not found", measured([3]int{20, 0, 0}), true, "missed: reset, 100/s fresh, 20ms: a window of 20ms was not found"},
		{"a clean run too few",
			outcome{trial: trial{kind: clean, conn: evidence.Fresh, rate: 100}, rate: 100}, false, "too busy to judge clean, 100/s fresh"},
		{"a row of which every window was disturbed",
			measured([3]int{20, 20, 0}, [3]int{50, 50, 3}), false, "too busy to judge reset, 100/s fresh, 50ms"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			var got strings.Builder
			err := report{[]outcome{tt.of}}.write(&got)
			if err == nil || errors.Is(err, errMissed) != tt.missed {
				t.Fatalf("got error %v", err)
			}
			if said := got.String() + err.Error(); !strings.Contains(said, tt.want) {
				t.Errorf("%q is not in:\n%s", tt.want, said)
			}
		})
	}
}
