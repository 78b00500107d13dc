package testenv

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestNeed(t *testing.T) {
	for _, row := range []struct {
		sentence         string
		variable, before string // ROLLCALL_TESTS and ROLLCALL_TRACK_RECORD
		ended, logs      string // how the test ends early; empty: it runs
	}{
		{"a group that nobody asks for is skipped", "", "", "skipped", "it needs clusters: make track-record, or ROLLCALL_TESTS=track-record"},
		{"so is one beside the group that is asked for", "mutants", "", "skipped", "make track-record"},
		{"a group that is asked for runs", "track-record", "", "", ""},
		{"so does one of several", "mutants,track-record", "", "", ""},
		{"a group that is mistyped fails", "trackrecord", "", "failed", "unknown group of tests: use some of bench-long, "},
		{"the variable of the last release has it run, too", "", "1", "", "set ROLLCALL_TESTS=track-record"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv(Variable, row.variable)
			t.Setenv("ROLLCALL_TRACK_RECORD", row.before)
			r := recorder{TB: t}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				Need(&r, TrackRecord)
			}()
			<-ended
			if r.ended != row.ended || !strings.Contains(r.logged, row.logs) || row.logs == "" && r.logged != "" {
				t.Errorf("it is %q and logs %q", r.ended, r.logged)
			}
		})
	}
}

// A recorder is a test that notes how it ends early.
type recorder struct {
	testing.TB
	ended, logged string
}

func (r *recorder) Logf(form string, args ...any) { r.logged += fmt.Sprintf(form, args...) }

func (r *recorder) Skipf(form string, args ...any) { r.end("skipped", form, args...) }

func (r *recorder) Fatalf(form string, args ...any) { r.end("failed", form, args...) }

func (r *recorder) end(how, form string, args ...any) {
	r.ended = how
	r.Logf(form, args...)
	runtime.Goexit()
}
