package loadgen

import (
	"encoding/binary"
	"strings"
)

// A FrameReader finds GOAWAY among the frames that a server sends (RFC 9113, 4.1 and 6.8).
type FrameReader struct {
	any  bool // a frame was found
	code int  // of the last GOAWAY
	head [frameHead + goAwayHead]byte
	got  int // bytes of head
	skip int // bytes of the frame that follow
}

// A frame begins with its length, its type and its stream; the payload of GOAWAY with the last stream and a code.
const (
	frameHead   = 9
	goAwayFrame = 7
	goAwayHead  = 8
)

// Look looks at the next bytes that a server sends: whether GOAWAY is among them, or they begin as a reply of HTTP/1, after which there is
// nothing to look at.
func (r *FrameReader) Look(p []byte) (told, foreign bool) {
	for len(p) > 0 {
		if skipped := min(r.skip, len(p)); skipped > 0 {
			r.skip, p = r.skip-skipped, p[skipped:]
			continue
		}
		want := frameHead
		if r.got >= frameHead { // a GOAWAY
			want += goAwayHead
		}
		n := copy(r.head[r.got:want], p)
		r.got, p = r.got+n, p[n:]
		if r.got < want {
			break
		}
		if !r.any && strings.HasPrefix(string(r.head[:]), "HTTP/1.") {
			return false, true
		}
		r.any = true
		length := int(r.head[0])<<16 | int(r.head[1])<<8 | int(r.head[2])
		switch {
		case want > frameHead:
			told, r.code = true, int(binary.BigEndian.Uint32(r.head[frameHead+4:])&0x7fffffff)
			length -= goAwayHead
		case r.head[3] == goAwayFrame && length >= goAwayHead:
			continue
		}
		r.skip, r.got = length, 0
	}
	return told, false
}
