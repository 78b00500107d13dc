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
	"example.com/rollcall/harness/evidence/store"
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

// hitsPerBlock is how many hits are allocated at a time, and so how many forgotten ones a buffer may still hold.
const hitsPerBlock = 1024

// HitsPerFrame bounds a frame, some 100 KB on the wire: writing one takes a processor for about 3 ms, for which
// on an agent with one processor every request would wait. A full frame may leave hits for the next.
const HitsPerFrame = 512

// blocksInMemory is how many blocks of a lane are in memory at most where a spool has them all.
const blocksInMemory = 4

// errForgotten is the error of asking for hits again after asking for those that follow them.
var errForgotten = errors.New("forgotten")

// errSpool is the error of hits that the spool has and does not give.
var errSpool = errors.New("its spool cannot be read")

// A buffer holds the hits of a lane from when they are kept until they are forgotten, 152 bytes each: names of
// servers are stored once. They are in blocks, so that keeping one never moves the others, which the recording
// would show as lag, and so that forgetting frees memory. Where there is a spool, only the newest are in memory.
type buffer struct {
	mu       sync.Mutex
	first    int // number of the first hit that is not forgotten, in the order of keeping, from 0
	held     int // number of the first hit in memory
	next     int // number of the next one kept
	over     bool
	blocks   [][]evidence.Hit // all full to their capacity, but for the last
	servers  map[evidence.Server]evidence.Server
	progress Progress
	log      *laneLog // on the spool; nil: there is none
	broken   func()   // called when the log can no longer be written; nil: nothing is
}

func newBuffer() *buffer {
	return &buffer{servers: map[evidence.Server]evidence.Server{}, progress: Progress{ByVersion: map[string]int{}}}
}

// spooled has the buffer go on with the log of a lane.
func (b *buffer) spooled(log *laneLog, progress Progress) {
	b.log, b.next, b.held = log, log.next, log.next
	b.first = log.segments[0].first
	if b.progress = progress; b.progress.ByVersion == nil {
		b.progress.ByVersion = map[string]int{}
	}
}

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
	if b.log != nil {
		b.check(b.log.noteHit(h, encoded, b.progress))
	}
	h.By = b.interned(h.By)
	last := len(b.blocks) - 1
	if last < 0 || len(b.blocks[last]) == cap(b.blocks[last]) {
		b.blocks = append(b.blocks, make([]evidence.Hit, 0, hitsPerBlock))
		last++
	}
	b.blocks[last] = append(b.blocks[last], h)
	b.next++
	b.progress.count(h)
	if trouble != nil {
		b.fail(trouble)
	}
	if b.log != nil && b.log.err == nil && len(b.blocks) > blocksInMemory {
		b.held += len(b.blocks[0])
		b.blocks = slices.Delete(b.blocks, 0, 1)
	}
}

// check ends the lane when its log cannot be written: what it saw would be lost with its process.
func (b *buffer) check(err error) {
	if err != nil && b.broken != nil {
		b.fail(err)
		b.broken()
		b.broken = nil
	}
}

// fail keeps the first trouble; the caller holds the lock.
func (b *buffer) fail(trouble error) {
	if b.progress.Trouble != "" {
		return
	}
	b.progress.Trouble = strings.ReplaceAll(trouble.Error(), "\n", "; ")
	if b.log != nil {
		_ = b.log.write('t', []byte(b.progress.Trouble)) // it is in memory too
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

// from gives the hits from number n on, up to a full frame, and forgets those below.
func (b *buffer) from(n int) (store.Frame[evidence.Hit], error) {
	b.mu.Lock()
	if err := b.has(n); err != nil {
		b.mu.Unlock()
		return store.Frame[evidence.Hit]{}, err
	}
	gone := b.forget(n)
	if n < b.held {
		return b.fromSpool(n, gone)
	}
	parts, end := b.parts(n)
	b.mu.Unlock()
	if len(gone) > 0 {
		b.log.spool.remove(gone)
	}
	// Copied without the lock, for which nobody should have to wait: what is in a block stays as it is.
	return store.Frame[evidence.Hit]{First: n, Records: slices.Concat(parts...), End: end}, nil
}

// has is an error for a hit that is forgotten, or was not kept yet.
func (b *buffer) has(n int) error {
	switch {
	case n < b.first:
		return fmt.Errorf("%w: hits below %d", errForgotten, b.first)
	case n > b.next:
		return fmt.Errorf("no hit %d: there are %d so far", n, b.next)
	}
	return nil
}

// fromSpool gives hits that are not in memory. It gives the lock back, which nobody should have to wait for meanwhile.
func (b *buffer) fromSpool(n int, gone []segment) (store.Frame[evidence.Hit], error) {
	segments, at, below := slices.Clone(b.log.segments), b.log.placeOf(n), b.next
	b.mu.Unlock()
	b.log.spool.remove(gone)
	hits, next, err := readHits(segments, at, HitsPerFrame, below)
	if err == nil && len(hits) < min(HitsPerFrame, below-n) {
		err = fmt.Errorf("%d hits from %d on are missing", below-n-len(hits), n+len(hits))
	}
	if err != nil {
		return store.Frame[evidence.Hit]{}, fmt.Errorf("%w: %w", errSpool, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log.last = next
	return store.Frame[evidence.Hit]{First: n, Records: hits, End: b.over && n+len(hits) == b.next}, nil
}

// parts are the hits in memory from n on, which is the first there, up to a full frame.
func (b *buffer) parts(n int) (parts [][]evidence.Hit, end bool) {
	room := HitsPerFrame
	for _, block := range b.blocks {
		part := block[:min(room, len(block))]
		parts = append(parts, part)
		if room -= len(part); room == 0 {
			break
		}
	}
	return parts, b.over && n+HitsPerFrame-room == b.next
}

// forget drops the hits below n, which are at most those added, and returns the segments to remove.
func (b *buffer) forget(n int) (gone []segment) {
	b.first = max(b.first, n)
	for b.held < n {
		block := b.blocks[0]
		dropped := min(n-b.held, len(block))
		b.held += dropped
		if b.blocks[0] = block[dropped:]; dropped == cap(block) {
			b.blocks = slices.Delete(b.blocks, 0, 1)
		}
	}
	if b.log != nil {
		gone = b.log.forget(n)
	}
	return gone
}

func (b *buffer) soFar() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.progress
	p.ByVersion = maps.Clone(p.ByVersion)
	return p
}

// interned is the server with the strings it was first seen with, so that the thousand hits of one pod share one
// copy of its name.
func (b *buffer) interned(s evidence.Server) evidence.Server {
	if known, ok := b.servers[s]; ok {
		return known
	}
	b.servers[s] = s
	return s
}
