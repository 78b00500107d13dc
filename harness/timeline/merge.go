package timeline

import (
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// merge walks both streams, which are sorted by lane and number, and gives each request to its lane's
// builder: a hit with its arrivals, or arrivals that have no hit. Strays are records of lanes that the run does
// not have; damaged is what could not be read.
func merge(hits evidence.Stream[evidence.Hit], arrivals evidence.Stream[evidence.Arrival], builders map[string]*builder,
	show func(evidence.Hit, error)) (strays, damaged []Problem) {
	h, a := read(hits), read(arrivals)
	strayHits, strayArrivals := make(map[string]int), make(map[string]int)
	var b *builder
	var at []evidence.Arrival // of one request; reused
	for h.record != nil || a.record != nil {
		var lane string
		var seq uint64
		if h.record != nil && (a.record == nil || comesFirst(h.record, a.record)) {
			lane, seq = h.record.Lane, h.record.Seq
		} else {
			lane, seq = a.record.Lane, a.record.Seq
		}
		if b == nil || b.lane.ID != lane {
			b.finish()
			b = builders[lane]
		}
		at = at[:0]
		for ; a.record != nil && a.record.Seq == seq && a.record.Lane == lane; a.next() {
			at = append(at, *a.record)
		}
		b.alignArrivals(at)
		if b == nil {
			strayArrivals[lane] += len(at)
		} else if h.record == nil || h.record.Seq != seq || h.record.Lane != lane {
			b.addUnsent(seq, len(at))
		}
		for ; h.record != nil && h.record.Seq == seq && h.record.Lane == lane; h.next() {
			if b == nil {
				strayHits[lane]++
			} else {
				b.add(h.record, at)
				show(*h.record, nil)
			}
		}
	}
	b.finish()
	if h.err != nil {
		show(evidence.Hit{}, h.err)
	}
	for _, kind := range []struct {
		name  string
		count map[string]int
		err   error
	}{{evidence.HitsFile, strayHits, h.err}, {evidence.ArrivalsFile, strayArrivals, a.err}} {
		if kind.err != nil {
			damaged = append(damaged, damage(evidence.Damage{File: kind.name, Text: kind.err.Error()}))
		}
		for _, id := range slices.Sorted(maps.Keys(kind.count)) {
			if n := kind.count[id]; n > 0 {
				strays = append(strays, strayRecords(kind.name, n, id))
			}
		}
	}
	return strays, damaged
}

func strayRecords(file string, n int, lane string) Problem {
	return problem(file, "%d records belong to lane %q, which the run does not have", n, lane)
}

// comesFirst reports whether a hit belongs to the same request as an arrival, or to an earlier one.
func comesFirst(h *evidence.Hit, a *evidence.Arrival) bool {
	if h.Lane != a.Lane {
		return h.Lane < a.Lane
	}
	return h.Seq <= a.Seq
}

// A cursor is a position in a stream. A goroutine decodes the stream ahead of it, and ends with it.
type cursor[R any] struct {
	record *R    // valid until next; nil at the end
	err    error // at the end: why the stream broke off

	left    []R // the rest of the batch, from record on
	batch   []R
	batches chan []R
	used    chan []R // batches to fill again
}

// batchSize is how many records are decoded at once; three batches are under way.
const batchSize = 1024

func read[R any](stream evidence.Stream[R]) *cursor[R] {
	c := &cursor[R]{batches: make(chan []R, 1), used: make(chan []R, 3)}
	if stream == nil {
		stream = func(func(R, error) bool) {}
	}
	for range cap(c.used) {
		c.used <- make([]R, 0, batchSize)
	}
	go func() {
		batch := <-c.used
		for r, err := range stream {
			if err != nil {
				c.err = err
				break
			}
			if batch = append(batch, r); len(batch) == batchSize {
				c.batches <- batch
				batch = (<-c.used)[:0]
			}
		}
		c.batches <- batch
		close(c.batches)
	}()
	c.next()
	return c
}

func (c *cursor[R]) next() {
	if len(c.left) > 0 {
		c.left = c.left[1:]
	}
	for len(c.left) == 0 {
		if c.batch != nil {
			c.used <- c.batch
		}
		var more bool
		if c.batch, more = <-c.batches; !more {
			c.record, c.batch = nil, nil
			return
		}
		c.left = c.batch
	}
	c.record = &c.left[0]
}
