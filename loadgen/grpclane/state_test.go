package grpclane

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// statesOf returns the states of each channel, in the order in which they were noted.
func statesOf(t *testing.T, events []evidence.Event) (states [channels][]string) {
	t.Helper()
	var last [channels]time.Duration
	for _, e := range events {
		if e.Kind != evidence.ChannelState || e.Object != "worker-grpc" || e.At < last[e.Count] || e.Check() != nil {
			t.Errorf("event %+v after %v", e, last[e.Count])
		}
		states[e.Count], last[e.Count] = append(states[e.Count], e.Detail), e.At
	}
	return states
}

// TestStates stops the server of a lane, and starts the next one when no channel has one.
func TestStates(t *testing.T) {
	old, next, front := newApp("old"), newApp("new"), newFront(t)
	front.lead(t, old)
	got := loadFetching(t, laneOf(evidence.GRPC, "http://"+front.Addr().String(), 100), nil, func(l *loading) {
		old.await(t)
		old.Stop()
		ctx, cancel := context.WithTimeout(t.Context(), patient)
		defer cancel()
		err := poll.Until(ctx, 10*time.Millisecond, func() (bool, error) {
			l.fetch(t)
			states := statesOf(t, l.events)
			return !slices.ContainsFunc(states[:], func(s []string) bool { return !slices.Contains(s, "TRANSIENT_FAILURE") }), nil
		})
		if err != nil {
			t.Fatalf("states %q: %v", statesOf(t, l.events), err)
		}
		front.lead(t, next)
		next.await(t)
	})
	want := []string{"IDLE", "CONNECTING", "READY", "IDLE", "CONNECTING", "TRANSIENT_FAILURE", "READY"}
	for slot, states := range statesOf(t, got.events) {
		if diff := cmp.Diff(want, states); diff != "" {
			t.Errorf("channel %d: %s", slot, diff)
		}
	}
}
