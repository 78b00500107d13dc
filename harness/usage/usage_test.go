package usage_test

import (
	"errors"
	"testing"

	"example.com/rollcall/harness/usage"
)

// A message of a cluster is part of many errors, and a terminal would obey what is in it.
func TestAnErrorIsOneLineThatIsSafeToPrint(t *testing.T) {
	for _, row := range []struct {
		sentence string
		err      error
		want     string
	}{
		{"control characters are dropped", usage.New("pod a\x1b[2J", "it\r\n waits\a", "see \u009b31mit"), "pod a[2J: it waits: see 31mit"},
		{"lines are joined", usage.New("pod a", "it waits\nfor\t b", "see it"), "pod a: it waits for b: see it"},
		{"those of another error too", errors.New(usage.OneLine(errors.New("a\n\x1b[1Ab"))), "a [1Ab"},
	} {
		if got := row.err.Error(); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
