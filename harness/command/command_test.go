package command

import (
	"context"
	"errors"
	"io"
	"os"
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

func TestArgsAreNotSplit(t *testing.T) {
	var told strings.Builder
	c := Command{Line: "sh -c", Args: []string{`echo careful >&2; printf %s- "$@"`, "sh", "it's|x y", "z"}, Stderr: &told}
	if out, err := c.Run(t.Context()); err != nil || out != "it's|x y-z-" || told.String() != "careful\n" {
		t.Errorf("output %q, standard error %q, error %v", out, &told, err)
	}
	c = Command{Line: "no-such-program", Args: []string{"a", "b"}}
	if _, err := c.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no-such-program a b: ") {
		t.Errorf("error %v", err)
	}
}

// A program that is awaited gets SIGTERM, and comes to its end by itself.
func TestRunAwaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Command{Line: "sh", Args: []string{"-c", `trap "echo tidied; exit 3" TERM; echo begun; while :; do sleep 0.01; done`},
		Log: cancelAt{"begun", cancel}, Awaited: true}
	out, err := c.Run(ctx)
	if !errors.Is(err, context.Canceled) || !strings.HasSuffix(out, "tidied") {
		t.Errorf("output %q, error %v", out, err)
	}
}

func TestRunEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	const line = `sh -c "exec 3>&0; sleep 600 & echo forked; sleep 600"` // the grandchild holds the pipe
	_, err = Command{Line: line, Stdin: to, Log: cancelAt{"forked", cancel}}.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if err := errors.Join(to.Close(), from.SetReadDeadline(time.Now().Add(30*time.Second))); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a grandchild survived: %v", err)
	}
}

// cancelAt is a writer that cancels when a text is written.
type cancelAt struct {
	what   string
	cancel context.CancelFunc
}

func (c cancelAt) Write(text []byte) (int, error) {
	if strings.Contains(string(text), c.what) {
		c.cancel()
	}
	return len(text), nil
}
