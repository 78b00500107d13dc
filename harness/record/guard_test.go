package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/observe"
)

func TestALoadThatCannotBeRecordedEndsAtOnce(t *testing.T) {
	for _, row := range []struct {
		sentence string
		happens  func(*Recording)
		because  string // empty: the load goes on
	}{
		{"nothing happens", func(*Recording) {}, ""},
		{"the recorder fails", func(r *Recording) { r.recorder.Hits(evidence.Hit{Lane: "a", Status: -1}) },
			"hits.segment: record {Lane:a "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir() + "/run"
			synctest.Test(t, func(t *testing.T) {
				recorder, err := store.Record(dir, evidence.Run{})
				if err != nil {
					t.Fatal(err)
				}
				var out strings.Builder
				began := time.Now()
				r := &Recording{Config: Config{Folder: dir, Out: &out}, recorder: recorder, clients: &clients{},
					watch: observe.None(began, recorder)}
				ctx, end := context.WithCancelCause(t.Context())
				r.guarding.Go(func() { r.guard(ctx, end) })
				time.Sleep(time.Minute)
				row.happens(r)
				time.Sleep(time.Second)
				synctest.Wait()
				lost := Unrecorded(ctx)
				if (lost == nil) != (row.because == "") {
					t.Fatalf("ended by %v", context.Cause(ctx))
				}
				if lost != nil && (!strings.HasPrefix(lost.Error(), dir+"/"+row.because) ||
					!strings.HasSuffix(lost.Error(), ": the load has ended, and what was recorded before is judged") ||
					out.String() != lost.Error()+"\n") {
					t.Errorf("%v, and printed %s", lost, &out)
				}
				end(errors.New("over"))
				r.guarding.Wait()
				recorder.Abort()
			})
			ev, err := store.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			ended := slices.ContainsFunc(ev.Events, func(e evidence.Event) bool { return e.Kind == evidence.LoadEnded })
			if ended != (row.because != "") {
				t.Errorf("load ended: %v", ended)
			}
		})
	}
}
