//go:build unix

package loadgen

import (
	"context"
	"strconv"
	"testing"

	"github.com/coder/websocket"
)

// BenchmarkMessage measures a message and its reply. The plain client uses the same library alone. The lane's processor time may be 1.3
// times as much.
func BenchmarkMessage(b *testing.B) {
	app := serveSockets(b, func(e serverEnd) {
		for number := e.next(); number != ""; number = e.next() {
			e.answer(number)
		}
	})
	var plain [reusedConns]plainSocket
	for i := range plain {
		plain[i] = dialPlainly(b, app.URL)
	}
	n := uint64(0)
	TimesPlain(b, 500, 1, "message", func() { plain[n%reusedConns].ask(b, n); n++ }, socketLane(app.URL, 100))
}

// A plainSocket is a client that always reads, as the library requires: otherwise it answers no ping, and sees no close frame.
type plainSocket struct {
	*websocket.Conn
	replies chan []byte // closed when the connection has ended
}

func dialPlainly(b *testing.B, url string) plainSocket {
	b.Helper()
	conn, _, err := websocket.Dial(b.Context(), url, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.CloseNow() })
	c := plainSocket{conn, make(chan []byte, 1)}
	go func() {
		defer close(c.replies)
		for {
			_, reply, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			c.replies <- reply
		}
	}()
	return c
}

// ask sends a message and waits for its reply.
func (c plainSocket) ask(b *testing.B, seq uint64) {
	b.Helper()
	if err := c.Write(context.Background(), websocket.MessageText, strconv.AppendUint(nil, seq, 10)); err != nil {
		b.Fatal(err)
	}
	if _, replied := <-c.replies; !replied {
		b.Fatal("the connection has ended")
	}
}
