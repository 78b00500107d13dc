package inspect

import (
	"fmt"

	"example.com/rollcall/harness/verdict/phrase"
)

// whileUnconnected says what becomes of an RPC that is sent while its channel is in a state (grpc-go's pick_first, v1.83).
var whileUnconnected = map[string]string{
	"IDLE":              "an RPC makes it connect, and waits",
	"CONNECTING":        "an RPC waits until it is connected, or cannot be",
	"TRANSIENT_FAILURE": "an RPC fails at once",
}

// Unconnected says in which state the channel of an RPC was when it was sent; empty: it was connected, or that is not known.
func (r Request) Unconnected() string {
	what := whileUnconnected[r.Channel.State]
	if what == "" {
		return ""
	}
	return fmt.Sprintf("channel %d was %s, since %s: %s", r.Channel.Number, r.Channel.State, phrase.Elapsed(r.Channel.Since), what)
}
