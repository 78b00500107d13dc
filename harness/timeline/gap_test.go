package timeline

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestLongestGap(t *testing.T) {
	const ms, period = time.Millisecond, 10 * time.Millisecond
	for _, row := range []struct {
		sentence string
		sent     []time.Duration
		ends     []time.Duration
		absences []evidence.Absence
		from, to time.Duration
		length   time.Duration
	}{
		{"no request, no gap", nil, nil, nil, 0, 0, 0},
		{"a reply in every period", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{1 * ms, 11 * ms, 21 * ms}, nil, 1 * ms, 11 * ms, 0},
		{"replies in any order", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{60 * ms, 1 * ms, 11 * ms}, nil,
			11 * ms, 60 * ms, 39 * ms},
		{"no reply at all", []time.Duration{0, 10 * ms, 20 * ms}, nil, nil, 0, 20 * ms, 10 * ms},
		{"none after the first", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{1 * ms}, nil, 1 * ms, 20 * ms, 9 * ms},
		{"the agent was away for most of it", []time.Duration{0, 10 * ms, 90 * ms, 100 * ms}, []time.Duration{1 * ms, 11 * ms, 91 * ms, 120 * ms},
			[]evidence.Absence{{Since: 15 * ms, Until: 85 * ms}}, 91 * ms, 120 * ms, 19 * ms},
	} {
		var g gaps
		for i, at := range row.sent {
			h := sentHit{sent: at, failed: i >= len(row.ends)}
			if !h.failed {
				h.took = row.ends[i] - at
			}
			g.add(h, row.absences)
		}
		got := g.end(period, row.absences)
		if got.From != row.from || got.To != row.to || got.Length() != row.length {
			t.Errorf("%s: %v to %v, %v long; want %v to %v, %v long", row.sentence, got.From, got.To, got.Length(), row.from, row.to, row.length)
		}
	}
}
