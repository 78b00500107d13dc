package store

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence/framelog"
)

// extentBytes is about how long an extent gets, some 4,000 records.
const extentBytes = 1 << 20

// extents says where the records of each lane are in a segment.
type extents map[string][]extent

// An extent is a range of a segment, and the least number of its records of a lane.
type extent struct {
	at, size int64
	least    uint64
}

// note adds the range of a frame or more.
func note[R any](to extents, at, size int64, records []R, of recordType[R]) {
	for _, r := range records {
		k := of.key(r)
		known := to[k.lane]
		if len(known) == 0 {
			known = append(known, extent{at, 0, k.seq})
		}
		last := &known[len(known)-1]
		switch end := last.at + last.size; {
		case end == at+size: // noted for an earlier record
			last.least = min(last.least, k.seq)
		case end == at && last.size < extentBytes:
			last.size, last.least = last.size+size, min(last.least, k.seq)
		default:
			known = append(known, extent{at, size, k.seq})
		}
		to[k.lane] = known
	}
}

// readExtents yields the records of a segment, by lane and number. A lane's records come nearly in order: in memory are those
// whose number is not below that of an extent that is still to be read.
func readExtents[R any](in io.ReaderAt, all extents, of recordType[R], yield func(R, error) bool) error {
	var log []byte
	for _, lane := range slices.Sorted(maps.Keys(all)) {
		list := slices.Clone(all[lane])
		slices.SortStableFunc(list, func(a, b extent) int { return cmp.Compare(a.least, b.least) })
		var waiting []R
		enough := mostWaiting // to sort: else each small extent would sort again what waits
		for i, e := range list {
			log = slices.Grow(log[:0], int(e.size))[:e.size]
			if _, err := in.ReadAt(log, e.at); err != nil {
				return fmt.Errorf("byte %d: %w", e.at, err)
			}
			for f, err := range framelog.ReadFrom(bytes.NewReader(log)) {
				var r R
				var has bool
				if err == nil {
					r, has, err = of.decode(f)
				}
				if err != nil {
					return fmt.Errorf("byte %d: %w", e.at, err)
				}
				if has && of.key(r).lane == lane {
					waiting = append(waiting, r)
				}
			}
			last := i == len(list)-1
			if !last && len(waiting) < enough {
				continue
			}
			slices.SortStableFunc(waiting, func(a, b R) int { return of.compare(&a, &b) })
			done := len(waiting)
			if !last {
				done, _ = slices.BinarySearchFunc(waiting, list[i+1].least, func(r R, seq uint64) int { return cmp.Compare(of.key(r).seq, seq) })
			}
			for _, r := range waiting[:done] {
				if !yield(r, nil) {
					return nil
				}
			}
			waiting = append(waiting[:0], waiting[done:]...)
			enough = max(mostWaiting, 2*len(waiting))
		}
	}
	return nil
}
