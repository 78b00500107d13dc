package loadgen

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// openTestSpool opens a folder as a process does when it begins.
func openTestSpool(t interface{ Fatal(...any) }, dir string, limit int64) *spool {
	s, _, _, err := openSpool(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newSpooled returns a buffer with a new log.
func newSpooled(t interface{ Fatal(...any) }, s *spool) *buffer {
	log, err := s.newLane(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &buffer{}
	b.spooled(log)
	return b
}

// killed returns the buffer of the process after a killed one, with what that process left.
func killed(t interface{ Fatal(...any) }, dir string) (b *buffer, unsent uint64, unknown []uint64) {
	s := &spool{dir: dir, limit: SpoolLimit}
	log, err := s.findLane(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	unsent, unknown = log.unsent, sorted(log.open)
	b = &buffer{}
	b.spooled(log)
	return b, unsent, unknown
}

// TestSpoolLosesNothing sends, is killed and is asked in any order. Every request that was sent has one hit, returned once and in
// the order of adding, or is known to have none.
func TestSpoolLosesNothing(t *testing.T) {
	long := evidence.Server{Version: strings.Repeat("x", 1000)} // so that a range and a segment are soon full
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "spool")
		if err != nil {
			rt.Fatal(err)
		}
		buf := newSpooled(rt, openTestSpool(rt, dir, SpoolLimit))
		var sent, kept, fetched, unknown []uint64
		inFlight := map[uint64]bool{}
		next, at := uint64(0), int64(0)
		defer func() { buf.end() }()
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"send", "send", "fetch", "kill"}).Draw(rt, "step") {
			case "send":
				for range rapid.SampledFrom([]int{1, 10, 10, 100, 1000}).Draw(rt, "requests") {
					buf.begin(next)
					sent, inFlight[next] = append(sent, next), true
					if seq := sent[len(sent)-1-min(len(sent)-1, int(next%5))]; inFlight[seq] { // some before others
						buf.add(evidence.Hit{Seq: seq, By: long}, nil)
						delete(inFlight, seq)
						kept = append(kept, seq)
					}
					next++
				}
			case "fetch":
				r, err := rangeFrom(buf, at)
				if err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "the reply is lost") {
					continue
				}
				for _, h := range r.Hits {
					fetched = append(fetched, h.Seq)
				}
				at = r.Next
			case "kill":
				var unsent uint64
				var lost []uint64
				buf.log.close()
				buf, unsent, lost = killed(rt, dir)
				if unsent != next {
					rt.Fatalf("%d is the first that was not sent, want %d", unsent, next)
				}
				if diff := cmp.Diff(sorted(inFlight), lost); diff != "" {
					rt.Fatalf("in flight (-want +got):\n%s", diff)
				}
				next += uint64(rapid.IntRange(0, 3).Draw(rt, "left out"))
				if err := buf.log.resume(next, 0); err != nil {
					rt.Fatal(err)
				}
				unknown, inFlight = append(unknown, lost...), map[uint64]bool{}
			}
			if len(buf.records) > 0 {
				rt.Fatalf("%d hits are in memory", len(buf.records))
			}
		}
		for len(fetched) < len(kept) {
			r, err := rangeFrom(buf, at)
			if err != nil || r.Next == at {
				rt.Fatalf("%d hits of %d: %v", len(fetched), len(kept), err)
			}
			for _, h := range r.Hits {
				fetched = append(fetched, h.Seq)
			}
			at = r.Next
		}
		if !slices.Equal(fetched, kept) {
			rt.Fatalf("fetched %d hits, kept %d", len(fetched), len(kept))
		}
		all := slices.Sorted(slices.Values(slices.Concat(kept, unknown, sorted(inFlight))))
		if !slices.Equal(all, sent) {
			rt.Fatalf("%d requests are accounted for, %d were sent", len(all), len(sent))
		}
	})
}

// TestKilledInALaterSegment checks what a segment's head has to say of the segments before it.
func TestKilledInALaterSegment(t *testing.T) {
	dir := t.TempDir()
	buf := newSpooled(t, openTestSpool(t, dir, SpoolLimit))
	const slow = 7 // has no reply yet
	requests := uint64(0)
	for ; len(buf.log.segments) < 3; requests++ {
		buf.begin(requests)
		if requests != slow {
			buf.add(evidence.Hit{Seq: requests, Fault: evidence.Closed}, errors.New("an odd error"))
		}
	}
	buf.log.close()
	again, unsent, unknown := killed(t, dir)
	if unsent != requests || !slices.Equal(unknown, []uint64{slow}) {
		t.Errorf("%d of %d is the first that was not sent, and %d have no reply", unsent, requests, len(unknown))
	}
	if trouble := again.firstTrouble(); trouble != "an odd error" || again.log.end() != buf.log.end() {
		t.Errorf("%d bytes of %d, trouble %q", again.log.end(), buf.log.end(), trouble)
	}
}

// TestSpoolIsFreed fetches hits and looks at the files that remain.
func TestSpoolIsFreed(t *testing.T) {
	s := openTestSpool(t, t.TempDir(), SpoolLimit)
	buf := newSpooled(t, s)
	for n := uint64(0); len(buf.log.segments) < 3; n++ {
		buf.begin(n)
		buf.add(evidence.Hit{Seq: n}, nil)
	}
	all := slices.Clone(buf.log.segments)
	for at := int64(0); at < buf.log.end(); {
		r, err := rangeFrom(buf, at)
		left := slices.DeleteFunc(slices.Clone(all), func(s segment) bool { return s.end() <= at })
		if err != nil || count(t, s.dir) != len(left) {
			t.Fatalf("%d segments when byte %d is asked for, want %d; %v", count(t, s.dir), at, len(left), err)
		}
		at = r.Next
	}
	if _, err := rangeFrom(buf, buf.log.end()); err != nil || count(t, s.dir) != 1 {
		t.Errorf("%d segments when all hits are fetched, %v", count(t, s.dir), err)
	}
	if used, want := s.used.Load(), size(t, buf.log.segments[0].path); used != want {
		t.Errorf("%d bytes are said to be used, of %d", used, want)
	}
}

func count(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestFullSpoolEndsTheLane fills a spool: the lane ends with that as its trouble, and its hits are still there.
func TestFullSpoolEndsTheLane(t *testing.T) {
	const limit = 1 << 20
	s := openTestSpool(t, t.TempDir(), limit)
	buf := newSpooled(t, s)
	ended := false
	buf.broken = func() { ended = true }
	kept := 0
	for ; !ended && kept < limit; kept++ {
		buf.add(evidence.Hit{Seq: uint64(kept)}, nil)
	}
	for range 5000 { // those in flight
		buf.add(evidence.Hit{Seq: uint64(kept)}, nil)
		kept++
	}
	if s.used.Load() > limit {
		t.Errorf("it has %d bytes, over %d", s.used.Load(), limit)
	}
	const want = "its spool cannot be written: it is full: 1 MiB of hits were not fetched"
	if got := buf.firstTrouble(); got != want {
		t.Errorf("trouble %q, want %q", got, want)
	}
	for n, at := 0, int64(0); n < kept; {
		r, err := rangeFrom(buf, at)
		if err != nil || len(r.Hits) == 0 || r.Hits[0].Seq != uint64(n) {
			t.Fatalf("hits from %d on: %d, %v", n, len(r.Hits), err)
		}
		n, at = n+len(r.Hits), r.Next
	}
}

// TestSpoolDamage damages a file of a spool.
func TestSpoolDamage(t *testing.T) {
	for _, row := range []struct {
		sentence string
		file     string
		text     string
		want     string // error; empty: none
	}{
		{"an order that is not JSON", orderFile, "{", "order.json: "},
		{"a state that is not JSON", stateFile, "x", "state.json: "},
		{"a segment without an order", "0-000000000000" + segmentSuffix, lineOf(framelog.Head, "{}"), ""},
	} {
		dir := t.TempDir()
		if row.file == stateFile {
			writeFile(t, filepath.Join(dir, orderFile), "{}")
		}
		writeFile(t, filepath.Join(dir, row.file), row.text)
		_, _, _, err := openSpool(dir, SpoolLimit)
		if got := errorText(err); (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
		if row.want == "" && count(t, dir) != 0 {
			t.Errorf("%s is still there", row.sentence)
		}
	}

	for _, row := range []struct {
		sentence string
		text     string // appended to a segment with a hit
		want     string
	}{
		{"a hit that was cut off does not count", strings.TrimSuffix(lineOf(framelog.Hit, `{"seq":5}`), "}\n"), ""},
		{"a frame of an unknown kind", lineOf('x', "y"), "frame of kind 'x'"},
		{"a hit that is not JSON", lineOf(framelog.Hit, "{"), "unexpected end of JSON input"},
		{"a number that is none", lineOf(framelog.Sent, "x"), "invalid syntax"},
		{"a line without a checksum", "h{}\n", "damaged"},
	} {
		s := openTestSpool(t, t.TempDir(), SpoolLimit)
		buf := newSpooled(t, s)
		buf.add(evidence.Hit{Seq: 1}, nil)
		path, whole := buf.log.segments[0].path, buf.log.end()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, string(text)+row.text)
		log, err := s.findLane(0, 0)
		if got := errorText(err); (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
		if err == nil && (log.end() != whole || size(t, path) != whole) {
			t.Errorf("%s: %d bytes are kept of a file of %d, want %d", row.sentence, log.end(), size(t, path), whole)
		}
	}
}

func TestSpoolThatIsGone(t *testing.T) {
	s := openTestSpool(t, t.TempDir(), SpoolLimit)
	buf := newSpooled(t, s)
	buf.add(evidence.Hit{}, nil)
	path := buf.log.segments[0].path
	for _, gone := range []func() error{func() error { return os.Truncate(path, 0) }, func() error { return os.Remove(path) }} {
		if err := gone(); err != nil {
			t.Fatal(err)
		}
		if _, err := rangeFrom(buf, 0); !errors.Is(err, errSpool) {
			t.Errorf("hits that are on no disk: %v", err)
		}
	}
}

// A node that loses power may lose what was written last, which may have been fetched. What is logged later is fetched all the same.
func TestSpoolThatLostItsEnd(t *testing.T) {
	dir := t.TempDir()
	buf := newSpooled(t, openTestSpool(t, dir, SpoolLimit))
	for n := range uint64(2) {
		buf.add(evidence.Hit{Seq: n}, nil)
	}
	fetched, err := rangeFrom(buf, 0)
	if err != nil {
		t.Fatal(err)
	}
	buf.log.close()
	if err := os.Truncate(buf.log.segments[0].path, fetched.Next-1); err != nil {
		t.Fatal(err)
	}
	again, _, _ := killed(t, dir)
	defer again.end()
	if err := again.log.resume(7, 0); err != nil {
		t.Fatal(err)
	}
	again.add(evidence.Hit{Seq: 7}, nil)
	r, err := rangeFrom(again, fetched.Next)
	if err != nil || len(r.Hits) != 1 || r.Hits[0].Seq != 7 {
		t.Errorf("hits %+v, %v, want number 7 alone", r.Hits, err)
	}
}

func lineOf(kind framelog.Kind, text string) string {
	return string(framelog.Append(nil, kind, []byte(text)))
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// BenchmarkSpool adds the hits of three lanes at 100 requests per second for two hours, ten minutes of them without a fetch, and
// measures the heap.
func BenchmarkSpool(b *testing.B) {
	for b.Loop() {
		s := openTestSpool(b, b.TempDir(), SpoolLimit)
		var lanes []*buffer
		for i := range 3 {
			log, err := s.newLane(i, 0)
			if err != nil {
				b.Fatal(err)
			}
			lanes = append(lanes, &buffer{})
			lanes[i].spooled(log)
		}
		var fetched [3]int64
		seq := uint64(0)
		var most uint64
		var used int64
		const seconds, awayFrom, awayTo = 7200, 3000, 3600
		for second := range seconds {
			for i, lane := range lanes {
				for n := range uint64(100) {
					lane.begin(seq + n)
					lane.add(aHit(seq+n), nil)
				}
				for away := second >= awayFrom && second < awayTo; !away && fetched[i] < lane.log.end(); {
					some, err := lane.from(fetched[i])
					if err != nil {
						b.Fatal(err)
					}
					fetched[i] = some.Next
				}
			}
			seq += 100
			used = max(used, s.used.Load())
			if second%60 == 0 || second == awayTo {
				var memory runtime.MemStats
				runtime.ReadMemStats(&memory)
				most = max(most, memory.HeapSys+memory.StackSys)
			}
		}
		for _, lane := range lanes {
			lane.end()
		}
		b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
		b.ReportMetric(float64(used)/(1<<20), "MiB-spool")
	}
}

// aHit is a typical hit.
func aHit(seq uint64) evidence.Hit {
	at := time.Duration(seq) * 10 * time.Millisecond
	return evidence.Hit{Lane: "rollcall-iptables-worker2-fresh", Seq: seq, Due: at, Sent: at + 123456, Took: 2345678, Status: 200, Attempts: 1,
		By:      evidence.Server{Version: "v1", Pod: "echo-7859d78b4b-qnn7m", Node: "rollcall-iptables-worker2"},
		Connect: 345000, LocalPort: 40000}
}
