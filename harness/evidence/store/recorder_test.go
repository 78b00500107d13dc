package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// record begins a recording in a new folder.
func record(t *testing.T) (*Recorder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Record(dir, evidence.Run{Scenario: "s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Abort)
	return r, dir
}

func TestARecordingIsWhatWriteWouldHaveWritten(t *testing.T) {
	hits := typicalRun(3*mostWaiting + 7)
	arrivals := typicalArrivals(hits)
	events := []evidence.Event{{At: 5, Kind: evidence.PodReady}, {At: 9, Clock: "w", Kind: evidence.PodExited},
		{At: 5, Kind: evidence.PodGone}}
	run := evidence.Run{Scenario: "s", Claim: "c", Reasons: []evidence.Reason{{Because: "d"}}}

	r, dir := record(t)
	var recorders sync.WaitGroup
	shuffled := slices.Clone(hits)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	agent, harness := shuffled[:len(hits)/3], shuffled[len(hits)/3:]
	recorders.Go(func() { r.LoggedHits(framelog.Append(logged(hitType(), agent...), framelog.Sent, []byte("7")), agent) })
	for part := range slices.Chunk(harness, len(hits)/3) {
		recorders.Go(func() { r.Hits(part...) })
	}
	recorders.Go(func() { r.Arrivals(arrivals...) })
	recorders.Go(func() {
		for _, e := range events {
			r.Event(e)
			r.flushAll()
		}
	})
	recorders.Wait()
	if err := r.Finish(run); err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(t.TempDir(), "written")
	if err := Write(written,
		evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Arrivals: evidence.Arrivals(arrivals), Events: events}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files(t, written), files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if ev, err := Read(dir); err != nil || ev.Damage != nil {
		t.Errorf("%v, %v", ev.Damage, err)
	}
}

// files returns the contents of the files in dir by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string]string)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		contents[entry.Name()] = string(data)
	}
	return contents
}

func TestASecondIsTheMostThatCanBeLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, dir := record(t)
		r.Hits(evidence.Hit{Lane: "a"})
		r.Arrivals(evidence.Arrival{Lane: "a"})
		r.Event(evidence.Event{At: 3 * time.Second, Kind: evidence.PodGone})
		for _, tc := range []struct {
			after time.Duration
			want  int
		}{{flushEvery - 1, 0}, {1, 1}} {
			time.Sleep(tc.after)
			synctest.Wait()
			ev, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			hits, arrivals := all(t, ev.Hits), all(t, ev.Arrivals)
			if len(hits) != tc.want || len(arrivals) != tc.want || len(ev.Events) != tc.want {
				t.Errorf("%s later there are %d hits, %d arrivals and %d events, want %d of each", tc.after, len(hits), len(arrivals), len(ev.Events),
					tc.want)
			}
		}
		r.Abort()
		r.Abort()
		if err := r.Finish(evidence.Run{}); err == nil {
			t.Error("an abandoned recording was finished")
		}
	})
}

func TestARecordingThatWasCutOffSaysHowFarItGot(t *testing.T) {
	r, dir := record(t)
	r.Hits(evidence.Hit{Lane: "b", Sent: time.Second, Took: 500 * time.Millisecond}, evidence.Hit{Lane: "a"})
	r.Arrivals(evidence.Arrival{Lane: "a"})
	r.Event(evidence.Event{At: 2 * time.Second, Kind: evidence.PodGone})
	r.Event(evidence.Event{At: time.Second, Kind: evidence.PodReady})
	r.Abort()
	ev, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"run.json: the recording was cut off: it got to 2s, with 2 hits, 1 arrivals and 2 events",
		"hits.segment: byte 131: it ends here, unfinished",
		"arrivals.segment: byte 46: it ends here, unfinished",
		"events.segment: byte 93: it ends here, unfinished",
	}
	if diff := cmp.Diff(want, textsOf(ev.Damage)); diff != "" {
		t.Error(diff)
	}
	if hits := all(t, ev.Hits); len(hits) != 2 || hits[0].Lane != "a" {
		t.Errorf("hits %+v", hits)
	}
	if ev.Events[0].Kind != evidence.PodReady {
		t.Errorf("events %+v", ev.Events)
	}
	if err := os.Remove(filepath.Join(dir, hitsSegment)); err != nil {
		t.Fatal(err)
	}
	if ev, err = Read(dir); err != nil || !slices.Contains(textsOf(ev.Damage), "hits.segment: no such file or directory") {
		t.Errorf("%v, %v", ev.Damage, err)
	}
}

// Otherwise each of its requests would count as one that never arrived.
func TestARecordingOfAUsersAppThatWasCutOffHasNoArrivals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Record(dir, evidence.Run{Scenario: "s", UserApp: &evidence.UserApp{}})
	if err != nil {
		t.Fatal(err)
	}
	r.Hits(evidence.Hit{Lane: "a"})
	r.Abort()
	ev, err := Read(dir)
	if err != nil || ev.Hits == nil || ev.Arrivals != nil {
		t.Errorf("hits %t, arrivals %t, error %v; want hits alone", ev.Hits != nil, ev.Arrivals != nil, err)
	}
}

func TestARecordingThatFailedIsNotFinished(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		spoil    func(r *Recorder)
		want     string
	}{
		{"a record nobody can have made", func(r *Recorder) { r.Hits(evidence.Hit{Lane: "a", Seq: 7, Fault: "gremlin"}) },
			`unknown fault "gremlin"`},
		{"one that an agent logged", func(r *Recorder) {
			hit := evidence.Hit{Fault: "gremlin"}
			r.LoggedHits(logged(hitType(), hit), []evidence.Hit{hit})
		}, `unknown fault "gremlin"`},
		{"an event of no known kind", func(r *Recorder) { r.Event(evidence.Event{Kind: "pod-flew"}) }, `unknown event kind "pod-flew"`},
		{"a file that takes no more", func(r *Recorder) { r.arrivals.file.Close(); r.Arrivals(evidence.Arrival{}) }, "arrivals.segment"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			r, dir := record(t)
			r.Hits(evidence.Hit{Lane: "a"})
			r.flushAll()
			tc.spoil(r)
			r.Hits(evidence.Hit{Lane: "b"})
			if err := r.Finish(evidence.Run{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			ev, err := Read(dir)
			if err != nil || len(ev.Damage) == 0 || !strings.Contains(ev.Damage[0].Text, "cut off") {
				t.Errorf("%v, %v", ev.Damage, err)
			}
			if hits := all(t, ev.Hits); len(hits) == 0 {
				t.Error("the hit recorded before is lost")
			}
		})
	}
}

func TestARecordingOverAnotherIsRefused(t *testing.T) {
	r, dir := record(t)
	if _, err := Record(dir, evidence.Run{}); err == nil {
		t.Error("while it is recorded")
	}
	if err := r.Finish(evidence.Run{Scenario: "s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Record(dir, evidence.Run{}); err == nil {
		t.Error("when it is finished")
	}
	if err := Write(dir, evidence.Evidence{}); err == nil {
		t.Error("by Write")
	}
	r.Hits(evidence.Hit{})
	if err := r.Finish(evidence.Run{}); err == nil {
		t.Error("by finishing again")
	}
	if ev, err := Read(dir); err != nil || ev.Damage != nil || ev.Run.Scenario != "s" {
		t.Errorf("%+v, %v", ev, err)
	}
}

// recordInto is set in the environment of the process that is to be killed.
const recordInto = "ROLLCALL_TEST_RECORD_INTO"

// beforeKill is how many hits are flushed before the kill.
const beforeKill = 1000

// recordUntilKilled records without end, and prints a line when beforeKill hits are flushed.
func recordUntilKilled(dir string) {
	r, err := Record(dir, evidence.Run{Scenario: "s"})
	if err != nil {
		panic(err)
	}
	for seq := uint64(0); ; seq++ {
		r.Hits(evidence.Hit{Lane: "a", Seq: seq, Sent: time.Duration(seq) * time.Millisecond})
		if seq == beforeKill {
			r.flushAll()
			fmt.Println("flushed")
		}
	}
}

func TestAKilledProcessLeavesWhatItFlushed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), recordInto+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	_, flushed := bufio.NewReader(out).ReadString('\n')
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, out)
	child.Wait()
	if flushed != nil {
		t.Fatal(flushed)
	}

	ev, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	hits := all(t, ev.Hits)
	if len(hits) <= beforeKill {
		t.Errorf("%d hits, %d were flushed", len(hits), beforeKill+1)
	}
	for i, h := range hits {
		if h.Seq != uint64(i) {
			t.Fatalf("hit %d has the number %d", i, h.Seq)
		}
	}
	if len(ev.Damage) == 0 ||
		!strings.Contains(ev.Damage[0].Text,
			fmt.Sprintf("cut off: it got to %s, with %d hits", time.Duration(len(hits)-1)*time.Millisecond, len(hits))) {
		t.Errorf("damage %v", ev.Damage)
	}
}

func TestRecordRefusesALeftoverSegment(t *testing.T) {
	dir := t.TempDir()
	leftover := filepath.Join(dir, arrivalsSegment)
	if err := os.WriteFile(leftover, []byte("records"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Record(dir, evidence.Run{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want one that says that the segment exists", err)
	}
	if got, _ := os.ReadFile(leftover); string(got) != "records" {
		t.Errorf("the segment has %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, evidence.RunFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("run.json: error %v, want that it does not exist", err)
	}
}
