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

func TestUntilNil(t *testing.T) {
	late, not := errors.New("late"), errors.New("not yet")
	for _, tc := range []struct {
		sentence string
		answer   func(asked int) error
		asked    int
		says     string // empty: nothing
	}{
		{"what works at once is asked once", func(int) error { return nil }, 1, ""},
		{"what works the third time is asked three times", func(n int) error {
			if n < 3 {
				return not
			}
			return nil
		}, 3, ""},
		{"the context ends it, with its cause and the last answer", func(int) error { return not }, 11, "late: not yet"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10500*time.Millisecond, late)
				defer cancel()
				asked, says := 0, ""
				err := UntilNil(ctx, time.Second, func() error { asked++; return tc.answer(asked) })
				if err != nil {
					says = err.Error()
				}
				if says != tc.says || asked != tc.asked || err != nil && (!errors.Is(err, late) || !errors.Is(err, not)) {
					t.Errorf("%v after %d questions, want %q after %d", err, asked, tc.says, tc.asked)
				}
			})
		})
	}
}
