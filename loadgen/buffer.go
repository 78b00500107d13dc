package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/rollcall/harness/evidence"
)

// HitsPerFrame bounds a frame, some 100 KB on the wire: writing one keeps a processor busy for about 3 ms, during which every
// request of an agent with one processor waits. A full frame may leave hits for the next.
const HitsPerFrame = 512

// errForgotten is the error for hits that were dropped because later ones were asked for.
var errForgotten = errors.New("forgotten")

// errSpool is the error for hits on the spool that cannot be read.
var errSpool = errors.New("its spool cannot be read")

// A buffer holds the hits of a lane until they are forgotten: on the spool, or in memory if there is no spool or it did not take
// them.
type buffer struct {
	mu      sync.Mutex
	first   int            // number of the first hit that is not forgotten; hits are numbered from 0 as they are added
	held    int            // number of the first hit in memory, if there is one
	hits    []evidence.Hit // in memory
	over    bool
	trouble string   // the first; see [Status.Troubles]
	log     *laneLog // on the spool; nil: there is none
	broken  func()   // called once when the log cannot be written; may be nil
}

// spooled makes the buffer continue with the log of a lane.
func (b *buffer) spooled(log *laneLog) {
	b.log, b.held, b.first, b.trouble = log, log.next, log.segments[0].first, log.trouble
}

// next returns the number of the next hit.
func (b *buffer) next() int { return b.held + len(b.hits) }

// begin logs a request that is about to be sent.
func (b *buffer) begin(seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log != nil {
		b.check(b.log.noteSent(seq))
	}
}

// add adds a hit; trouble is its error if that is of no known type, else nil.
func (b *buffer) add(h evidence.Hit, trouble error) {
	var encoded []byte
	if b.log != nil {
		encoded, _ = json.Marshal(h) // a Hit can always be encoded
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log == nil || b.check(b.log.noteHit(h, encoded)) {
		if len(b.hits) == cap(b.hits) { // in large steps: all hits are copied
			b.hits = slices.Grow(b.hits, max(1000, len(b.hits)))
		}
		b.hits = append(b.hits, h)
	} else {
		b.held++
	}
	if trouble != nil {
		b.fail(trouble)
	}
}

// check ends the lane if its log could not be written, since its hits would be lost with the process. It reports whether there was
// an error.
func (b *buffer) check(err error) (broken bool) {
	if err != nil && b.broken != nil {
		b.fail(err)
		b.broken()
		b.broken = nil
	}
	return err != nil
}

// fail records the first trouble; the caller holds the lock.
func (b *buffer) fail(trouble error) {
	if b.trouble != "" {
		return
	}
	b.trouble = strings.ReplaceAll(trouble.Error(), "\n", "; ")
	if b.log != nil {
		b.log.noteTrouble(b.trouble)
	}
}

// giveUp records why no more requests are sent.
func (b *buffer) giveUp(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail(why)
}

// end marks the lane as over: no more hits will come.
func (b *buffer) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.log != nil {
		b.log.close()
	}
}

// A batch holds consecutive hits, from memory or as JSON from the spool.
type batch struct {
	first   int
	hits    []evidence.Hit
	spooled []json.RawMessage
	end     bool // no hit follows
}

// from returns hits from number n on, up to a full frame or to the end of a segment, and forgets those below n.
func (b *buffer) from(n int) (batch, error) {
	var gone []segment
	defer func() { b.log.remove(gone) }() // after the lock is released: nobody should wait for a disk
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

// fromSpool returns hits that are not in memory. It releases the lock while it reads.
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

// firstTrouble returns the lane's first trouble; empty: none.
func (b *buffer) firstTrouble() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trouble
}
