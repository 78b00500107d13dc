package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A line is how records are stored during a recording, and sent by agents: one write of
//
//	the CRC-32C of the text, 8 hexadecimal digits
//	a space, the text, and the end of the line
//
// A line that was cut off does not count.

// sumLength is the number of bytes before the text of a line.
const sumLength = 9

// ErrDamaged is wrapped by errors about data that is not as it was written.
var ErrDamaged = errors.New("damaged")

// AppendLine appends the line of a text, which must not contain a newline.
func AppendLine(to, text []byte) []byte {
	return append(append(append(to, checksum(text)...), text...), '\n')
}

// ReadLine reads a line and returns its text and its size in bytes. The error is io.EOF where no line begins, io.ErrUnexpectedEOF
// where one is cut off, and wraps ErrDamaged for bytes that are not a line.
func ReadLine(r *bufio.Reader) (text []byte, size int, err error) {
	line, err := r.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, len(line), io.ErrUnexpectedEOF
	case err != nil:
		return nil, len(line), err
	}
	begin := min(sumLength, len(line)-1)
	text = line[begin : len(line)-1]
	if want := checksum(text); !bytes.Equal(line[:begin], want) {
		return nil, len(line), fmt.Errorf("%w: checksum %.8q, want %.8s", ErrDamaged, line[:begin], want)
	}
	return text, len(line), nil
}

func checksum(text []byte) []byte {
	return fmt.Appendf(nil, "%08x ", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}
