package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
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
		happens  func(r *Recording, free *atomic.Int64)
		because  string // empty: the load goes on
	}{
		{"nothing happens", func(*Recording, *atomic.Int64) {}, ""},
		{"the recorder fails", func(r *Recording, _ *atomic.Int64) { r.recorder.Hits(evidence.Hit{Lane: "a", Status: -1}) },
			"DIR/hits.segment: record {Lane:a "},
		{"others fill the disk", func(_ *Recording, free *atomic.Int64) { free.Store(reportBytes) },
			"disk of DIR: 16.0 MiB is free, and the load takes 2.4 MiB a minute: "},
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
				var free atomic.Int64
				free.Store(1 << 30)
				disk := newDiskSpace(dir, free.Load, []evidence.Lane{{Rate: 100}}, true, false)
				ctx, end := context.WithCancelCause(t.Context())
				r.guarding.Go(func() { r.guard(ctx, end, disk) })
				time.Sleep(time.Minute)
				row.happens(r, &free)
				time.Sleep(time.Second)
				synctest.Wait()
				lost := Unrecorded(ctx)
				if (lost == nil) != (row.because == "") {
					t.Fatalf("ended by %v", context.Cause(ctx))
				}
				if lost != nil && (!strings.HasPrefix(strings.ReplaceAll(lost.Error(), dir, "DIR"), row.because) ||
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

func TestDiskSpaceForALoad(t *testing.T) {
	const hour = time.Hour
	lanes := []evidence.Lane{{Rate: 25}, {Rate: 25}, {Rate: 50}}
	for _, row := range []struct {
		sentence        string
		free            int64
		arrivals, flows bool
		length          time.Duration
		refused         string
	}{
		{"an hour of hits alone", reportBytes + 3600*100*hitBytes, false, false, hour, ""},
		{"a byte too few", reportBytes + 3600*100*hitBytes - 1, false, false, hour,
			"disk of out: 107.0 MiB is free, and 100 requests a second take 107.0 MiB in 1h0m0s: free some space"},
		{"arrivals take more", reportBytes + 3600*100*hitBytes, true, false, hour,
			"disk of out: 107.0 MiB is free, and 100 requests a second take 158.5 MiB in 1h0m0s: free some space"},
		{"so do flows", reportBytes + 3600*100*hitBytes, true, true, hour,
			"disk of out: 107.0 MiB is free, and 100 requests a second take 242.6 MiB in 1h0m0s: free some space"},
		{"a second of load has a minute's space", reportBytes + 59*100*hitBytes, false, false, time.Second,
			"disk of out: 17.5 MiB is free, and 100 requests a second take 17.5 MiB in 1m0s: free some space"},
	} {
		d := newDiskSpace("out", func() int64 { return row.free }, lanes, row.arrivals, row.flows)
		if got := errorText(d.check(row.length)); got != row.refused {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.refused)
		}
	}
	d := newDiskSpace("out", func() int64 { return reportBytes + 60*100*hitBytes }, lanes, false, false)
	if d.full(0) != "" || d.full(hour) == "" {
		t.Errorf("at first %q, and after an hour, whose parquet files need space too, %q", d.full(0), d.full(hour))
	}
}
