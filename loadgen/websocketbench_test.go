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
	var plain [reusedConns]*websocket.Conn
	for i := range plain {
		var err error
		if plain[i], _, err = websocket.Dial(b.Context(), app.URL, nil); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { plain[i].CloseNow() })
	}
	n := uint64(0)
	TimesPlain(b, 500, 1, "message", func() { sendPlainly(b, plain[n%reusedConns], n); n++ }, socketLane(app.URL, 100))
}

// sendPlainly sends a message and reads its reply, as a program does that only wants that.
func sendPlainly(b *testing.B, conn *websocket.Conn, seq uint64) {
	b.Helper()
	if err := conn.Write(context.Background(), websocket.MessageText, strconv.AppendUint(nil, seq, 10)); err != nil {
		b.Fatal(err)
	}
	if _, _, err := conn.Read(context.Background()); err != nil {
		b.Fatal(err)
	}
}
