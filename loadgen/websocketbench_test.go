//go:build unix

package loadgen

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// BenchmarkMessage measures a message and its reply, including the server's part: through the same library alone, and as a lane's. The
// lane's processor time may be 1.3 times as much.
func BenchmarkMessage(b *testing.B) {
	app := serveSockets(b, func(e serverEnd) {
		for number := e.next(); number != ""; number = e.next() {
			e.answer(number)
		}
	})
	c := clientOf(socketLane(app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	b.Cleanup(c.close)
	var plain [reusedConns]*websocket.Conn
	for i := range plain {
		var err error
		if plain[i], _, err = websocket.Dial(b.Context(), app.URL, nil); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { plain[i].CloseNow() })
	}
	seq := uint64(0)
	cpu := map[string]float64{}
	for _, row := range []struct {
		name string
		send func()
	}{{"plain", func() { sendPlainly(b, plain[seq%reusedConns], seq); seq++ }}, {"recorded", func() { c.send(seq); seq++ }}} {
		b.Run(row.name, func(b *testing.B) {
			before, n := processorTime(b), 0
			for ; b.Loop(); n++ {
				row.send()
			}
			cpu[row.name] = float64((processorTime(b) - before).Nanoseconds()) / float64(n)
			b.ReportMetric(cpu[row.name], "cpu-ns/message")
		})
	}
	b.Logf("%.2f times as much", cpu["recorded"]/cpu["plain"])
	if r, err := rangeFrom(c.buffer, 0); err != nil || len(r.Hits) == 0 || !r.Hits[0].Good() {
		b.Errorf("%+v, %v", r.Hits, err)
	}
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
