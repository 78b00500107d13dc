package loadgen

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
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

// errForgotten is the error of asking for hits again after asking for those that follow them.
var errForgotten = errors.New("forgotten")

// A buffer holds the hits of a lane from when they are kept until they are forgotten, 152 bytes each: names of
// servers are stored once. They are in blocks, so that keeping one never moves the others, which the recording
// would show as lag, and so that forgetting frees memory.
type buffer struct {
	mu       sync.Mutex
	first    int // number of the first hit held, in the order of keeping, from 0
	next     int // number of the next one kept
	over     bool
	blocks   [][]evidence.Hit // all full to their capacity, but for the last
	servers  map[evidence.Server]evidence.Server
	progress Progress
}

func newBuffer() *buffer {
	return &buffer{servers: map[evidence.Server]evidence.Server{}, progress: Progress{ByVersion: map[string]int{}}}
}

func (b *buffer) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress.Sent++
}

// add adds a hit; trouble is the error behind it when that is of no known type, else nil.
func (b *buffer) add(h evidence.Hit, trouble error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h.By = b.interned(h.By)
	last := len(b.blocks) - 1
	if last < 0 || len(b.blocks[last]) == cap(b.blocks[last]) {
		b.blocks = append(b.blocks, make([]evidence.Hit, 0, hitsPerBlock))
		last++
	}
	b.blocks[last] = append(b.blocks[last], h)
	b.next++
	if h.Failed() {
		b.progress.Failed++
	} else {
		b.progress.ByVersion[h.By.Version]++
	}
	if trouble != nil && b.progress.Trouble == "" {
		b.progress.Trouble = trouble.Error()
	}
}

// end says that no more hits will come.
func (b *buffer) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
}

// from gives the hits from number n on, up to a full frame, and forgets those below.
func (b *buffer) from(n int) (store.Frame[evidence.Hit], error) {
	parts, end, err := b.partsFrom(n)
	if err != nil {
		return store.Frame[evidence.Hit]{}, err
	}
	return store.Frame[evidence.Hit]{First: n, Records: slices.Concat(parts...), End: end}, nil
}

// partsFrom is from without the copying, for which nobody should have to wait: what is in a block stays as it is.
func (b *buffer) partsFrom(n int) (parts [][]evidence.Hit, end bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case n < b.first:
		return nil, false, fmt.Errorf("%w: hits below %d", errForgotten, b.first)
	case n > b.next:
		return nil, false, fmt.Errorf("no hit %d: there are %d so far", n, b.next)
	}
	b.forget(n)
	room := HitsPerFrame
	for _, block := range b.blocks {
		part := block[:min(room, len(block))]
		parts = append(parts, part)
		if room -= len(part); room == 0 {
			break
		}
	}
	return parts, b.over && n+HitsPerFrame-room == b.next, nil
}

// forget drops the hits below n, which are at most those added.
func (b *buffer) forget(n int) {
	for b.first < n {
		block := b.blocks[0]
		gone := min(n-b.first, len(block))
		b.first += gone
		if b.blocks[0] = block[gone:]; gone == cap(block) {
			b.blocks = slices.Delete(b.blocks, 0, 1)
		}
	}
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
