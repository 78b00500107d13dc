package harness

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"rollcall/harness/evidence"
)

// lane is a lane that has handed over n hits when it ends, and answers each call as told.
func lane(n int, answers ...error) (since func(context.Context, int) (evidence.Frame[evidence.Hit], error)) {
	call := 0
	return func(_ context.Context, from int) (evidence.Frame[evidence.Hit], error) {
		if call++; call <= len(answers) && answers[call-1] != nil {
			return evidence.Frame[evidence.Hit]{}, answers[call-1]
		}
		to := min(n, from+10)
		frame := evidence.Frame[evidence.Hit]{First: from, End: to == n}
		for seq := from; seq < to; seq++ {
			frame.Records = append(frame.Records, evidence.Hit{Lane: "a", Seq: uint64(seq)})
		}
		return frame, nil
	}
}

func TestAFeedBringsEveryHitOnce(t *testing.T) {
	away := errors.New("no route to the agent")
	hung := func(ctx context.Context, _ int) (evidence.Frame[evidence.Hit], error) {
		<-ctx.Done()
		return evidence.Frame[evidence.Hit]{}, context.Cause(ctx)
	}
	for _, row := range []struct {
		sentence string
		since    func(context.Context, int) (evidence.Frame[evidence.Hit], error)
		want     int
		because  string
	}{
		{"a lane that ends", lane(25), 25, ""},
		{"a lane without a hit", lane(0), 0, ""},
		{"an agent that is away for two calls", lane(25, nil, away, away), 25, ""},
		{"an agent that never comes back", lane(25, append([]error{nil}, slices.Repeat([]error{away}, 1000)...)...), 10,
			"of lane a 10 hits were recorded: no route to the agent"},
		{"an agent that does not answer", hung, 0, "of lane a 0 hits were recorded: no answer in 5s"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir() + "/run"
			recorder, err := evidence.Record(dir, evidence.Run{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				f := follow(t.Context(), recorder, "a", row.since)
				ctx, cancel := context.WithTimeout(t.Context(), 2*feedEvery+2*askPatience-1)
				defer cancel()
				err := f.end(ctx)
				if got := oneLineOf(err); !strings.HasPrefix(got, row.because) || (err == nil) != (row.because == "") {
					t.Errorf("ended with %q, want %q", got, row.because)
				}
			})
			if err := recorder.Finish(evidence.Run{}); err != nil {
				t.Fatal(err)
			}
			ev, err := evidence.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			hits, err := ev.Hits.All()
			if err != nil || len(hits) != row.want {
				t.Fatalf("%d hits, %v; want %d", len(hits), err, row.want)
			}
			for i, h := range hits {
				if h.Seq != uint64(i) {
					t.Fatalf("hit %d has seq %d", i, h.Seq)
				}
			}
		})
	}
}

func oneLineOf(err error) string {
	if err == nil {
		return ""
	}
	return oneLine(err)
}
