package timeline

import (
	"testing"
	"time"

	"rollcall/harness/evidence"
)

func TestLongestGap(t *testing.T) {
	const ms, period = time.Millisecond, 10 * time.Millisecond
	for _, row := range []struct {
		sentence string
		moments  []time.Duration
		absences []evidence.Absence
		from, to time.Duration
		length   time.Duration
	}{
		{"no request, no gap", nil, nil, 0, 0, 0},
		{"a reply in every period", []time.Duration{0, 10 * ms, 20 * ms}, nil, 0, 10 * ms, 0},
		{"replies in any order", []time.Duration{60 * ms, 0, 10 * ms}, nil, 10 * ms, 60 * ms, 40 * ms},
		{"the agent was away for most of it", []time.Duration{0, 10 * ms, 90 * ms, 120 * ms},
			[]evidence.Absence{{Since: 15 * ms, Until: 85 * ms}}, 90 * ms, 120 * ms, 20 * ms},
	} {
		got := longestGap(row.moments, period, row.absences)
		if got.From != row.from || got.To != row.to || got.Length() != row.length {
			t.Errorf("%s: %v to %v, %v long; want %v to %v, %v long", row.sentence, got.From, got.To, got.Length(), row.from, row.to, row.length)
		}
	}
}
