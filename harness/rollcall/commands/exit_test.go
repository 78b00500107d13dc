package commands

import (
	"errors"
	"testing"

	"example.com/rollcall/harness/usage"
)

func TestInfrastructure(t *testing.T) {
	broken := errors.New("disk full")
	for _, row := range []struct {
		sentence string
		err      error
		code     int
		says     string // the line that follows "Error:"; empty: there is none
	}{
		{"the verdict of a run is not an error to be told", exitCode(1), 1, ""},
		{"an inconclusive one neither", exitCode(3), 3, ""},
		{"what could not be done is", broken, exitInfrastructure, "disk full"},
		{"bad input keeps its code", exit{exitUsage, usage.New("modes x", "there is none", "use iptables")}, exitUsage,
			"modes x: there is none: use iptables"},
	} {
		var end exit
		if err := infrastructure(row.err); !errors.As(err, &end) || end.code != row.code || err.Error() == "" {
			t.Errorf("%s: %v", row.sentence, err)
		}
		if says := end.err; (says == nil) != (row.says == "") || says != nil && says.Error() != row.says {
			t.Errorf("%s: says %v", row.sentence, says)
		}
	}
	if infrastructure(exitCode(0)) != nil {
		t.Error("a run in which all passed ends with an error")
	}
}
