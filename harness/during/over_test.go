package during

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.com/rollcall/harness/disruption"
)

// A command of --until that never succeeds ends the load, and the recording is inconclusive; any other goes on until it succeeds.
func TestUntil(t *testing.T) {
	const unknown = "error: unknown command \"wiat\" for \"kubectl\"\n\nDid you mean this?\n\twait\n"
	for _, row := range []struct {
		sentence, script string
		unfinished       string
	}{
		{"it succeeds", "true", ""},
		{"unknown command", "exec 2>&1; rollcall-none --now", "rollcall-none"},
		{"it cannot be run", "echo 'this is a folder'; exit 126", "this is a folder"},
		{"its command is misspelt", "printf '%s' '" + unknown + "' >&2; exit 1", `error: unknown command "wiat" for "kubectl"`},
		{"it says so, and succeeds", "printf '%s' '" + unknown + "'", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out bytes.Buffer
			m := &maintenance{settings: settings{until: row.script}, screen: &screen{terminal: &out, log: io.Discard}}
			switch got := m.awaitOver(t.Context(), disruption.Stage{}); {
			case row.unfinished == "" && got != "":
				t.Errorf("it is %q", got)
			case row.unfinished != "" && (!strings.HasPrefix(got, "--until cannot succeed: ") || !strings.Contains(got, row.unfinished)):
				t.Errorf("it is %q, want %s", got, row.unfinished)
			}
		})
	}
}

func TestWhatNeverSucceeds(t *testing.T) {
	for _, row := range []struct {
		sentence string
		code     int
		printed  string
		want     string
	}{
		{"a flag that helm does not have", 1, "Error: unknown flag: --wiat\n", "Error: unknown flag: --wiat"},
		{"a short one, with usage below", 1, "error: unknown shorthand flag: 'x' in -x\nSee 'kubectl wait --help' for usage.\n",
			"error: unknown shorthand flag: 'x' in -x"},
		{"what is waited for is not there yet", 1, "error: no matching resources found\n", ""},
		{"it waited in vain", 1, "error: timed out waiting for the condition on pods/web-0\n", ""},
		{"the app prints the words", 1, "FAIL: worker said unknown command \"x\"\n", ""},
		{"nothing is printed", 1, "", ""},
		{"the shell knows no such command", notFound, "sh: 1: kubctl: not found\n", "sh: 1: kubctl: not found"},
	} {
		if got := neverSucceeds(row.code, row.printed); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
