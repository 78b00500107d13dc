package loadgen

import (
	"bytes"
	"strconv"
)

// A simpleReply is a reply of the form that the echo app sends: every header at most once and in its canonical case, and a body of
// a known length. net/http reads it with the same result, at several times the cost.
type simpleReply struct {
	reply
	header, body int  // lengths in bytes
	last         bool // on its connection
}

// parseSimple parses what was received so far; ok is false if that is not a simple reply, or not yet.
func parseSimple(received []byte) (b simpleReply, ok bool) {
	end := bytes.Index(received, []byte("\r\n\r\n"))
	if end < 0 {
		return b, false
	}
	first, rest, _ := bytes.Cut(received[:end+2], []byte("\r\n"))
	if b.status, ok = simpleStatus(first); !ok {
		return b, false
	}
	b.header, b.body = end+4, -1
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(": "))
		if !isText(value) || !b.add(name, value) {
			return b, false
		}
	}
	return b, b.body >= 0
}

// simpleStatus returns the status in a line like "HTTP/1.1 200 OK"; ok is false for a status whose reply has no body.
func simpleStatus(line []byte) (status int, ok bool) {
	after, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(after) < 4 || after[3] != ' ' || !isText(after[4:]) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(after[:3]), 10, 16)
	return int(n), err == nil && n >= 200 && n != 204 && n != 304
}

// add takes over a header, and reports whether a simple reply may have it.
func (b *simpleReply) add(name, value []byte) bool {
	var to *string
	switch string(name) {
	case "Date", "Content-Type":
		return true
	case "Connection":
		b.last = string(value) == "close"
		return b.last
	case "Content-Length":
		n, err := strconv.ParseUint(string(value), 10, 31)
		once := b.body < 0
		b.body = int(n)
		return err == nil && once
	case serviceHeader:
		to = &b.service
	case versionHeader:
		to = &b.by.Version
	case podHeader:
		to = &b.by.Pod
	case nodeHeader:
		to = &b.by.Node
	default:
		return false
	}
	once := *to == ""
	*to = string(value)
	return once
}

// isText reports whether a value is printable ASCII without a space at either end, which net/http takes as it is.
func isText(value []byte) bool {
	for _, c := range value {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(value) > 0 && value[0] != ' ' && value[len(value)-1] != ' '
}
