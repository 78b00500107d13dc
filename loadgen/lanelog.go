package loadgen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// A laneLog is the log of a lane on a spool. It has what the next process of the agent has to know: the number of each request before
// it is sent, each hit, and whatever is new of a connection, with one write each, or one for a batch; and events. A position is a number of
// bytes before it. The caller holds the buffer's lock.
type laneLog struct {
	sentRequests
	openConnections
	spool     *spool
	lane      int // its index in the order
	batch     int // the most requests whose frames are written together; 0: each frame is written at once
	file      *os.File
	segments  []segment // ascending; the last one is written to
	pending   []byte    // frames that are not written yet
	unflushed int       // requests in pending
	encoded   []byte    // the last hit
	trouble   string    // the lane's first; empty: none
	err       error     // the first error; nothing is written after it
}

// batchEvery is how long frames of a batch wait at most, if the processor is free: a process that is killed loses no more than that.
const batchEvery = 100 * time.Millisecond

// batchOf returns how many requests a batch has at most, in a lane: those of batchEvery, and one. 0: its protocol has no batches.
func batchOf(lane evidence.Lane) int {
	if !protocols[lane.Protocol].batched {
		return 0
	}
	return 1 + int(time.Duration(lane.Rate)*batchEvery/time.Second)
}

// sentRequests are the requests of a lane that were sent, and those of them that have no outcome yet.
type sentRequests struct {
	unsent uint64          // number below which all were sent
	ahead  map[uint64]bool // numbers above unsent that were sent
	open   map[uint64]bool
}

func newSentRequests(unsent uint64) sentRequests {
	return sentRequests{unsent: unsent, ahead: map[uint64]bool{}, open: map[uint64]bool{}}
}

func (s *sentRequests) sent(seq uint64) {
	s.open[seq] = true
	s.ahead[seq] = true
	for s.ahead[s.unsent] {
		delete(s.ahead, s.unsent)
		s.unsent++
	}
}

// openConnections are the connections of a lane that have no end yet.
type openConnections struct {
	alive    map[uint32]evidence.Connection // by number
	numbered uint32                         // the highest number there may be
}

func newOpenConnections(numbered uint32, alive []evidence.Connection) openConnections {
	o := openConnections{alive: map[uint32]evidence.Connection{}, numbered: numbered}
	for _, c := range alive {
		o.noted(c)
	}
	return o
}

func (o *openConnections) noted(c evidence.Connection) {
	o.alive[c.Number], o.numbered = c, max(o.numbered, c.Number)
	if c.End != "" {
		delete(o.alive, c.Number)
	}
}

// newLane begins the log of a lane.
func (s *spool) newLane(lane, batch int) (*laneLog, error) {
	l := s.laneLog(lane, batch)
	return l, l.roll(0)
}

func (s *spool) laneLog(lane, batch int) *laneLog {
	return &laneLog{spool: s, lane: lane, batch: batch, sentRequests: newSentRequests(0), openConnections: newOpenConnections(0, nil)}
}

// findLane opens the log that an earlier process wrote. Before anything else is written, resume has to be called.
func (s *spool) findLane(lane, batch int) (l *laneLog, err error) {
	l = s.laneLog(lane, batch)
	if l.segments, err = segmentsOf(s.dir, lane); err != nil {
		return nil, err
	}
	headed := false
	for !headed && len(l.segments) > 0 {
		newest := &l.segments[len(l.segments)-1]
		if headed, err = l.replay(newest); err != nil {
			return nil, err
		}
		if !headed { // its head did not reach the disk
			l.segments = l.segments[:len(l.segments)-1]
			if err := os.Remove(newest.path); err != nil {
				return nil, err
			}
		}
	}
	if !headed {
		return nil, fmt.Errorf("lane %d has no segment", lane)
	}
	for _, found := range l.segments {
		s.used.Add(found.size)
	}
	return l, nil
}

// replay reads a segment into the log, and cuts off a frame that is not whole; headed reports whether it has a head.
func (l *laneLog) replay(s *segment) (headed bool, err error) {
	log, err := os.ReadFile(s.path)
	if err != nil {
		return false, err
	}
	s.size = 0
	for f, err := range framelog.ReadFrom(bytes.NewReader(log)) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err == nil {
			err = l.take(f)
		}
		if err != nil {
			return false, fmt.Errorf("%s: byte %d: %w", filepath.Base(s.path), s.size, err)
		}
		headed = headed || f.Kind == framelog.Head
		s.size += int64(len(f.Line))
	}
	return headed, os.Truncate(s.path, s.size)
}

// take takes a frame that an earlier process wrote.
func (l *laneLog) take(f framelog.Frame) error {
	switch f.Kind {
	case framelog.Head:
		var head segmentHead
		if err := json.Unmarshal(f.Text, &head); err != nil {
			return err
		}
		l.sentRequests, l.openConnections = newSentRequests(head.Unsent), newOpenConnections(head.Numbered, head.Connections)
		for _, seq := range head.Ahead {
			l.ahead[seq] = true
		}
		for _, seq := range head.Open {
			l.open[seq] = true
		}
		l.trouble = head.Trouble
	case framelog.Sent:
		seq, err := strconv.ParseUint(string(f.Text), 10, 64)
		if err != nil {
			return err
		}
		l.sent(seq)
	case framelog.Hit:
		var h evidence.Hit
		if err := json.Unmarshal(f.Text, &h); err != nil {
			return err
		}
		delete(l.open, h.Seq)
	case framelog.Connection:
		var c evidence.Connection
		if err := json.Unmarshal(f.Text, &c); err != nil {
			return err
		}
		l.noted(c)
	case framelog.Trouble:
		l.trouble = string(f.Text)
	case framelog.Event:
	default:
		return fmt.Errorf("a frame of kind %q", f.Kind)
	}
	return nil
}

// numbersLeftOut is how many numbers of connections a node may have lost with its power, at most.
const numbersLeftOut = 1 << 20

// unknown lists the requests that an earlier process may have sent and of which the log has no outcome, and returns the number from which
// on it has sent none. A batch may have been lost.
func (l *laneLog) unknown() (seqs []uint64, from uint64) {
	from = l.unsent + uint64(l.batch)
	open := maps.Clone(l.open)
	for seq := l.unsent; seq < from; seq++ {
		if !l.ahead[seq] {
			open[seq] = true
		}
	}
	return sorted(open), from
}

// resume continues from a request's number, at a time since the run began; earlier requests without an outcome get none any more, and
// connections have ended. A node that lost power may have lost frames that were fetched: it begins where no position, and no number of a
// connection, can be one of theirs.
func (l *laneLog) resume(unsent uint64, now time.Duration) error {
	killed := l.alive
	l.sentRequests, l.openConnections = newSentRequests(unsent), newOpenConnections(l.numbered+numbersLeftOut, nil)
	if err := l.roll(l.end() + l.spool.limit); err != nil {
		return err
	}
	for _, number := range sorted(killed) {
		c := killed[number]
		c.Ended, c.End = now, evidence.EndAgent
		if err := l.noteConnection(c); err != nil {
			return err
		}
	}
	return nil
}

// roll begins the next segment, at a position.
func (l *laneLog) roll(first int64) error {
	head, err := json.Marshal(l.head())
	if err != nil {
		return l.fail(err)
	}
	path := segmentPath(l.spool.dir, l.lane, first)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return l.fail(err)
	}
	l.close()
	l.file, l.segments = file, append(l.segments, segment{path: path, first: first})
	if err := l.write(framelog.Head, head); err != nil {
		return err
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return l.fail(err)
	}
	return nil
}

func (l *laneLog) head() segmentHead {
	h := segmentHead{Unsent: l.unsent, Ahead: sorted(l.ahead), Open: sorted(l.open), Numbered: l.numbered, Trouble: l.trouble}
	for _, number := range sorted(l.alive) {
		h.Connections = append(h.Connections, l.alive[number])
	}
	return h
}

// noteSent logs that a request is about to be sent.
func (l *laneLog) noteSent(seq uint64) error {
	l.sent(seq)
	if l.batch > 0 && l.unflushed == l.batch {
		if err := l.flush(); err != nil {
			return err
		}
	}
	l.unflushed++
	return l.write(framelog.Sent, strconv.AppendUint(nil, seq, 10))
}

// noteHit logs a hit.
func (l *laneLog) noteHit(h evidence.Hit) error {
	l.encoded = h.AppendJSON(l.encoded[:0])
	if err := l.writeRecord(framelog.Hit, l.encoded); err != nil {
		return err
	}
	delete(l.open, h.Seq)
	return nil
}

// noteConnection logs what is known of a connection by now.
func (l *laneLog) noteConnection(c evidence.Connection) error {
	if err := l.writeRecord(framelog.Connection, encode(c)); err != nil {
		return err
	}
	l.noted(c)
	return nil
}

// noteEvent logs an event of the lane.
func (l *laneLog) noteEvent(e evidence.Event) error { return l.writeRecord(framelog.Event, encode(e)) }

// writeRecord writes a record, in the next segment if this one is long enough.
func (l *laneLog) writeRecord(kind framelog.Kind, text []byte) error {
	if last := l.segments[len(l.segments)-1]; l.err == nil && last.size+int64(len(l.pending)) >= segmentBytes {
		if err := l.flush(); err != nil {
			return err
		}
		if err := l.roll(l.end()); err != nil {
			return err
		}
	}
	return l.write(kind, text)
}

// noteTrouble logs the lane's first trouble.
func (l *laneLog) noteTrouble(text string) {
	l.trouble = text
	_ = l.write(framelog.Trouble, []byte(text)) // it is in memory too
}

func (l *laneLog) write(kind framelog.Kind, text []byte) error {
	if l.err != nil {
		return l.err
	}
	had := len(l.pending)
	l.pending = framelog.Append(l.pending, kind, text)
	size := int64(len(l.pending) - had)
	if l.spool.used.Add(size) > l.spool.limit {
		l.spool.used.Add(-size)
		l.pending = l.pending[:had]
		return l.fail(fmt.Errorf("it is full: %d MiB of hits were not fetched", l.spool.limit>>20))
	}
	if l.batch > 0 {
		return nil
	}
	err := l.flush()
	l.pending = l.pending[:0] // what could not be written, the caller has
	return err
}

// flush writes the frames that are not written yet. They stay pending if that fails.
func (l *laneLog) flush() error {
	if l.err != nil || len(l.pending) == 0 {
		return l.err
	}
	if _, err := l.file.Write(l.pending); err != nil {
		return l.fail(err)
	}
	l.segments[len(l.segments)-1].size += int64(len(l.pending))
	l.pending, l.unflushed = l.pending[:0], 0
	return nil
}

func (l *laneLog) fail(err error) error {
	if l.err == nil {
		l.err = fmt.Errorf("its spool cannot be written: %w", err)
	}
	return l.err
}

// forget drops the segments before that of a position, and returns them to be removed.
func (l *laneLog) forget(at int64) (gone []segment) {
	for len(l.segments) > 1 && l.segments[1].first <= at {
		gone = append(gone, l.segments[0])
		l.segments = l.segments[1:]
	}
	return gone
}

// remove deletes the files of segments; the caller need not hold the lock.
func (l *laneLog) remove(gone []segment) {
	for _, g := range gone {
		if os.Remove(g.path) == nil {
			l.spool.used.Add(-g.size)
		}
	}
}

// end returns the position of the next frame.
func (l *laneLog) end() int64 { return l.segments[len(l.segments)-1].end() }

// find returns the segment with what is next from a position on, and where in the log that is.
func (l *laneLog) find(at int64) (s segment, next int64) {
	i := slices.IndexFunc(l.segments, func(s segment) bool { return at < s.end() })
	return l.segments[i], max(at, l.segments[i].first)
}

func (l *laneLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}

func sorted[K cmp.Ordered, V any](set map[K]V) []K { return slices.Sorted(maps.Keys(set)) }
