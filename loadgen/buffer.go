package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/rollcall/harness/evidence"
)

// A Progress is how far a lane got, for live lines. It is no evidence.
type Progress struct {
	Sent      int            `json:"sent"` // requests begun; those in flight included
	Failed    int            `json:"failed"`
	ByVersion map[string]int `json:"by_version"` // good replies
	// Trouble is the first error, in words, that was of no known type, such as the client being out of ports;
	// empty when there was none. It puts the recording in doubt, though never in favour of the cluster: the
	// hit counts as failed.
	Trouble string `json:"trouble,omitempty"`
}

// HitsPerFrame bounds a frame, some 100 KB on the wire: writing one takes a processor for about 3 ms, for which
// on an agent with one processor every request would wait. A full frame may leave hits for the next.
const HitsPerFrame = 512

// errForgotten is the error of asking for hits again after asking for those that follow them.
var errForgotten = errors.New("forgotten")

// errSpool is the error of hits that the spool has and does not give.
var errSpool = errors.New("its spool cannot be read")

// A buffer holds the hits of a lane from when they are kept until they are forgotten. Where there is a spool they are there, and in
// memory only those that it did not take.
type buffer struct {
	mu       sync.Mutex
	first    int            // number of the first hit that is not forgotten, in the order of keeping, from 0
	held     int            // number of the first hit in memory, if there is one
	hits     []evidence.Hit // in memory
	over     bool
	progress Progress
	log      *laneLog // on the spool; nil: there is none
	broken   func()   // called when the log can no longer be written; nil: nothing is
}

func newBuffer() *buffer { return &buffer{progress: Progress{ByVersion: map[string]int{}}} }

// spooled has the buffer go on with the log of a lane.
func (b *buffer) spooled(log *laneLog, progress Progress) {
	b.log, b.held = log, log.next
	b.first = log.segments[0].first
	if b.progress = progress; b.progress.ByVersion == nil {
		b.progress.ByVersion = map[string]int{}
	}
}

// next is the number of the next hit kept.
func (b *buffer) next() int { return b.held + len(b.hits) }

// begin notes that a request is about to be sent.
func (b *buffer) begin(seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress.Sent++
	if b.log != nil {
		b.check(b.log.noteSent(seq))
	}
}

// add adds a hit; trouble is the error behind it when that is of no known type, else nil.
func (b *buffer) add(h evidence.Hit, trouble error) {
	var encoded []byte
	if b.log != nil {
		encoded, _ = json.Marshal(h) // a Hit can always be
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log == nil || b.check(b.log.noteHit(h, encoded, b.progress)) {
		if len(b.hits) == cap(b.hits) { // seldom, since all that there are move
			b.hits = slices.Grow(b.hits, max(1000, len(b.hits)))
		}
		b.hits = append(b.hits, h)
	} else {
		b.held++
	}
	b.progress.count(h)
	if trouble != nil {
		b.fail(trouble)
	}
}

// check ends the lane when its log cannot be written: what it saw would be lost with its process. It reports whether that is so.
func (b *buffer) check(err error) (broken bool) {
	if err != nil && b.broken != nil {
		b.fail(err)
		b.broken()
		b.broken = nil
	}
	return err != nil
}

// fail keeps the first trouble; the caller holds the lock.
func (b *buffer) fail(trouble error) {
	if b.progress.Trouble != "" {
		return
	}
	b.progress.Trouble = strings.ReplaceAll(trouble.Error(), "\n", "; ")
	if b.log != nil {
		_ = b.log.write("t", []byte(b.progress.Trouble)) // it is in memory too
	}
}

// count adds a hit to what is known of a lane.
func (p *Progress) count(h evidence.Hit) {
	if h.Failed() {
		p.Failed++
		return
	}
	if p.ByVersion == nil {
		p.ByVersion = map[string]int{}
	}
	p.ByVersion[h.By.Version]++
}

// giveUp keeps why no more requests are sent.
func (b *buffer) giveUp(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail(why)
}

// end says that no more hits will come.
func (b *buffer) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.log != nil {
		b.log.close()
	}
}

// A batch is hits that follow each other, in memory or as the spool has them.
type batch struct {
	first   int
	hits    []evidence.Hit
	spooled []json.RawMessage
	end     bool // no hit follows
}

// from gives hits from number n on, up to a full frame or to the end of a segment, and forgets those below.
func (b *buffer) from(n int) (batch, error) {
	var gone []segment
	defer func() { b.log.remove(gone) }() // without the lock, for which nobody should have to wait
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case n < b.first:
		return batch{}, fmt.Errorf("%w: hits below %d", errForgotten, b.first)
	case n > b.next():
		return batch{}, fmt.Errorf("no hit %d: there are %d so far", n, b.next())
	}
	b.first = n
	if b.log != nil {
		gone = b.log.forget(n)
	}
	if n < b.held {
		return b.fromSpool(n)
	}
	b.hits, b.held = b.hits[n-b.held:], n
	some := b.hits[:min(HitsPerFrame, len(b.hits))]
	return batch{first: n, hits: some, end: b.over && len(some) == len(b.hits)}, nil
}

// fromSpool gives hits that are not in memory. It gives the lock back meanwhile.
func (b *buffer) fromSpool(n int) (batch, error) {
	oldest, at := b.log.segments[0], b.log.placeOf(n)
	b.mu.Unlock()
	hits, next, err := oldest.hits(at, HitsPerFrame)
	b.mu.Lock()
	if err == nil && len(hits) == 0 {
		err = fmt.Errorf("hit %d is missing", n)
	}
	if err != nil {
		return batch{}, fmt.Errorf("%w: %w", errSpool, err)
	}
	b.log.last = next
	return batch{first: n, spooled: hits, end: b.over && n+len(hits) == b.next()}, nil
}

func (b *buffer) soFar() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.progress
	p.ByVersion = maps.Clone(p.ByVersion)
	return p
}
