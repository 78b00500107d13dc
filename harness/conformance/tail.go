package conformance

import (
	"bytes"
	"io"
	"slices"
)

// A tail passes on what is written to it, and remembers the last lines.
type tail struct {
	to    io.Writer
	lines int
	last  []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.last = append(t.last, text...)
	if all := bytes.SplitAfter(t.last, []byte("\n")); len(all) > t.lines+1 {
		t.last = slices.Concat(all[len(all)-t.lines-1:]...)
	}
	return t.to.Write(text)
}

func (t *tail) String() string { return string(bytes.TrimRight(t.last, "\n")) }
