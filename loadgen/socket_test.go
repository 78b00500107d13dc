package loadgen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// Messages share a timer, and each fails at its own deadline, in whatever order they are sent.
func TestMessagesFailAtTheirDeadlines(t *testing.T) {
	type planned struct{ Sent, Deadline time.Duration } // since the first may be sent
	rapid.Check(t, func(rt *rapid.T) {
		messages := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) planned {
			sent := rapid.Int64Range(0, 20).Draw(rt, "sent")
			return planned{time.Duration(sent), time.Duration(sent + rapid.Int64Range(1, 20).Draw(rt, "timeout"))}
		}), 1, 10).Draw(rt, "messages")
		failed := make([]time.Duration, len(messages))
		synctest.Test(t, func(*testing.T) {
			began := time.Now()
			var k socket
			var sending sync.WaitGroup
			for i, m := range messages {
				sending.Go(func() {
					time.Sleep(m.Sent)
					sent := &message{deadline: began.Add(m.Deadline), done: make(chan outcome, 1)}
					k.await(sent)
					got := <-sent.done
					if len(got.failures) == 1 && errors.Is(got.failures[0], os.ErrDeadlineExceeded) {
						failed[i] = time.Since(began)
					}
				})
			}
			sending.Wait()
		})
		for i, m := range messages {
			if failed[i] != m.Deadline {
				rt.Fatalf("message %d, sent at %s with the deadline %s, failed at %s", i, m.Sent, m.Deadline, failed[i])
			}
		}
	})
}

// A server that reads nothing holds up its connection until a message has had its time, and the next one goes over another.
func TestAMessageThatTheServerDoesNotRead(t *testing.T) {
	release := make(chan struct{})
	app := serveSockets(t, func(e serverEnd) {
		if e.opened < reusedConns { // of each place the first one
			<-release
		}
		e.SetReadLimit(-1)
		for {
			_, reader, err := e.Reader(context.Background())
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, reader)
			e.answer("")
		}
	})
	defer close(release)
	user := &UserHTTP{Body: bytes.Repeat([]byte("x"), 4<<20)} // more than the buffers of both sockets take
	c := clientOf(socketLane(app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: stalled, UserHTTP: user})
	sendAll(c, 0)
	sendAll(c, 1)
	c.close()
	hits, rows := kept(t, c), inPlace(noted(t, c))
	if hits[0].Fault != evidence.Timeout || hits[0].Took < stalled || hits[1].Connection == hits[0].Connection {
		t.Errorf("%+v", hits)
	}
	if rows[0].Number != hits[0].Connection || rows[0].End != evidence.EndTimeout {
		t.Errorf("%+v", rows)
	}
	checkLedger(t, c)
}
