package evidence

import (
	"encoding/json"
	"strconv"
)

// AppendJSON appends the hit to a text as [json.Marshal] encodes it, in a third of its time: a load generator encodes a hit for each reply.
func (h *Hit) AppendJSON(text []byte) []byte {
	o := jsonObject(append(text, '{'))
	o.text("lane", h.Lane)
	o.key("seq")
	o = strconv.AppendUint(o, h.Seq, 10)
	o.number("due", int64(h.Due))
	o.number("sent", int64(h.Sent))
	o.number("took", int64(h.Took))
	if h.By != (Server{}) {
		o.key("by")
		o = h.By.appendJSON(o)
	}
	o.numberNotZero("status", int64(h.Status))
	o.numberNotZero("attempts", int64(h.Attempts))
	o.numberNotZero("local_port", int64(h.LocalPort))
	o.ifTrue("reused", h.Reused)
	o.ifTrue("marked", h.Marked)
	o.numberNotZero("resent", int64(h.Resent))
	o.numberNotZero("handshake_us", int64(h.HandshakeMicros))
	o.numberNotZero("connection", int64(h.Connection))
	o.numberNotZero("first_us", int64(h.FirstMicros))
	o.numberNotZero("gap_us", int64(h.GapMicros))
	o.numberNotZero("tokens", int64(h.Tokens))
	o.numberNotZero("connect", int64(h.Connect))
	o.textNotEmpty("fault", string(h.Fault))
	return append(o, '}')
}

func (s *Server) appendJSON(text []byte) []byte {
	o := jsonObject(append(text, '{'))
	o.textNotEmpty("version", s.Version)
	o.textNotEmpty("pod", s.Pod)
	o.textNotEmpty("node", s.Node)
	return append(o, '}')
}

// A jsonObject is a text that ends in an object without its closing brace.
type jsonObject []byte

func (o *jsonObject) key(name string) {
	if last := (*o)[len(*o)-1]; last != '{' {
		*o = append(*o, ',')
	}
	*o = append(*o, '"')
	*o = append(*o, name...)
	*o = append(*o, `":`...)
}

func (o *jsonObject) number(name string, n int64) {
	o.key(name)
	*o = strconv.AppendInt(*o, n, 10)
}

func (o *jsonObject) numberNotZero(name string, n int64) {
	if n != 0 {
		o.number(name, n)
	}
}

func (o *jsonObject) ifTrue(name string, is bool) {
	if is {
		o.key(name)
		*o = append(*o, "true"...)
	}
}

func (o *jsonObject) text(name, text string) {
	o.key(name)
	if !isPlain(text) {
		escaped, _ := json.Marshal(text) // a string can always be encoded
		*o = append(*o, escaped...)
		return
	}
	*o = append(*o, '"')
	*o = append(*o, text...)
	*o = append(*o, '"')
}

func (o *jsonObject) textNotEmpty(name, text string) {
	if text != "" {
		o.text(name, text)
	}
}

// isPlain reports whether json.Marshal escapes nothing of a text. It escapes more than JSON requires.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
