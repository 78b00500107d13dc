package loadgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// A laneLog keeps on a spool what the next process of the agent has to know of a lane: the number of each request before it is
// sent, and each hit, with one write each. The caller holds the buffer's lock.
type laneLog struct {
	sentRequests
	spool    *spool
	lane     int // its index in the order
	file     *os.File
	segments []segment // ascending; the last one is written to
	next     int       // number of the next hit
	last     place     // where the last answer from the spool ended
	trouble  string    // the lane's first; empty: none
	err      error     // the first error; nothing is written after it
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

// newLane begins the log of a lane.
func (s *spool) newLane(lane int) (*laneLog, error) {
	l := &laneLog{spool: s, lane: lane, sentRequests: newSentRequests(0)}
	return l, l.roll()
}

// findLane opens the log that an earlier process wrote. Before anything else is written, resume has to be called.
func (s *spool) findLane(lane int) (l *laneLog, err error) {
	l = &laneLog{spool: s, lane: lane, sentRequests: newSentRequests(0)}
	if l.segments, err = segmentsOf(s.dir, lane); err != nil {
		return nil, err
	}
	for _, found := range l.segments {
		s.used.Add(found.size)
	}
	headed := false
	for !headed && len(l.segments) > 0 {
		newest := l.segments[len(l.segments)-1]
		if headed, err = l.replay(newest); err != nil {
			return nil, err
		}
		if !headed { // its head did not reach the disk
			l.segments = l.segments[:len(l.segments)-1]
			s.used.Add(-newest.size)
			if err := os.Remove(newest.path); err != nil {
				return nil, err
			}
		}
	}
	if !headed {
		return nil, fmt.Errorf("lane %d has no segment", lane)
	}
	return l, nil
}

// replay reads a segment into the log; headed reports whether it has a head.
func (l *laneLog) replay(s segment) (headed bool, err error) {
	err = s.lines(0, func(found line) (bool, error) {
		switch found.kind {
		case "b":
			var head segmentHead
			if err := json.Unmarshal(found.text, &head); err != nil {
				return false, err
			}
			headed = true
			l.sentRequests = newSentRequests(head.Unsent)
			for _, seq := range head.Ahead {
				l.ahead[seq] = true
			}
			for _, seq := range head.Open {
				l.open[seq] = true
			}
			l.next, l.trouble = head.First, head.Trouble
		case "s":
			seq, err := strconv.ParseUint(string(found.text), 10, 64)
			if err != nil {
				return false, err
			}
			l.sent(seq)
		case "h":
			var h evidence.Hit
			if err := json.Unmarshal(found.text, &h); err != nil {
				return false, err
			}
			l.next++
			delete(l.open, h.Seq)
		case "t":
			l.trouble = string(found.text)
		default:
			return false, fmt.Errorf("a line of kind %q", found.kind)
		}
		return true, nil
	})
	return headed, err
}

// resume continues from a request's number; earlier requests without an outcome get none any more.
func (l *laneLog) resume(unsent uint64) error {
	l.sentRequests = newSentRequests(unsent)
	return l.roll()
}

// roll begins the next segment.
func (l *laneLog) roll() error {
	head, err := json.Marshal(segmentHead{l.next, l.unsent, sorted(l.ahead), sorted(l.open), l.trouble})
	if err != nil {
		return l.fail(err)
	}
	path := segmentPath(l.spool.dir, l.lane, l.next)
	if n := len(l.segments); n > 0 && l.segments[n-1].path == path { // it has no hit: replace it
		l.spool.used.Add(-l.segments[n-1].size)
		l.segments = l.segments[:n-1]
	}
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return l.fail(err)
	}
	l.close()
	l.file, l.segments = file, append(l.segments, segment{path: path, first: l.next})
	if err := l.write("b", head); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return l.fail(err)
	}
	return nil
}

// noteSent logs that a request is about to be sent.
func (l *laneLog) noteSent(seq uint64) error {
	l.sent(seq)
	return l.write("s", strconv.AppendUint(nil, seq, 10))
}

// noteHit logs a hit.
func (l *laneLog) noteHit(h evidence.Hit, encoded []byte) error {
	if l.err == nil && l.next-l.segments[len(l.segments)-1].first == hitsPerSegment {
		if err := l.roll(); err != nil {
			return err
		}
	}
	if err := l.write("h", encoded); err != nil {
		return err
	}
	delete(l.open, h.Seq)
	l.next++
	return nil
}

// noteTrouble logs the lane's first trouble.
func (l *laneLog) noteTrouble(text string) {
	l.trouble = text
	_ = l.write("t", []byte(text)) // it is in memory too
}

func (l *laneLog) write(kind string, text []byte) error {
	if l.err != nil {
		return l.err
	}
	line := store.AppendLine(nil, append([]byte(kind+" "), text...))
	size := int64(len(line))
	if l.spool.used.Add(size) > l.spool.limit {
		l.spool.used.Add(-size)
		return l.fail(fmt.Errorf("it is full: %d MiB of hits were not fetched", l.spool.limit>>20))
	}
	l.segments[len(l.segments)-1].size += size
	if _, err := l.file.Write(line); err != nil {
		return l.fail(err)
	}
	return nil
}

func (l *laneLog) fail(err error) error {
	if l.err == nil {
		l.err = fmt.Errorf("its spool cannot be written: %w", err)
	}
	return l.err
}

// forget drops the segments whose hits are all below n, and returns them to be removed.
func (l *laneLog) forget(n int) (gone []segment) {
	for len(l.segments) > 1 && l.segments[1].first <= n {
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

// placeOf returns where to look for a hit.
func (l *laneLog) placeOf(n int) place {
	if l.last.hit == n {
		return l.last
	}
	return place{hit: n}
}

func (l *laneLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}

func sorted(set map[uint64]bool) []uint64 { return slices.Sorted(maps.Keys(set)) }
