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

// hitsPerBlock is how many hits are given room at a time, and so how many a tape holds on to that were
// forgotten.
const hitsPerBlock = 1024

// HitsPerFrame bounds a frame, some 100 KB on the wire: writing one takes a processor for about 3 ms, for which
// on an agent with one processor every request would wait. A full frame may leave hits for the next.
const HitsPerFrame = 512

// errForgotten is the error of asking for hits again after asking for those that follow them.
var errForgotten = errors.New("forgotten")

// A tape holds the hits of a lane from when they are kept until they are forgotten, 144 bytes each: names of
// servers are stored once. They are in blocks, so that keeping one never moves the others, which the recording
// would show as lag, and so that forgetting frees memory.
type tape struct {
	mu       sync.Mutex
	first    int // number of the first hit held, in the order of keeping, from 0
	next     int // number of the next one kept
	over     bool
	blocks   [][]evidence.Hit // all full to their capacity, but for the last
	servers  map[evidence.Server]evidence.Server
	progress Progress
}

func newTape() *tape {
	return &tape{servers: map[evidence.Server]evidence.Server{}, progress: Progress{ByVersion: map[string]int{}}}
}

func (t *tape) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress.Sent++
}

// keep adds a hit; trouble is the error behind it when that is of no known type, else nil.
func (t *tape) keep(h evidence.Hit, trouble error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h.By = t.known(h.By)
	last := len(t.blocks) - 1
	if last < 0 || len(t.blocks[last]) == cap(t.blocks[last]) {
		t.blocks = append(t.blocks, make([]evidence.Hit, 0, hitsPerBlock))
		last++
	}
	t.blocks[last] = append(t.blocks[last], h)
	t.next++
	if h.Failed() {
		t.progress.Failed++
	} else {
		t.progress.ByVersion[h.By.Version]++
	}
	if trouble != nil && t.progress.Trouble == "" {
		t.progress.Trouble = trouble.Error()
	}
}

// end says that no more hits will come.
func (t *tape) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// since gives the hits from number n on, up to a full frame, and forgets those below.
func (t *tape) since(n int) (store.Frame[evidence.Hit], error) {
	parts, end, err := t.take(n)
	if err != nil {
		return store.Frame[evidence.Hit]{}, err
	}
	return store.Frame[evidence.Hit]{First: n, Records: slices.Concat(parts...), End: end}, nil
}

// take is since without the copying, for which nobody should have to wait: what is in a block stays as it is.
func (t *tape) take(n int) (parts [][]evidence.Hit, end bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case n < t.first:
		return nil, false, fmt.Errorf("%w: hits below %d", errForgotten, t.first)
	case n > t.next:
		return nil, false, fmt.Errorf("no hit %d: there are %d so far", n, t.next)
	}
	t.forget(n)
	room := HitsPerFrame
	for _, block := range t.blocks {
		part := block[:min(room, len(block))]
		parts = append(parts, part)
		if room -= len(part); room == 0 {
			break
		}
	}
	return parts, t.over && n+HitsPerFrame-room == t.next, nil
}

// forget lets go of the hits below n, which are at most those kept.
func (t *tape) forget(n int) {
	for t.first < n {
		block := t.blocks[0]
		gone := min(n-t.first, len(block))
		t.first += gone
		if t.blocks[0] = block[gone:]; gone == cap(block) {
			t.blocks = slices.Delete(t.blocks, 0, 1)
		}
	}
}

func (t *tape) soFar() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.progress
	p.ByVersion = maps.Clone(p.ByVersion)
	return p
}

// known is the server with the strings it was first seen with, so that the thousand hits of one pod share one
// copy of its name.
func (t *tape) known(s evidence.Server) evidence.Server {
	if known, ok := t.servers[s]; ok {
		return known
	}
	t.servers[s] = s
	return s
}
