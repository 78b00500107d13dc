package mutants

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
)

// A heard is a sink that keeps the events for the run folder.
type heard struct{ events []evidence.EventKind }

func (h *heard) Event(e evidence.Event)       { h.events = append(h.events, e.Kind) }
func (h *heard) Arrivals(...evidence.Arrival) {}
func (h *heard) Flows(...evidence.Flow)       {}

func TestDoing(t *testing.T) {
	oldDeleted := evidence.Event{Kind: evidence.PodDeleting, By: evidence.Server{Version: "v1"}}
	newDeleted := evidence.Event{Kind: evidence.PodDeleting, By: evidence.Server{Version: "v2"}}
	begun, ended := evidence.Event{Kind: evidence.RolloutBegun}, evidence.Event{Kind: evidence.LoadEnded}
	for _, row := range []struct {
		sentence string
		when     Moment
		events   []evidence.Event // 2 s apart
		done     time.Duration    // when the damage is done, since the recording began; 0: never
		undone   time.Duration
		says     string
	}{
		{"some time after the first event of the kind", Moment{evidence.RolloutBegun, "", time.Second},
			[]evidence.Event{begun, oldDeleted, begun, ended},
			3 * time.Second, 8 * time.Second, ""},
		{"about a pod of the version", firstOldDeleted(), []evidence.Event{newDeleted, oldDeleted, ended}, 4 * time.Second, 6 * time.Second, ""},
		{"an event that never came", firstOldDeleted(), []evidence.Event{begun, newDeleted, ended}, 0, 0, "pod-deleting of v1 was never seen"},
		{"a load that ends too soon", Moment{evidence.RolloutBegun, "", 5 * time.Second}, []evidence.Event{begun, ended}, 0, 0,
			"the load ended before rollout-begun + 5s"},
		{"before the recording", Moment{}, []evidence.Event{begun, ended}, time.Nanosecond, 4 * time.Second, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var done, undone time.Duration
				m := Mutant{When: row.when, Do: func(ctx context.Context, _ disruption.Stage) error {
					done = max(time.Nanosecond, time.Since(began))
					<-ctx.Done()
					undone = time.Since(began)
					return nil
				}}
				var folder heard
				doing := m.Begin(t.Context(), disruption.Stage{})
				sink := doing.Sink(&folder)
				var all []evidence.EventKind
				for _, e := range row.events {
					time.Sleep(2 * time.Second)
					sink.Event(e)
					all = append(all, e.Kind)
				}
				synctest.Wait()
				said := ""
				if err := doing.End(); err != nil {
					said = err.Error()
				}
				if done != row.done || undone != row.undone || !strings.Contains(said, row.says) || (said == "") != (row.says == "") {
					t.Errorf("done after %v, undone after %v, error %q", done, undone, said)
				}
				if !slices.Equal(folder.events, all) {
					t.Errorf("%v came through", folder.events)
				}
			})
		})
	}
}
