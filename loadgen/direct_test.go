package loadgen

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TestKeepAliveConnections sends two requests of one slot, one after the other, to a peer that replies to the first. What the peer
// then does with the connection arrives before the second is sent.
func TestKeepAliveConnections(t *testing.T) {
	const named = "X-Rollcall-Service: shop\r\nX-Rollcall-Version: v1\r\nX-Rollcall-Pod: shop-v1-abc\r\nX-Rollcall-Node: worker\r\n"
	const whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n" + named
	tests := []struct {
		sentence string
		reply    string
		after    func(*net.TCPConn) error // the reply; nil: nothing
		reused   bool
	}{
		{"an open connection is used again", whole + "\r\nabcd", nil, true},
		{"a connection whose reply net/http had to read is used again",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + named + "\r\n4\r\nabcd\r\n0\r\n\r\n", nil, true},
		{"a connection that the peer closed is not", whole + "\r\nabcd", (*net.TCPConn).Close, false},
		{"a connection that the peer half-closed is not", whole + "\r\nabcd", (*net.TCPConn).CloseWrite, false},
		{"a connection that was reset is not", whole + "\r\nabcd", func(c *net.TCPConn) error { c.SetLinger(0); return c.Close() }, false},
		{"a connection that received more later is not",
			whole + "\r\nabcd", func(c *net.TCPConn) error { _, err := io.WriteString(c, "HTTP"); return err }, false},
		{"a connection that received more at once is not", whole + "\r\nabcdHTTP/1.1 408 Timeout\r\n\r\n", nil, false},
		{"a connection that the app will close is not", whole + "Connection: close\r\n\r\nabcd", nil, false},
		{"a connection of HTTP/1.0 is not", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n" + named + "\r\nabcd", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			first, done := make(chan *net.TCPConn, 1), make(chan struct{})
			go func() {
				defer close(done)
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				in := bufio.NewReader(conn)
				answerOne(conn, in, tt.reply)
				first <- conn.(*net.TCPConn)
				if !tt.reused {
					again, err := listener.Accept()
					if err != nil {
						return
					}
					defer again.Close()
					conn, in = again, bufio.NewReader(again)
				}
				answerOne(conn, in, whole+"\r\nabcd")
			}()
			t.Cleanup(func() { listener.Close(); <-done })

			target := lane(evidence.Reused, "http://"+listener.Addr().String(), 1)
			c := clientOf(target, Config{Began: time.Now(), Service: "shop", Timeout: patient})
			t.Cleanup(c.close)
			c.send(0)
			conn := <-first
			if tt.after != nil {
				w := c.exchanger.(*direct).slots[0].Load()
				if w == nil || ended(w) {
					t.Fatal("the connection was not kept")
				}
				if err := tt.after(conn); err != nil {
					t.Fatal(err)
				}
				hear(t, w)
			}
			c.send(reusedConns)
			for i, h := range kept(t, c) {
				if want := tt.reused && i == 1; h.Failed() || h.Reused != want || h.Attempts != 1 {
					t.Errorf("hit %d: fault %q, reused %v, %d attempts; want none, %v, 1", i, h.Fault, h.Reused, h.Attempts, want)
				}
			}
		})
	}
}

func ended(w *httpConn) bool {
	_, is := w.ended()
	return is
}

// hear waits until a connection has received something, and leaves it unread.
func hear(t *testing.T, w *httpConn) {
	t.Helper()
	raw, err := w.conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return err != syscall.EAGAIN
	}); err != nil {
		t.Fatal(err)
	}
}

// answerOne reads a request and replies.
func answerOne(conn net.Conn, in *bufio.Reader, reply string) {
	if req, err := http.ReadRequest(in); err == nil {
		io.Copy(io.Discard, req.Body)
		io.WriteString(conn, reply)
	}
}

// TestABusyConnectionHoldsUpNobody has two requests of one slot in flight, of which one keeps its connection afterwards.
func TestABusyConnectionHoldsUpNobody(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := serveApp(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	c := clientOf(lane(evidence.Reused, server.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	t.Cleanup(c.close)
	sent := make(chan struct{})
	for n := range uint64(2) {
		go func() { c.send(n * reusedConns); sent <- struct{}{} }()
	}
	arrive(t, "first request", arrived)
	arrive(t, "second request", arrived)
	close(release)
	<-sent
	<-sent
	go func() { <-arrived }()
	c.send(2 * reusedConns)
	for i, h := range kept(t, c) {
		if h.Failed() || h.Reused != (i == 2) {
			t.Errorf("hit %d: fault %q, reused %v", i, h.Fault, h.Reused)
		}
	}
}
