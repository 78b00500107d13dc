package loadgen

import (
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"rollcall/harness/evidence"
)

// A block is one record of a download of hits: some hits, or the terminal record that says how many there were.
type block struct {
	Hits  []evidence.Hit
	Last  bool
	Total int // hits in all blocks; only in the last one
}

// hitsPerBlock bounds what the two ends hold twice.
const hitsPerBlock = 1024

// writeHits writes tapes as gzipped gob blocks, ended by a terminal record.
func writeHits(w io.Writer, tapes ...[]evidence.Hit) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	enc := gob.NewEncoder(zip)
	total := 0
	for _, hits := range tapes {
		total += len(hits)
		for len(hits) > 0 {
			n := min(len(hits), hitsPerBlock)
			if err := enc.Encode(block{Hits: hits[:n]}); err != nil {
				return err
			}
			hits = hits[n:]
		}
	}
	if err := enc.Encode(block{Last: true, Total: total}); err != nil {
		return err
	}
	return zip.Close()
}

// readHits reads what writeHits wrote, all of it or an error: a stream that stops early, says less than its
// terminal record or goes on after it is never a shorter list.
func readHits(r io.Reader) ([]evidence.Hit, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, truncated(err)
	}
	dec := gob.NewDecoder(zip)
	var hits []evidence.Hit
	known := names{}
	for {
		var b block
		if err := dec.Decode(&b); err != nil {
			return nil, fmt.Errorf("after %d hits: %w", len(hits), truncated(err))
		}
		if b.Last {
			if b.Total != len(hits) {
				return nil, fmt.Errorf("got %d hits of %d", len(hits), b.Total)
			}
			break
		}
		for _, h := range b.Hits {
			hits = append(hits, known.intern(h))
		}
	}
	// Reading on to the end has the checksum verified.
	switch err := dec.Decode(new(block)); {
	case err == nil:
		return nil, errors.New("records after the terminal one")
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("after %d hits: %w", len(hits), err)
	}
	return hits, nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
