package record

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/loadgen"
)

// lanes returns a fetchFunc for lanes a, b and so on, which end after this many hits each; a position is a number of hits. Its first
// answers are these errors.
func lanes(hits []int, answers ...error) fetchFunc {
	call := 0
	return func(_ context.Context, from []int64) ([]loadgen.Range, error) {
		if call++; call <= len(answers) && answers[call-1] != nil {
			return nil, answers[call-1]
		}
		ranges := make([]loadgen.Range, len(hits))
		for i, n := range hits {
			r := &ranges[i]
			r.Next = min(int64(n), from[i]+10)
			r.End = r.Next == int64(n)
			for seq := from[i]; seq < r.Next; seq++ {
				h := evidence.Hit{Lane: called(i), Seq: uint64(seq)}
				text, _ := json.Marshal(h)
				r.Log, r.Hits = framelog.Append(r.Log, framelog.Hit, text), append(r.Hits, h)
				r.Connections = append(r.Connections, evidence.Connection{Lane: h.Lane, Number: uint32(seq + 1)})
			}
		}
		return ranges, nil
	}
}

func called(i int) string { return string(rune('a' + i)) }

// Each hit has a connection of its own.
func TestFetcherBringsEveryHitOnce(t *testing.T) {
	away := errors.New("no route to the agent")
	unanswered := &agent{place: newTestPlace(t)}
	hung := func(ctx context.Context, _ []int64) ([]loadgen.Range, error) {
		return nil, unanswered.request(ctx, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
	}
	for _, row := range []struct {
		sentence string
		fetch    fetchFunc
		want     []int // hits of each lane
		because  string
	}{
		{"a lane that ends", lanes([]int{25}), []int{25}, ""},
		{"a lane without a hit", lanes([]int{0}), []int{0}, ""},
		{"lanes that end one after the other", lanes([]int{0, 35, 12}), []int{0, 35, 12}, ""},
		{"an agent that is away for two calls", lanes([]int{25, 12}, nil, away, away), []int{25, 12}, ""},
		{"an agent that never comes back", lanes([]int{25}, append([]error{nil}, slices.Repeat([]error{away}, 1000)...)...), []int{10},
			"only 10 hits of lane a were recorded: no route to the agent"},
		{"an agent that never comes back, of whose lanes one had ended",
			lanes([]int{5, 25, 30}, append([]error{nil}, slices.Repeat([]error{away}, 1000)...)...), []int{5, 10, 10},
			"only 10 hits of lane b were recorded: no route to the agent; only 10 hits of lane c were recorded: no route to the agent"},
		{"an agent that does not answer", hung, []int{0}, "only 0 hits of lane a were recorded: no answer in 5s"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir() + "/run"
			recorder, err := store.Record(dir, evidence.Run{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				var ids []string
				for i := range row.want {
					ids = append(ids, called(i))
				}
				f := startFetcher(t.Context(), recorder, ids, row.fetch)
				ctx, cancel := context.WithTimeout(t.Context(), 2*fetchEvery+2*fetchTimeout-1)
				defer cancel()
				err := f.wait(ctx)
				if got := errorText(err); !strings.HasPrefix(got, row.because) || (err == nil) != (row.because == "") {
					t.Errorf("ended with %q, want %q", got, row.because)
				}
			})
			if err := recorder.Finish(evidence.Run{}); err != nil {
				t.Fatal(err)
			}
			ev, err := store.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			hits, err := ev.Hits.All()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]int, len(row.want))
			for _, h := range hits {
				i := int(h.Lane[0] - 'a')
				if h.Seq != uint64(got[i]) {
					t.Fatalf("hit %d of lane %s has seq %d", got[i], h.Lane, h.Seq)
				}
				got[i]++
			}
			if connections, err := ev.Connections.All(); err != nil || len(connections) != len(hits) {
				t.Errorf("%d connections of %d hits, %v", len(connections), len(hits), err)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%v hits, want %v", got, row.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return listErrors(err)
}
