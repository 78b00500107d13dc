package disruption

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
)

// A noted keeps the events of a recording, with the times since it began.
type noted struct {
	began time.Time
	mu    sync.Mutex
	said  []string
}

func (n *noted) note(e evidence.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, time.Since(n.began).String()+" "+string(e.Kind))
}

func (n *noted) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.said, ", ")
}

func TestDisruptionInItsRecording(t *testing.T) {
	holding := func(d time.Duration) Act {
		return func(ctx context.Context, _ Stage) error {
			poll.Pause(ctx, d)
			return nil
		}
	}
	failing := func(context.Context, Stage) error { return errors.New("no such node") }
	for _, row := range []struct {
		sentence string
		of       Disruption
		end      time.Duration // when the recording breaks; 0: it does not
		noted    string
		failure  string
	}{
		{"it begins when its time comes, and the cluster is looked at when it is undone", Disruption{ID: "d", Does: "it is done",
			After: 2 * time.Second, Do: holding(3 * time.Second)}, 0, "2s disruption-begun, 5s disruption-undone",
			"after d the cluster is not whole"},
		{"one that cannot be done is never undone", Disruption{ID: "d", Does: "it is done", Do: failing}, 0, "0s disruption-begun",
			"d: no such node"},
		{"a recording that breaks before ends it before it begins", Disruption{ID: "d", Does: "it is done", After: time.Minute, Do: failing},
			time.Second, "", "the recording ended before it is done"},
		{"a recording that breaks meanwhile ends it", Disruption{ID: "d", Does: "it is done", Do: holding(time.Minute)}, time.Second,
			"0s disruption-begun, 1s disruption-undone", "after d the cluster is not whole"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &noted{began: time.Now()}
				row.of.Whole = time.Second
				doing := row.of.Begin(t.Context(), Stage{Cluster: deadCluster{}, Note: n.note})
				if row.end > 0 {
					time.Sleep(row.end)
					doing.End()
				}
				err := doing.Wait(t.Context())
				if n.String() != row.noted {
					t.Errorf("noted %s, want %s", n, row.noted)
				}
				if err == nil || !strings.HasPrefix(err.Error(), row.failure) {
					t.Errorf("ended with %v, want %s", err, row.failure)
				}
				var broken *BrokenError
				if got := errors.As(err, &broken); got != strings.Contains(row.failure, "not whole") {
					t.Errorf("the cluster is to be thrown away: %v", got)
				}
			})
		})
	}
}

// After a disruption by others only the API is looked at, and no cluster is condemned.
func TestADisruptionByOthers(t *testing.T) {
	gone := errors.New("a node did not come back")
	for _, row := range []struct {
		sentence string
		whole    error
		noted    string
	}{
		{"the cluster is whole", nil, "0s disruption-begun, 0s disruption-undone, 0s cluster-whole"},
		{"the cluster does not get whole", gone, "0s disruption-begun, 0s disruption-undone"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &noted{began: time.Now()}
				d := Disruption{ID: "d", Does: "it is done", Do: func(context.Context, Stage) error { return nil },
					AwaitWhole: func(context.Context, Stage) error { return row.whole }}
				err := d.Begin(t.Context(), Stage{Note: n.note}).Wait(t.Context())
				if !errors.Is(err, row.whole) || n.String() != row.noted {
					t.Errorf("noted %s, ended with %v", n, err)
				}
				var broken *BrokenError
				if errors.As(err, &broken) {
					t.Error("the cluster is to be thrown away")
				}
			})
		})
	}
}
