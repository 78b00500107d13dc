package command

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		line     string
		out      string
		err      string
	}{
		{"quotes group words", `printf %s-%s "a b" c`, "a b-c", ""},
		{"a failing program is named with what it printed", `sh -c "echo no room; exit 3"`, "no room", "exit status 3: no room"},
		{"what it says on standard error is not its output", `sh -c "echo careful >&2; echo 42"`, "42", ""},
		{"but is in the error", `sh -c "echo careful >&2; exit 1"`, "", "exit status 1: careful"},
		{"a missing program is an error", "no-such-program", "", "no-such-program"},
		{"an empty line is an error, not a panic", " ", "", "empty command line"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			out, err := Run(t.Context(), "%s", tc.line)
			if out != tc.out {
				t.Errorf("output %q, want %q", out, tc.out)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want one with %q", err, tc.err)
			}
		})
	}
}

func TestRunEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	// The grandchild holds the pipe: only ending the group lets Run return before WaitDelay.
	_, err := Run(ctx, `sh -c "sleep 60 & sleep 60"`)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("returned after %v: a grandchild survived", took)
	}
}
