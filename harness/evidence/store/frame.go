package store

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// A Frame is a batch of records as a line of JSON, in a segment on disk or from an agent to the recorder. First reveals a missing
// or repeated frame.
type Frame[R any] struct {
	First   int  `json:"first"` // number of the first record, from 0, over all frames
	Records []R  `json:"records,omitempty"`
	End     bool `json:"end,omitempty"` // no record follows: there are First plus len(Records) in all
}

// WriteFrame writes one frame in a single Write.
func WriteFrame[R any](w io.Writer, f Frame[R]) error {
	text, err := json.Marshal(f)
	if err == nil {
		_, err = w.Write(AppendLine(nil, text))
	}
	if err != nil {
		return fmt.Errorf("evidence: write frame: %w", err)
	}
	return nil
}

// ReadFrame reads one frame and returns its size in bytes. Its errors are those of [ReadLine].
func ReadFrame[R any](r *bufio.Reader) (f Frame[R], size int, err error) {
	text, size, err := ReadLine(r)
	if err != nil {
		return f, size, err
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return Frame[R]{}, size, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, size, nil
}
