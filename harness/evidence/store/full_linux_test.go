package store

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
)

// /dev/full has no space (full(4)).
func TestARecorderThatCanWriteNoMoreSaysSo(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		spoil    func(*testing.T, *Recorder)
		want     string
	}{
		{"nothing is wrong", func(*testing.T, *Recorder) {}, ""},
		{"the disk is full", func(t *testing.T, r *Recorder) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			r.hits.file.Close()
			r.hits.file = full
		}, "full: no space left on device"},
		{"a record is impossible", func(_ *testing.T, r *Recorder) { r.Hits(evidence.Hit{Took: -1}) },
			"hits.segment: record {Lane: Seq:0 Due:0s Sent:0s Took:-1ns "},
		{"a record that an agent logged is impossible", func(_ *testing.T, r *Recorder) {
			impossible := evidence.Hit{Took: -1}
			r.LoggedHits(hitType().appendTo(nil, impossible), []evidence.Hit{impossible})
		}, "hits.segment: record {Lane: Seq:0 Due:0s Sent:0s Took:-1ns "},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := record(t)
				defer r.Abort()
				tc.spoil(t, r)
				r.Hits(evidence.Hit{Lane: "a"})
				time.Sleep(time.Second)
				synctest.Wait()
				err := r.Err()
				if (err == nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), tc.want) {
					t.Errorf("error %v, want %s", err, tc.want)
				}
				select {
				case <-r.Failed():
				default:
					if err != nil {
						t.Error("nobody is told")
					}
				}
			})
		})
	}
}

// What was recorded before the disk was full can be read.
func TestARecordingOnAFullDiskIsReadUpToThere(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("a tmpfs cannot be mounted here: ", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	r, err := Record(dir+"/run", evidence.Run{Scenario: "s"})
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(0); r.Err() == nil; seq++ {
		r.Hits(evidence.Hit{Lane: "a", Seq: seq})
		r.hits.flush()
	}
	if err := r.Finish(evidence.Run{Scenario: "s"}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want one of a full disk", err)
	}
	ev, err := Read(dir + "/run")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all(t, ev.Hits)); n < 1000 || len(ev.Damage) == 0 {
		t.Errorf("%d hits, damage %v", n, ev.Damage)
	}
}
