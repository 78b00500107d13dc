package timeline_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// arrivedAt returns arrivals of requests that were sent every 10 ms from 10 ms on.
func arrivedAt(lane string, numbers ...uint64) []evidence.Arrival {
	var at []evidence.Arrival
	for _, seq := range numbers {
		at = append(at, evidence.Arrival{Lane: lane, Seq: seq, At: time.Duration(seq+1)*10*ms + ms,
			By: evidence.Server{Version: "v1", Pod: "pod-v1"}})
	}
	return at
}

// Numbers that an agent left out while it was away are not holes, and the outcome of requests in flight is unknown.
func TestJoinAbsences(t *testing.T) {
	away := func(from, to uint64, unknown ...uint64) evidence.Absence {
		return evidence.Absence{Lane: "a", From: from, To: to, Since: time.Duration(from+1) * 10 * ms, Until: time.Duration(to) * 10 * ms,
			Unknown: unknown, Why: "its container started again"}
	}
	missing := func(text string) []string { return []string{`hits.parquet: lane "a": ` + text} }
	for _, row := range []struct {
		sentence string
		without  []uint64 // hits, of 0 to 39
		arrived  []uint64 // of those
		absences []evidence.Absence
		problems []string
		unknown  int
		rate     float64
	}{
		{"nobody was away", nil, nil, nil, nil, 0, 100},
		{"a hole without an absence", []uint64{10, 11}, nil, nil, missing("seq 10 is missing (1 in all)"), 0, 3700 / 39.},
		{"one was away", []uint64{10, 11, 12}, nil, []evidence.Absence{away(10, 13)}, nil, 0, 100},
		{"a hole beside an absence", []uint64{9, 10, 11, 12}, nil, []evidence.Absence{away(10, 13)},
			missing("seq 9 is missing (1 in all)"), 0, 3500 / 36.},
		{"two requests were in flight", []uint64{7, 9, 10, 11, 12}, nil, []evidence.Absence{away(10, 13, 7, 9)}, nil, 2, 100},
		{"one of two in flight had arrived", []uint64{7, 9, 10, 11, 12}, []uint64{9}, []evidence.Absence{away(10, 13, 7, 9)}, nil, 2, 100},
		{"a request that was not noted as sent had arrived", []uint64{10, 11, 12}, []uint64{10}, []evidence.Absence{away(10, 13)},
			nil, 1, 100},
		{"a request in flight has a hit after all", []uint64{10, 11, 12}, nil, []evidence.Absence{away(10, 13, 7)}, nil, 0, 100},
		{"a request arrived without a hit, and its agent was not away", []uint64{20}, []uint64{20}, []evidence.Absence{away(10, 13)},
			[]string{`hits.parquet: lane "a": seq 20 is missing (1 in all)`,
				`arrivals.parquet: lane "a": seq 20 was logged by a pod, but has no hit (1 in all)`}, 0, 3800 / 39.},
		{"two were away, one after the other", []uint64{10, 11, 20, 21, 22}, nil, []evidence.Absence{away(10, 12), away(20, 23)}, nil, 0, 100},
		{"one was away before its first request", []uint64{0, 1}, nil, []evidence.Absence{away(0, 2)}, nil, 0, 100},
		{"one was away at the end", []uint64{38, 39}, nil, []evidence.Absence{away(38, 38, 38)}, nil, 1, 100},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := slices.DeleteFunc(paced("a", strings.Repeat("1", 40)), func(h evidence.Hit) bool { return slices.Contains(row.without, h.Seq) })
			r := recording(hits, marks(0, 10, 20, 400), fresh("a", "n1"))
			r.Run.Absences = row.absences
			all := row.arrived
			for _, h := range hits {
				all = append(all, h.Seq)
			}
			r.Arrivals = arrivedAt("a", all...)
			tl := join(t, r)
			if diff := cmp.Diff(row.problems, textsOf(tl.Problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			s := tl.Lanes[0].Summary
			if s.Unknown != row.unknown || s.Requests != len(hits) || s.NeverArrived != 0 {
				t.Errorf("%d unknown, want %d; %d requests, want %d, and %d never arrived", s.Unknown, row.unknown, s.Requests, len(hits),
					s.NeverArrived)
			}
			if row.problems == nil && s.Arrivals != s.Requests {
				t.Errorf("%d arrivals of %d requests", s.Arrivals, s.Requests)
			}
			if math.Abs(s.Rate-row.rate) > 1e-9 {
				t.Errorf("%v requests per second, want %v", s.Rate, row.rate)
			}
		})
	}
}

// An outage whose end a client did not see lasted as long as the client saw it, and may have gone on while its agent was away.
func TestOutagesThroughAbsences(t *testing.T) {
	type lengths []time.Duration
	away := func(from, to uint64, unknown ...uint64) []evidence.Absence {
		return []evidence.Absence{{Lane: "a", From: from, To: to, Since: time.Duration(from+1) * 10 * ms, Until: time.Duration(to) * 10 * ms,
			Unknown: unknown}}
	}
	for _, row := range []struct {
		sentence     string
		outcomes     string // - is left out
		absences     []evidence.Absence
		want, unseen lengths
	}{
		{"nobody was away", "11xxx111", nil, lengths{30 * ms}, nil},
		{"nothing failed before the absence or after it", "1111---111", away(4, 7), nil, nil},
		{"the agent went away in the middle of it", "11xx---111", away(4, 7), lengths{20 * ms}, lengths{50 * ms}},
		{"requests still fail when it is back", "11xx---x11", away(4, 7), lengths{20 * ms, 10 * ms}, lengths{60 * ms}},
		{"requests fail when it is back", "1111---x11", away(4, 7), lengths{10 * ms}, lengths{40 * ms}},
		{"the last request before was in flight", "111----111", away(4, 7, 3), nil, lengths{50 * ms}},
		{"what was in flight has a hit after all", "1111---111", away(4, 7, 3), nil, nil},
		{"it was away before", "1--1xx11", away(1, 3), lengths{20 * ms}, nil},
		{"it was away twice", "1x--x--1", slices.Concat(away(2, 4), away(5, 7)), lengths{10 * ms, 10 * ms}, lengths{60 * ms}},
		{"it was away to the end", "1111xx---", away(6, 9), lengths{20 * ms}, lengths{350 * ms}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := slices.DeleteFunc(paced("a", row.outcomes), func(h evidence.Hit) bool { return row.outcomes[h.Seq] == '-' })
			r := recording(hits, marks(0, 10, 20, 400), fresh("a", "n1"))
			r.Run.Absences = row.absences
			s := join(t, r).Lanes[0].Summary
			for _, of := range []struct {
				what string
				want lengths
				got  []timeline.Outage
			}{{"outages", row.want, s.Outages}, {"unseen", row.unseen, s.Unseen}} {
				var got lengths
				for _, o := range of.got {
					got = append(got, o.Length())
				}
				if diff := cmp.Diff(of.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", of.what, diff)
				}
			}
		})
	}
}

// It is known when a request was due whose outcome is not.
func TestWhenRequestsInFlightWereDue(t *testing.T) {
	hits := slices.DeleteFunc(paced("a", strings.Repeat("1", 20)), func(h evidence.Hit) bool { return h.Seq == 7 || h.Seq >= 9 && h.Seq < 13 })
	r := recording(hits, marks(0, 10, 20, 400), fresh("a", "n1"))
	r.Run.Absences = []evidence.Absence{{Lane: "a", From: 10, To: 13, Since: 110 * ms, Until: 130 * ms, Unknown: []uint64{7, 9}}}
	r.Arrivals = arrivedAt("a", 11)
	if diff := cmp.Diff([]time.Duration{80 * ms, 100 * ms, 120 * ms}, join(t, r).Lanes[0].Summary.InFlight); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
