package loadgen

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A peer whose accept queue is full drops the SYN of the next connection. It is sent again a second later, and the hit says so,
// with either sender; the next request over an open connection does not.
func TestSYNThatIsSentAgain(t *testing.T) {
	for _, row := range []struct {
		sentence string
		lane     evidence.Lane
	}{
		{"a client of ours", evidence.Lane{ID: "worker-reused", Vantage: evidence.FromPod, Conn: evidence.Reused}},
		{"one that does as net/http does", evidence.Lane{ID: "worker-plain", Vantage: evidence.FromPod, Conn: evidence.Reused, Resends: true}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			listener, port := fullListener(t)
			row.lane.Target, row.lane.Rate = fmt.Sprintf("http://127.0.0.1:%d", port), 1
			c := clientOf(row.lane, Config{Began: time.Now(), Service: "shop", Timeout: patient})
			t.Cleanup(c.close)
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.send(0)
			}()
			for !sendingSYN(t, port) {
				runtime.Gosched()
			}
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { nameApp(w.Header()) })}
			served := make(chan struct{})
			go func() {
				defer close(served)
				server.Serve(listener)
			}()
			t.Cleanup(func() { server.Close(); <-served })
			arrive(t, "reply", done)
			c.send(reusedConns) // the next of the same slot

			hits := kept(t, c)
			if h := hits[0]; h.Failed() || h.Connect < time.Second || h.Connect > h.Took || h.Resent < 1 {
				t.Errorf("the first one: %+v", h)
			}
			if h := hits[1]; h.Failed() || !h.Reused || h.Connect != 0 || h.Resent != 0 {
				t.Errorf("the next one: %+v", h)
			}
		})
	}
}

// fullListener returns a listener with one connection in its queue, and no room for another until that is accepted.
func fullListener(t *testing.T) (net.Listener, int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	listener, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	first, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	return listener, listener.Addr().(*net.TCPAddr).Port
}

// sendingSYN reports whether a connection to a port is being opened.
func sendingSYN(t *testing.T, port int) bool {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	const synSent = "02" // TCP_SYN_SENT, include/net/tcp_states.h
	return bytes.Contains(table, fmt.Appendf(nil, " 0100007F:%04X %s ", port, synSent))
}
