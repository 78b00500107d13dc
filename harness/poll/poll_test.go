package poll

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestUntil(t *testing.T) {
	wrong, late := errors.New("wrong"), errors.New("late")
	for _, tc := range []struct {
		sentence string
		answer   func(asked int) (bool, error)
		asked    int
		took     time.Duration
		err      error
	}{
		{"an answer at once costs no time", func(int) (bool, error) { return true, nil }, 1, 0, nil},
		{"the third answer comes after two pauses", func(n int) (bool, error) { return n == 3, nil }, 3, 2 * time.Second, nil},
		{"an error ends it", func(n int) (bool, error) { return false, wrong }, 1, 0, wrong},
		{"and so does the context, with its cause", func(int) (bool, error) { return false, nil }, 11, 10500 * time.Millisecond, late},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10500*time.Millisecond, late)
				defer cancel()
				began, asked := time.Now(), 0
				err := Until(ctx, time.Second, func() (bool, error) { asked++; return tc.answer(asked) })
				if !errors.Is(err, tc.err) || asked != tc.asked || time.Since(began) != tc.took {
					t.Errorf("%v after %d questions in %v, want %v after %d in %v", err, asked, time.Since(began), tc.err, tc.asked, tc.took)
				}
			})
		})
	}
}
