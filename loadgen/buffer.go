package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// RangeBytes bounds a range, to some 900 requests: while an agent with one processor answers, every request of its lanes waits. A
// full range may leave frames for the next.
const RangeBytes = 256 << 10

// errForgotten is the error for frames that were dropped because later ones were asked for.
var errForgotten = errors.New("forgotten")

// errSpool is the error for frames on the spool that cannot be read.
var errSpool = errors.New("its spool cannot be read")

// A buffer holds the log of a lane until it is forgotten: on the spool, or as records in memory if there is no spool or it did not take
// them. Positions count bytes on the spool, and after that records in memory.
type buffer struct {
	mu        sync.Mutex
	first     int64      // position of what is not forgotten
	forgotten int        // records that were in memory
	records   []inMemory // in memory
	over      bool
	trouble   string      // the first; see [Status.Troubles]
	log       *laneLog    // on the spool; nil: there is none
	flushing  *time.Timer // of a batch of the log; nil: none is pending
	broken    func()      // called once when the log cannot be written; may be nil
}

// An inMemory is a record in memory: frames or, without any, a hit.
type inMemory struct {
	hit    evidence.Hit
	frames []byte // of other records, or that the spool did not take
}

func (r inMemory) appendTo(log []byte) []byte {
	if r.frames != nil {
		return append(log, r.frames...)
	}
	return framelog.Append(log, framelog.Hit, r.hit.AppendJSON(nil))
}

// spooled makes the buffer continue with the log of a lane.
func (b *buffer) spooled(log *laneLog) {
	b.log, b.first, b.trouble = log, log.segments[0].first, log.trouble
}

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
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log == nil || b.check(b.log.noteHit(h)) {
		b.keep(inMemory{hit: h})
	}
	if trouble != nil {
		b.fail(trouble)
	}
}

// addConnection adds what is known of a connection by now.
func (b *buffer) addConnection(c evidence.Connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log == nil || b.check(b.log.noteConnection(c)) {
		b.keep(inMemory{frames: framelog.Append(nil, framelog.Connection, encode(c))})
	}
}

// addEvent adds an event of the lane.
func (b *buffer) addEvent(e evidence.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log == nil || b.check(b.log.noteEvent(e)) {
		b.keep(inMemory{frames: framelog.Append(nil, framelog.Event, encode(e))})
	}
}

func (b *buffer) keep(r inMemory) {
	if len(b.records) == cap(b.records) { // in large steps: all records are copied
		b.records = slices.Grow(b.records, max(1000, len(b.records)))
	}
	b.records = append(b.records, r)
}

// numbered returns the highest number that a connection of the lane may have so far.
func (b *buffer) numbered() uint32 {
	if b.log == nil {
		return 0
	}
	return b.log.numbered
}

func encode(record any) []byte {
	text, _ := json.Marshal(record) // a record can always be encoded
	return text
}

// flush writes a batch of the log.
func (b *buffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushing = nil
	b.check(b.log.flush())
}

// check ends the lane if its log could not be written, since its hits would be lost with the process, and has what is pending written
// soon. It reports whether there was an error.
func (b *buffer) check(err error) (broken bool) {
	if err != nil && len(b.log.pending) > 0 {
		b.keep(inMemory{frames: b.log.pending})
		b.log.pending = nil
	}
	if len(b.log.pending) > 0 && b.flushing == nil && !b.over {
		b.flushing = time.AfterFunc(batchEvery, b.flush)
	}
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
	if b.flushing != nil {
		b.flushing.Stop()
	}
	if b.log != nil {
		b.check(b.log.flush())
		b.log.close()
	}
}

// from returns a range from a position on, up to RangeBytes or to the end of a segment, and forgets what is before it.
func (b *buffer) from(at int64) (Range, error) {
	var gone []segment
	defer func() { b.log.remove(gone) }() // after the lock is released: nobody should wait for a disk
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.log != nil && !b.over {
		b.check(b.log.flush())
	}
	switch end := b.inMemory() + int64(len(b.records)); {
	case at < b.first:
		return Range{}, fmt.Errorf("%w: what is before %d", errForgotten, b.first)
	case at > end:
		return Range{}, fmt.Errorf("nothing is at %d: the log ends at %d so far", at, end)
	}
	b.first = at
	if b.log != nil {
		gone = b.log.forget(at)
	}
	if at < b.inMemory() {
		return b.fromSpool(at)
	}
	read := int(at - b.inMemory())
	b.records, b.forgotten = b.records[read:], b.forgotten+read
	r := Range{From: at, Next: at}
	for _, record := range b.records {
		if len(r.Log) >= RangeBytes {
			break
		}
		r.Log = record.appendTo(r.Log)
		r.Next++
	}
	r.End = b.isEnd(r.Next)
	return r, nil
}

// fromSpool returns a range that is not in memory. It releases the lock while it reads.
func (b *buffer) fromSpool(at int64) (Range, error) {
	segment, next := b.log.find(at)
	b.mu.Unlock()
	log, err := segment.read(next)
	b.mu.Lock()
	if err != nil {
		return Range{}, fmt.Errorf("%w: %w", errSpool, err)
	}
	next += int64(len(log))
	return Range{Log: log, From: at, Next: next, End: b.isEnd(next)}, nil
}

// inMemory returns the position of the first record in memory.
func (b *buffer) inMemory() int64 {
	if b.log == nil {
		return int64(b.forgotten)
	}
	return b.log.end() + int64(b.forgotten)
}

// isEnd reports whether nothing will be at a position.
func (b *buffer) isEnd(at int64) bool { return b.over && at == b.inMemory()+int64(len(b.records)) }

// firstTrouble returns the lane's first trouble; empty: none.
func (b *buffer) firstTrouble() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trouble
}
