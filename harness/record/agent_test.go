package record

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestAgentAskedAgain counts over how many ways an agent is asked until it answers: a way that gives no answer may be cut off, one that
// gives an error in time is not.
func TestAgentAskedAgain(t *testing.T) {
	for _, row := range []struct {
		sentence string
		first    func(context.Context) error
		renewed  int32
	}{
		{"a way that gives no answer is opened again", func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, 1},
		{"a way that gives an error is kept", func(context.Context) error { return context.Canceled }, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place, asked := newTestPlace(t), 0
				err := (&agent{place: place}).retryWhileAlive(t.Context(), func(ctx context.Context) error {
					if asked++; asked == 1 {
						return row.first(ctx)
					}
					if left, _ := ctx.Deadline(); time.Until(left) != fetchTimeout {
						t.Errorf("question %d has %v", asked, time.Until(left))
					}
					return nil
				})
				if got := place.renewed.Load(); err != nil || asked != 2 || got != row.renewed {
					t.Errorf("asked %d times, over a way that was opened again %d times, want 2 and %d: %v", asked, got, row.renewed, err)
				}
			})
		})
	}
}
