package store

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// frames says where the frames of each lane are in a segment.
type frames map[string][]frameAt

// A frameAt is the place of a frame, in bytes, and the least number of its records of a lane.
type frameAt struct {
	at    int64
	least uint64
}

// note adds a frame. Its records are of one lane, unless an earlier build wrote it.
func note[R any](to frames, at int64, records []R, of recordType[R]) {
	for _, r := range records {
		k := of.key(r)
		known := to[k.lane]
		if n := len(known); n > 0 && known[n-1].at == at {
			known[n-1].least = min(known[n-1].least, k.seq)
		} else {
			to[k.lane] = append(known, frameAt{at, k.seq})
		}
	}
}

// readFrames yields the records of a segment of a size, by lane and number. A lane's records come nearly in order: in memory are those
// whose number is not below that of a frame that is still to be read.
func readFrames[R any](in io.ReaderAt, size int64, all frames, of recordType[R], yield func(R, error) bool) error {
	for _, lane := range slices.Sorted(maps.Keys(all)) {
		list := slices.Clone(all[lane])
		slices.SortStableFunc(list, func(a, b frameAt) int { return cmp.Compare(a.least, b.least) })
		var waiting []R
		enough := frameRecords // to sort: else each small frame would sort again what waits
		for i, frame := range list {
			f, _, err := ReadFrame[R](bufio.NewReader(io.NewSectionReader(in, frame.at, size-frame.at)))
			if err != nil {
				return fmt.Errorf("byte %d: %w", frame.at, err)
			}
			for _, r := range f.Records {
				if of.key(r).lane == lane {
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
			enough = max(frameRecords, 2*len(waiting))
		}
	}
	return nil
}
