package timeline_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// carried is a lane that several agents carry.
func carried(agents int) evidence.Lane {
	lane := fresh("a", "n1")
	lane.Agents = agents
	return lane
}

func TestJoinNumbersOfEachAgent(t *testing.T) {
	for _, row := range []struct {
		sentence string
		agents   int
		without  []uint64 // numbers, of 0 to 9
		want     []string
	}{
		{"all of them", 2, nil, nil},
		{"one agent ended sooner", 2, []uint64{9}, nil},
		{"one agent ended much sooner", 2, []uint64{5, 7, 9}, nil},
		{"all but one of three ended sooner", 3, []uint64{7, 8}, nil},
		{"one of four never began", 4, []uint64{1, 5, 9}, nil},
		{"a hole in an agent's own numbers", 2, []uint64{5}, []string{`hits.parquet: lane "a": seq 5 is missing (1 in all)`}},
		{"a hole that one agent alone would not leave", 1, []uint64{8}, []string{`hits.parquet: lane "a": seq 8 is missing (1 in all)`}},
		{"an agent's first number", 3, []uint64{2}, []string{`hits.parquet: lane "a": seq 2 is missing (1 in all)`}},
		{"holes in two agents' numbers", 3, []uint64{4, 5, 9}, []string{`hits.parquet: lane "a": seq 4 is missing (2 in all)`}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := slices.DeleteFunc(paced("a", "1111111111"), func(h evidence.Hit) bool { return slices.Contains(row.without, h.Seq) })
			tl := join(t, recording(hits, marks(0, 10, 20, 400), carried(row.agents)))
			if diff := cmp.Diff(row.want, tl.Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	twice := paced("a", "1111")
	twice[3].Seq = 1
	want := []string{`hits.parquet: lane "a": seq 1 repeats a sequence number (1 in all)`}
	if diff := cmp.Diff(want, join(t, recording(twice, marks(0, 10, 20, 400), carried(2))).Problems); diff != "" {
		t.Errorf("a number twice (-want +got):\n%s", diff)
	}
}

func TestLaneSummaryRateOfAgents(t *testing.T) {
	all := func(evidence.Hit) bool { return true }
	for _, row := range []struct {
		sentence string
		agents   int
		keep     func(evidence.Hit) bool          // of 40 hits, one every 10 ms
		late     func(evidence.Hit) time.Duration // sent after it was due
		want     float64
	}{
		{"two agents achieve what one does", 2, all, nil, 100},
		{"four agents achieve what one does", 4, all, nil, 100},
		{"one that ended sooner sent its full load until then", 4, func(h evidence.Hit) bool { return h.Seq%4 != 3 || h.Seq < 20 }, nil, 100},
		{"one that falls ever further behind lowers the rate of all", 2, all, func(h evidence.Hit) time.Duration {
			return time.Duration(h.Seq%2) * h.Due
		}, 75},
		{"one that sent a single request adds nothing", 2, func(h evidence.Hit) bool { return h.Seq%2 == 0 || h.Seq == 1 }, nil, 50},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := slices.DeleteFunc(paced("a", strings.Repeat("1", 40)), func(h evidence.Hit) bool { return !row.keep(h) })
			for i := range hits {
				if row.late != nil {
					hits[i].Sent += row.late(hits[i])
				}
			}
			got := join(t, recording(hits, nil, carried(row.agents))).Lanes[0].Summary.Rate
			if math.Abs(got-row.want) > 1e-9 {
				t.Errorf("%v requests per second, want %v", got, row.want)
			}
		})
	}
}

// Whoever sent the requests, the lane saw the same.
func TestJoinAnyNumberOfAgents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		several := streams{Run: r.Run, Hits: r.Hits, Arrivals: r.Arrivals, Events: r.Events}
		several.Run.Lanes = slices.Clone(r.Run.Lanes)
		agents := rapid.IntRange(1, 16).Draw(t, "agents")
		for i := range several.Run.Lanes {
			several.Run.Lanes[i].Agents = agents
		}
		one, other := mustJoin(t, r), mustJoin(t, several)
		for i := range other.Lanes {
			sum := 0
			for n, agent := range other.Lanes[i].Summary.Agents {
				sum += agent.Requests
				want := (one.Lanes[i].Summary.Requests - n + agents - 1) / agents
				if agent.Requests != max(0, want) {
					t.Fatalf("agent %d of %d sent %d requests, want %d", n, agents, agent.Requests, want)
				}
			}
			if sum != one.Lanes[i].Summary.Requests || len(other.Lanes[i].Summary.Agents) != agents {
				t.Fatalf("%d agents sent %d of %d requests", len(other.Lanes[i].Summary.Agents), sum, one.Lanes[i].Summary.Requests)
			}
			if diff := cmp.Diff(one.Lanes[i].Summary, other.Lanes[i].Summary,
				cmpopts.IgnoreFields(timeline.LaneSummary{}, "Agents", "Rate")); diff != "" {
				t.Fatalf("summaries differ:\n%s", diff)
			}
			other.Lanes[i].Summary.Agents, other.Lanes[i].Summary.Rate = one.Lanes[i].Summary.Agents, one.Lanes[i].Summary.Rate
		}
		same(t, one, other)
	})
}
