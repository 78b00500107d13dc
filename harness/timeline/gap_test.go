package timeline

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestLongestGap(t *testing.T) {
	const ms, period, none = time.Millisecond, 10 * time.Millisecond, -1
	for _, row := range []struct {
		sentence string
		sent     []time.Duration
		ends     []time.Duration
		absences []evidence.Absence
		from, to time.Duration
		length   time.Duration
		unseen   time.Duration // the length of the one that may have gone on through an absence; 0: none
	}{
		{"no request, no gap", nil, nil, nil, 0, 0, 0, 0},
		{"a reply in every period", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{1 * ms, 11 * ms, 21 * ms}, nil, 1 * ms, 11 * ms, 0, 0},
		{"replies in any order", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{60 * ms, 1 * ms, 11 * ms}, nil,
			11 * ms, 60 * ms, 39 * ms, 0},
		{"no reply at all", []time.Duration{0, 10 * ms, 20 * ms}, nil, nil, 0, 20 * ms, 10 * ms, 0},
		{"none after the first", []time.Duration{0, 10 * ms, 20 * ms}, []time.Duration{1 * ms}, nil, 1 * ms, 20 * ms, 9 * ms, 0},
		{"the agent was away for most of it", []time.Duration{0, 10 * ms, 90 * ms, 100 * ms}, []time.Duration{1 * ms, 11 * ms, 91 * ms, 120 * ms},
			[]evidence.Absence{{Since: 15 * ms, Until: 85 * ms}}, 91 * ms, 120 * ms, 19 * ms, 0},
		{"a request failed before the agent was away", []time.Duration{0, 10 * ms, 20 * ms, 90 * ms},
			[]time.Duration{1 * ms, 11 * ms, none, 91 * ms}, []evidence.Absence{{Since: 25 * ms, Until: 85 * ms}},
			11 * ms, 25 * ms, 4 * ms, 70 * ms},
		{"a request failed after it", []time.Duration{0, 10 * ms, 90 * ms, 100 * ms}, []time.Duration{1 * ms, 11 * ms, none, 101 * ms},
			[]evidence.Absence{{Since: 20 * ms, Until: 85 * ms}}, 85 * ms, 101 * ms, 6 * ms, 80 * ms},
		{"a SYN was sent again after it", []time.Duration{0, 10 * ms, 90 * ms}, []time.Duration{1 * ms, 11 * ms, 1095 * ms},
			[]evidence.Absence{{Since: 20 * ms, Until: 85 * ms}}, 85 * ms, 1095 * ms, 1000 * ms, 1074 * ms},
	} {
		g, a := gaps{period: period}, newAway(row.absences)
		for i, at := range row.sent {
			h := sentHit{sent: at, failed: i >= len(row.ends) || row.ends[i] == none}
			if !h.failed {
				h.answered = row.ends[i] - at
			}
			g.add(h, a)
		}
		g.end(a)
		got := g.longest
		if got.From != row.from || got.To != row.to || got.Length() != row.length {
			t.Errorf("%s: %v to %v, %v long; want %v to %v, %v long", row.sentence, got.From, got.To, got.Length(), row.from, row.to, row.length)
		}
		var unseen time.Duration
		for _, gap := range g.unseen {
			unseen += gap.Length()
		}
		if unseen != row.unseen {
			t.Errorf("%s: %v long with the absence, want %v", row.sentence, unseen, row.unseen)
		}
	}
}

// A stream of ten seconds is no gap of ten seconds.
func TestLongestGapOfStreams(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		sentence string
		took     []time.Duration // of requests each 10 ms; 0: it failed
		want     time.Duration
	}{
		{"all streams take as long", []time.Duration{500 * ms, 500 * ms, 500 * ms}, 0},
		{"a later stream ends late", []time.Duration{500 * ms, 520 * ms}, 20 * ms},
		{"the first one fails, and another ends", []time.Duration{0, 500 * ms, 500 * ms}, 0},
		{"none ends", []time.Duration{0, 0, 0}, 10 * ms},
	} {
		g, a := gaps{period: 10 * ms, streams: true}, newAway(nil)
		for i, took := range row.took {
			g.add(sentHit{sent: time.Duration(i) * 10 * ms, answered: took, failed: took == 0}, a)
		}
		g.end(a)
		if got := g.longest.Length(); got != row.want {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}
