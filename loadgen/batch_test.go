package loadgen

import (
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// batched returns a buffer with a new log, of which frames of so many requests are written together.
func batched(t interface{ Fatal(...any) }, s *spool, batch int) *buffer {
	log, err := s.newLane(0, batch)
	if err != nil {
		t.Fatal(err)
	}
	b := &buffer{}
	b.spooled(log)
	return b
}

// answer sends requests from a number on, each of which is answered before the next is sent.
func answer(b *buffer, from, n int) {
	for seq := from; seq < from+n; seq++ {
		b.begin(uint64(seq))
		b.add(evidence.Hit{Seq: uint64(seq)}, nil)
	}
}

// A process that is killed loses the outcome of no more requests than a batch has, and all of those are known to be unknown.
func TestAKillLosesOneBatch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "spool")
		if err != nil {
			rt.Fatal(err)
		}
		batch := rapid.IntRange(1, 20).Draw(rt, "batch")
		buf := batched(rt, openTestSpool(rt, dir, SpoolLimit), batch)
		answered := 0
		for seq := range uint64(rapid.IntRange(0, 100).Draw(rt, "requests")) {
			buf.begin(seq)
			if rapid.Bool().Draw(rt, "answered") {
				buf.add(evidence.Hit{Seq: seq}, nil)
				answered++
			}
		}
		buf.mu.Lock()
		buf.log.pending = nil // as a kill does
		buf.mu.Unlock()
		buf.end()

		next := &buffer{}
		log, err := (&spool{dir: dir, limit: SpoolLimit}).findLane(0, batch)
		if err != nil {
			rt.Fatal(err)
		}
		next.spooled(log)
		unknown, from := log.unknown()
		if sent := buf.log.unsent; from < sent {
			rt.Fatalf("it goes on from %d, though %d were sent", from, sent)
		}
		r, err := rangeFrom(next, 0)
		if err != nil {
			rt.Fatal(err)
		}
		if lost := answered - len(r.Hits); lost > batch {
			rt.Fatalf("%d outcomes are lost, of a batch of %d", lost, batch)
		}
		known := map[uint64]bool{}
		for _, h := range r.Hits {
			known[h.Seq] = true
		}
		for seq := range buf.log.unsent {
			if known[seq] == slices.Contains(unknown, seq) {
				rt.Fatalf("request %d: a hit: %v, unknown: %v", seq, known[seq], !known[seq])
			}
		}
	})
}

// Frames wait for 100 ms, for a batch, for somebody who asks, or for the end.
func TestWhenABatchIsWritten(t *testing.T) {
	for _, row := range []struct {
		sentence string
		until    func(*buffer)
		want     []uint64
	}{
		{"not at once", func(*buffer) {}, nil},
		{"a batch is full", func(b *buffer) { answer(b, 1, 3) }, []uint64{0, 1, 2}},
		{"100 ms are over", func(*buffer) { time.Sleep(batchEvery + time.Nanosecond) }, []uint64{0}},
		{"somebody asks", func(b *buffer) { _, _ = b.from(0) }, []uint64{0}},
		{"the load is over", (*buffer).end, []uint64{0}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				buf := batched(t, openTestSpool(t, dir, SpoolLimit), 3)
				answer(buf, 0, 1)
				row.until(buf)
				written, _, _ := killed(t, dir)
				r, err := rangeFrom(written, 0)
				if err != nil {
					t.Fatal(err)
				}
				var got []uint64
				for _, h := range r.Hits {
					got = append(got, h.Seq)
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
				buf.end()
			})
		})
	}
}

// What a spool does not take of a batch is in memory.
func TestABatchThatCannotBeWritten(t *testing.T) {
	buf := batched(t, openTestSpool(t, t.TempDir(), SpoolLimit), 3)
	broken := 0
	buf.broken = func() { broken++ }
	answer(buf, 0, 1)
	buf.log.file.Close()
	answer(buf, 1, 4)
	r, err := rangeFrom(buf, buf.inMemory())
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, h := range r.Hits {
		got = append(got, h.Seq)
	}
	if diff := cmp.Diff([]uint64{0, 1, 2, 3, 4}, got); diff != "" {
		t.Error(diff)
	}
	if broken != 1 || buf.firstTrouble() == "" {
		t.Errorf("the load ended %d times; trouble: %q", broken, buf.firstTrouble())
	}
	buf.end()
}

// BenchmarkSpooledRequest logs a request and its hit. A batch is that of a lane with 1,000 requests per second.
func BenchmarkSpooledRequest(b *testing.B) {
	for _, row := range []struct {
		name  string
		batch int
	}{{"each", 0}, {"batch", 101}} {
		b.Run(row.name, func(b *testing.B) {
			buf := batched(b, openTestSpool(b, b.TempDir(), SpoolLimit), row.batch)
			seq := uint64(0)
			for b.Loop() {
				buf.begin(seq)
				buf.add(aHit(seq), nil)
				if seq++; seq%1000 == 0 {
					if _, err := buf.from(buf.log.end()); err != nil {
						b.Fatal(err)
					}
				}
			}
			buf.end()
		})
	}
}
