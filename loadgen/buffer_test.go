package loadgen

import (
	"errors"
	"maps"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// keepHits adds hits with the next sequence numbers to a buffer.
func keepHits(t *buffer, n int) {
	for range n {
		t.add(evidence.Hit{Lane: "worker-fresh", Seq: uint64(t.forgotten + len(t.records))}, nil)
	}
}

// manyHits are as many as fill a range.
func manyHits() (n int) {
	for size := 0; size < RangeBytes; n++ {
		size += len(framelog.Append(nil, framelog.Hit, encode(evidence.Hit{Lane: "worker-fresh", Seq: uint64(n)})))
	}
	return n
}

func TestBufferFrom(t *testing.T) {
	many := manyHits()
	tests := []struct {
		sentence string
		kept     int
		over     bool
		before   []int64 // positions asked for earlier, which are numbers of hits
		n        int64
		want     int // hits
		end      bool
		err      string
	}{
		{"a lane that has not begun", 0, false, nil, 0, 0, false, ""},
		{"a lane that ended before it began", 0, true, nil, 0, 0, true, ""},
		{"all there is, from a lane under way", 5, false, nil, 0, 5, false, ""},
		{"only what was not seen yet", 5, false, []int64{0}, 3, 2, false, ""},
		{"nothing new", 5, false, []int64{0}, 5, 0, false, ""},
		{"the same hits again, for the reply may have been lost", 5, false, []int64{0, 3}, 3, 2, false, ""},
		{"hits after some that nobody asked for", 5, false, nil, 3, 2, false, ""},
		{"the last hits of a lane that is over", 5, true, []int64{0}, 3, 2, true, ""},
		{"the end again", 5, true, []int64{0, 5}, 5, 0, true, ""},
		{"hits after many that nobody asked for", 1026, false, nil, 1023, 3, false, ""},
		{"none after many that nobody asked for", 1024, true, nil, 1024, 0, true, ""},
		{"more than a range holds, of a lane that is over", many + 1, true, nil, 0, many, false, ""},
		{"the hit that the range before did not hold", many + 1, true, []int64{0}, int64(many), 1, true, ""},
		{"exactly what a range holds", many, true, nil, 0, many, true, ""},
		{"a hit that was forgotten", 5, true, []int64{0, 3}, 2, 0, false, "forgotten: what is before 3"},
		{"a hit before the first", 5, true, nil, -1, 0, false, "forgotten: what is before 0"},
		{"a hit that was not kept yet", 5, false, nil, 6, 0, false, "nothing is at 6: the log ends at 5 so far"},
		{"hits that a question too far did not make it forget", 5, false, []int64{6}, 0, 5, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			buf := &buffer{}
			keepHits(buf, tt.kept)
			if tt.over {
				buf.end()
			}
			for _, n := range tt.before {
				rangeFrom(buf, n)
			}
			r, err := rangeFrom(buf, tt.n)
			if tt.err != "" {
				wantError(t, err, tt.err)
				if errors.Is(err, errForgotten) != strings.HasPrefix(tt.err, "forgotten") {
					t.Errorf("%v is of the wrong type", err)
				}
				return
			}
			if err != nil || r.Next != tt.n+int64(tt.want) || len(r.Hits) != tt.want || r.End != tt.end {
				t.Fatalf("got %d hits up to %d, end %v, %v; want %d, end %v", len(r.Hits), r.Next, r.End, err, tt.want, tt.end)
			}
			for i, h := range r.Hits {
				if h.Seq != uint64(tt.n)+uint64(i) {
					t.Fatalf("hit %d after %d is that of number %d", i, tt.n, h.Seq)
				}
			}
		})
	}
}

// TestNoHitIsLost fetches from a buffer while hits are added in any order; some of the replies are lost.
func TestNoHitIsLost(t *testing.T) {
	long := evidence.Server{Pod: strings.Repeat("x", 1000)} // so that a range is soon full
	rapid.Check(t, func(t *rapid.T) {
		buf := &buffer{}
		var kept, read []uint64
		ended := false
		ask := func() {
			r, err := rangeFrom(buf, int64(len(read)))
			if err != nil {
				t.Fatal(err)
			}
			if unread := len(kept) - len(read); len(buf.records) != unread {
				t.Fatalf("%d hits in memory, when %d were unread", len(buf.records), unread)
			}
			if r.End && (!buf.over || len(read)+len(r.Hits) != len(kept)) {
				t.Fatalf("an end %d hits before it", len(kept)-len(read)-len(r.Hits))
			}
			if rapid.IntRange(0, 3).Draw(t, "lost") == 0 {
				return
			}
			for _, h := range r.Hits {
				read = append(read, h.Seq)
			}
			ended = r.End
		}
		for range rapid.IntRange(0, 8).Draw(t, "polls") {
			for range rapid.IntRange(0, 1000).Draw(t, "kept") {
				seq := uint64(len(kept)) ^ 1 // neighbours change places
				buf.add(evidence.Hit{Seq: seq, By: long}, nil)
				kept = append(kept, seq)
			}
			ask()
		}
		buf.end()
		for !ended {
			ask()
		}
		if diff := cmp.Diff(kept, read); diff != "" {
			t.Fatalf("(-kept +read):\n%s", diff)
		}
	})
}

// TestPolledBufferStaysFlat fetches once a second the hits of 1,000 requests a second, for ten minutes, and looks for hits that the
// garbage collector could not free.
func TestPolledBufferStaysFlat(t *testing.T) {
	buf := &buffer{}
	held := map[weak.Pointer[inMemory]]bool{}
	for second := range 600 {
		keepHits(buf, 1000)
		held[weak.Make(&buf.records[0])] = true
		if _, err := rangeFrom(buf, 1000*int64(second+1)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	maps.DeleteFunc(held, func(hit weak.Pointer[inMemory], _ bool) bool { return hit.Value() == nil })
	if len(held) > 2 { // two may share the array that the next hits go to
		t.Errorf("hits of %d seconds are still in memory", len(held))
	}
	runtime.KeepAlive(buf)
}
