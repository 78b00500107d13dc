package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A Frame is a batch of records on its way: in a segment on disk, or from an agent to the recorder.
// It is written as
//
//	length of the payload  4 bytes, little-endian
//	CRC-32C of the payload 4 bytes, little-endian
//	payload                the Frame as JSON
//
// First makes a missing or repeated frame visible.
type Frame[R any] struct {
	First   int  `json:"first"` // number of the first record, from 0, over all frames
	Records []R  `json:"records,omitempty"`
	End     bool `json:"end,omitempty"` // no record follows; First plus those in this frame is how many there were
}

// maxFrame bounds a payload, in bytes, so that a damaged length cannot ask for all memory.
const maxFrame = 64 << 20

// ErrDamaged is what reading a frame that is not what was written wraps.
var ErrDamaged = errors.New("damaged")

// WriteFrame writes one frame in a single Write.
func WriteFrame[R any](w io.Writer, f Frame[R]) error {
	payload, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("evidence: write frame: %w", err)
	}
	if len(payload) > maxFrame {
		return fmt.Errorf("evidence: write frame: %d bytes are more than %d", len(payload), maxFrame)
	}
	head := make([]byte, 0, 8+len(payload))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(payload)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(payload, castagnoli()))
	if _, err := w.Write(append(head, payload...)); err != nil {
		return fmt.Errorf("evidence: write frame: %w", err)
	}
	return nil
}

// ReadFrame reads one frame. The error is io.EOF where no frame begins, io.ErrUnexpectedEOF inside
// one, and wraps ErrDamaged for bytes that are not a frame.
func ReadFrame[R any](r io.Reader) (f Frame[R], err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length > maxFrame {
		return f, fmt.Errorf("%w: a frame of %d bytes", ErrDamaged, length)
	}
	payload, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err == nil && len(payload) < int(length) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return f, err
	}
	if got, want := crc32.Checksum(payload, castagnoli()), binary.LittleEndian.Uint32(head[4:]); got != want {
		return f, fmt.Errorf("%w: checksum %08x, want %08x", ErrDamaged, got, want)
	}
	if err := json.Unmarshal(payload, &f); err != nil {
		return Frame[R]{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
