package inspect_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

func TestResultOfStreams(t *testing.T) {
	for _, row := range []struct {
		hit  evidence.Hit
		want string
	}{
		{evidence.Hit{FirstMicros: 1, Tokens: 100, Marked: true, By: evidence.Server{Version: "v1"}}, "replied, as v1"},
		{evidence.Hit{FirstMicros: 1, Tokens: 37, Took: 3700 * time.Millisecond, Fault: evidence.Truncated},
			"truncated, cut after 37 tokens, 3.70 s, without its end mark"},
		{evidence.Hit{FirstMicros: 1, Tokens: 1, Took: 100 * time.Millisecond, Fault: evidence.Closed},
			"closed, cut after 1 token, 100 ms, without its end mark"},
		{evidence.Hit{Took: 2 * time.Second, Fault: evidence.Timeout}, "timeout"},
	} {
		r := inspect.Request{Hit: timeline.Hit{Hit: row.hit}, Client: timeline.Lane{Lane: evidence.Lane{EndMark: evidence.DoneMark}}}
		if got := r.Result(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

func TestResultOfABadStatus(t *testing.T) {
	for status, want := range map[int16]string{503: "bad_status 503", 14: "bad_status Unavailable"} {
		r := inspect.Request{Hit: timeline.Hit{Hit: evidence.Hit{Fault: evidence.BadStatus, Status: status}}}
		if got := r.Result(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
