package store

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

var anyConnection = rapid.Custom(func(t *rapid.T) evidence.Connection {
	count := rapid.IntRange(0, math.MaxInt32)
	return evidence.Connection{
		Lane: anyWord.Draw(t, "lane"), Number: rapid.Uint32Min(1).Draw(t, "number"), Slot: count.Draw(t, "slot"),
		Opened: anyMoment.Draw(t, "opened"), Port: rapid.IntRange(0, 65535).Draw(t, "port"), By: anyServer.Draw(t, "by"),
		Sent: count.Draw(t, "sent"), Answered: count.Draw(t, "answered"), InFlight: count.Draw(t, "in flight"),
		Late: count.Draw(t, "late"), Again: count.Draw(t, "again"),
		Told: anyMoment.Draw(t, "told"),
		ToldBy: rapid.SampledFrom([]evidence.Notice{"", evidence.CloseHeader, evidence.GoAway, evidence.CloseFrame,
			evidence.Goodbye}).Draw(t, "by"),
		Ended: anyMoment.Draw(t, "ended"), End: rapid.SampledFrom(append(evidence.Ends(), "")).Draw(t, "end"), Code: count.Draw(t, "code"),
	}
})

func TestConnectionsSurviveParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), evidence.ConnectionsFile)
	rapid.Check(t, func(t *rapid.T) {
		connections := evidence.Connections(rapid.SliceOfN(anyConnection, 0, 50).Draw(t, "connections"))
		writeStream(t, path, connections, connectionLayout())
		if diff := cmp.Diff(all(t, connections), all(t, parquetStream(path, len(all(t, connections)), connectionLayout()))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A connection is noted when it was opened, when its client was told to go, and when it ended: the run folder has what was known last,
// also of a recording that was cut off.
func TestAConnectionIsRecordedOnce(t *testing.T) {
	opened := func(lane string, number uint32) evidence.Connection {
		return evidence.Connection{Lane: lane, Number: number, Opened: time.Second, Port: 40000}
	}
	told, killed, late := opened("a", 1), opened("a", 2), opened("a", 2)
	told.Told, told.ToldBy = 2*time.Second, evidence.GoAway
	ended := told
	ended.Ended, ended.End, ended.Sent, ended.Answered, ended.InFlight = 3*time.Second, evidence.EndFin, 9, 8, 1
	killed.Ended, killed.End = 5*time.Second, evidence.EndAgent
	late.Ended, late.End = 4*time.Second, evidence.EndReset
	noted := []evidence.Connection{opened("b", 1), opened("a", 1), told, opened("a", 2), late, opened("a", 3), ended, killed}
	want := []evidence.Connection{ended, late, opened("a", 3), opened("b", 1)}

	for _, row := range []struct {
		sentence string
		end      func(*Recorder) error
		damage   bool
	}{
		{"a whole recording", func(r *Recorder) error { return r.Finish(evidence.Run{}) }, false},
		{"one that was cut off", func(r *Recorder) error { r.Abort(); return nil }, true},
	} {
		for _, order := range []string{"as noted", "backwards"} {
			r, dir := record(t)
			hit := evidence.Hit{Lane: "a", Connection: 1}
			state := evidence.Event{Kind: evidence.ChannelState, Object: "a", Detail: "READY"}
			log := slices.Concat(logged(hitType(), hit), logged(eventType(), state), logged(connectionType(), noted...)) // as an agent's log has all
			r.LoggedHits(log, []evidence.Hit{hit})
			r.Connections(noted...)
			slices.Reverse(noted)
			if err := row.end(r); err != nil {
				t.Fatal(err)
			}
			ev, err := Read(dir)
			if err != nil || (len(ev.Damage) > 0) != row.damage {
				t.Fatalf("%s: %v, %v", row.sentence, ev.Damage, err)
			}
			if diff := cmp.Diff(want, all(t, ev.Connections)); diff != "" {
				t.Errorf("%s, %s: %s", row.sentence, order, diff)
			}
			if hits := all(t, ev.Hits); len(hits) != 1 || hits[0] != hit {
				t.Errorf("%s: hits %+v", row.sentence, hits)
			}
		}
	}
}

// Recordings without kept connections, like those of earlier builds, have no such file.
func TestARecordingWithoutConnections(t *testing.T) {
	r, dir := record(t)
	r.Hits(evidence.Hit{Lane: "a"})
	if err := r.Finish(evidence.Run{}); err != nil {
		t.Fatal(err)
	}
	ev, err := Read(dir)
	if err != nil || ev.Damage != nil || ev.Connections != nil {
		t.Errorf("connections %t, damage %v, error %v; want none", ev.Connections != nil, ev.Damage, err)
	}
}

func TestImpossibleConnections(t *testing.T) {
	for _, row := range []struct {
		sentence string
		is       evidence.Connection
	}{
		{"it has no number", evidence.Connection{}},
		{"its port is none", evidence.Connection{Number: 1, Port: 65536}},
		{"it answered less than nothing", evidence.Connection{Number: 1, Answered: -1}},
		{"its code is less than none", evidence.Connection{Number: 1, Code: -1}},
		{"nobody knows how it was told", evidence.Connection{Number: 1, ToldBy: "letter"}},
		{"nobody knows how it ended", evidence.Connection{Number: 1, End: "gremlin"}},
	} {
		if row.is.Check() == nil {
			t.Errorf("%s: no error", row.sentence)
		}
		frame := framelog.Frame{Kind: framelog.Connection, Text: logged(connectionType(), row.is)[10:]}
		if _, has, err := connectionType().decode(frame); has || err == nil {
			t.Errorf("%s: it was read", row.sentence)
		}
	}
}
