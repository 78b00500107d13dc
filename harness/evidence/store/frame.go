package store

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// A Frame is a batch of records on its way, a line of JSON: in a segment on disk, or from an agent to the recorder. First makes a missing
// or repeated frame visible.
type Frame[R any] struct {
	First   int  `json:"first"` // number of the first record, from 0, over all frames
	Records []R  `json:"records,omitempty"`
	End     bool `json:"end,omitempty"` // no record follows; First plus those in this frame is how many there were
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

// ReadFrame reads one frame, and says how many bytes that were. The error is that of [ReadLine].
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
