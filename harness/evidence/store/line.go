package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A line is how evidence is kept while it comes in, and how it is handed over: one write of
//
//	the CRC-32C of the text, 8 hexadecimal digits
//	a space, the text, and the end of the line
//
// A line that was cut off is none.

// sumLength is how many bytes of a line are before its text.
const sumLength = 9

// ErrDamaged is what reading a line that is not what was written wraps.
var ErrDamaged = errors.New("damaged")

// AppendLine appends the line of a text that has no ends of lines.
func AppendLine(to, text []byte) []byte {
	return append(append(append(to, checksum(text)...), text...), '\n')
}

// ReadLine reads a line, and says how many bytes that were. The error is io.EOF where no line begins, io.ErrUnexpectedEOF where one is cut
// off, and wraps ErrDamaged for bytes that are not a line.
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
