package loadgen

import (
	"bytes"
	"strconv"
)

// A simple reply is one of the shape that the app gives: every header once, in the usual case, and a body of a length
// that is said. net/http reads it alike, at several times the cost.
type simpleReply struct {
	reply
	header, body int  // lengths in bytes
	last         bool // on its connection
}

// parseSimple parses what was received so far; not ok is what is not a simple reply, or not yet.
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

// simpleStatus is the status of "HTTP/1.1 200 OK", when that is one of a reply with a body.
func simpleStatus(line []byte) (status int, ok bool) {
	after, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(after) < 4 || after[3] != ' ' || !isText(after[4:]) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(after[:3]), 10, 16)
	return int(n), err == nil && n >= 200 && n != 204 && n != 304
}

// add tells whether the header may be one of a simple reply.
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

// isText reports whether a value is of printable ASCII, with no space at its ends: net/http takes it as it is.
func isText(value []byte) bool {
	for _, c := range value {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(value) > 0 && value[0] != ' ' && value[len(value)-1] != ' '
}
