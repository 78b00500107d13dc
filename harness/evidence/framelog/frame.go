// Package framelog has the one format of what is logged during a recording: by an agent on its node, on the way from there, and in
// the run folder. A log is whole up to where the process that wrote it was killed.
package framelog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
)

// A Frame is a line of a log, written at once:
//
//	the CRC-32C of the kind and the text, 8 hexadecimal digits
//	a space, the kind, the text, and the end of the line
//
// A line that was cut off does not count.
type Frame struct {
	Kind Kind
	Text []byte
	Line []byte // all of it, or what there is of a frame that is not whole
}

// sumLength is the number of bytes before the kind.
const sumLength = 9

// ErrDamaged is wrapped by errors about data that is not as it was written.
var ErrDamaged = errors.New("damaged")

// Append appends a frame to a log. Its text must not contain a newline.
func Append(log []byte, kind Kind, text []byte) []byte {
	begin := len(log)
	log = append(append(append(log, "12345678 "...), byte(kind)), text...)
	appendSum(log[:begin], log[begin+sumLength:])
	return append(log, '\n')
}

// ReadFrom reads the frames of a log. The error comes with the frame that is not whole, after which nothing is read: it is
// io.ErrUnexpectedEOF for one that was cut off, and wraps ErrDamaged for bytes that are not a frame.
func ReadFrom(r io.Reader) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for in, more := bufio.NewReader(r), true; more; {
			line, err := in.ReadBytes('\n')
			f := Frame{Line: line}
			switch {
			case errors.Is(err, io.EOF) && len(line) == 0:
				return
			case errors.Is(err, io.EOF):
				err = io.ErrUnexpectedEOF
			case err == nil:
				err = f.parse()
			}
			more = yield(f, err) && err == nil
		}
	}
}

func (f *Frame) parse() error {
	begin, end := min(sumLength, len(f.Line)-1), len(f.Line)-1
	body := f.Line[begin:end]
	switch want := appendSum(make([]byte, 0, sumLength), body); {
	case !bytes.Equal(f.Line[:begin], want):
		return fmt.Errorf("%w: checksum %.8q, want %.8s", ErrDamaged, f.Line[:begin], string(want))
	case len(body) == 0:
		return fmt.Errorf("%w: a frame without a kind", ErrDamaged)
	}
	f.Kind, f.Text = Kind(body[0]), body[1:]
	return nil
}

// appendSum appends what is before a kind and a text.
func appendSum(to, body []byte) []byte {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(hex.AppendEncode(to, sum[:]), ' ')
}
