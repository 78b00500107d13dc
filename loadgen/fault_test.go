package loadgen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestFaultByType(t *testing.T) {
	socket := func(errno syscall.Errno) error {
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)}
	}
	untyped := errors.New("http: server closed idle connection")
	tests := []struct {
		sentence  string
		err, died error
		want      evidence.Fault
		unknown   bool
	}{
		{"a refused dial", socket(syscall.ECONNREFUSED), nil, evidence.Refused, false},
		{"a reset by the peer", socket(syscall.ECONNRESET), nil, evidence.Reset, false},
		{"a write into a closed connection", socket(syscall.EPIPE), nil, evidence.Reset, false},
		{"no route to the host", socket(syscall.EHOSTUNREACH), nil, evidence.Unreachable, false},
		{"no route to the network", socket(syscall.ENETUNREACH), nil, evidence.Unreachable, false},
		{"the kernel gave up on SYNs", socket(syscall.ETIMEDOUT), nil, evidence.Timeout, false},
		{"the deadline of the request", context.DeadlineExceeded, nil, evidence.Timeout, false},
		{"the deadline of a socket", fmt.Errorf("read: %w", os.ErrDeadlineExceeded), nil, evidence.Timeout, false},
		{"an end before the reply", fmt.Errorf("transport: %w", io.EOF), nil, evidence.Closed, false},
		{"an end within the reply", io.ErrUnexpectedEOF, nil, evidence.Closed, false},
		{"an untyped error of a connection the peer closed", untyped, io.EOF, evidence.Closed, false},
		{"an untyped error of a connection the peer reset", untyped, socket(syscall.ECONNRESET), evidence.Reset, false},
		{"a deadline, whatever the connection failed with by then", context.DeadlineExceeded, io.EOF, evidence.Timeout, false},
		{"an untyped error alone", untyped, nil, evidence.Closed, true},
		{"the client out of ports", socket(syscall.EADDRNOTAVAIL), nil, evidence.Closed, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			fault, known := faultOf(tt.err, tt.died)
			if fault != tt.want || known == tt.unknown {
				t.Errorf("faultOf(%v, %v) = %q, known %v; want %q, known %v", tt.err, tt.died, fault, known, tt.want, !tt.unknown)
			}
		})
	}
}

// TestFaultOfPeer sends one request to peers that misbehave on real sockets, over both kinds of connection, and once more as a lane
// that resends does: the faults are the same.
func TestFaultOfPeer(t *testing.T) {
	const whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n"
	named := whole + "X-Rollcall-Service: shop\r\nX-Rollcall-Version: v1\r\nX-Rollcall-Pod: shop-v1-abc\r\nX-Rollcall-Node: worker\r\n"
	chunked := strings.Replace(named, "Content-Length: 4", "Transfer-Encoding: chunked", 1) + "\r\n"
	app := evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"}
	resending := lane(evidence.Reused, "", 1)
	resending.ID, resending.Resends = "worker-resending", true
	tests := []struct {
		sentence string
		peer     func(t *testing.T) (addr string)
		want     evidence.Fault
		status   int
		by       evidence.Server
		attempts int16
		trouble  bool
	}{
		{"nobody listens", refusing, evidence.Refused, 0, evidence.Server{}, 0, false},
		{"no network to go by: TCP has no broadcast", unroutable, evidence.Unreachable, 0, evidence.Server{}, 0, false},
		{"a reset in place of a reply", peer(resets("")), evidence.Reset, 0, evidence.Server{}, 1, false},
		{"a reset within the body", peer(resets(named + "\r\nab")), evidence.Reset, 200, app, 1, false},
		{"a close in place of a reply", peer(says("")), evidence.Closed, 0, evidence.Server{}, 1, false},
		{"a close within the headers", peer(says(whole + "X-Roll")), evidence.Closed, 0, evidence.Server{}, 1, false},
		{"a close within the body", peer(says(named + "\r\nab")), evidence.Closed, 200, app, 1, false},
		{"a reset within the headers", peer(resets(whole + "X-Roll")), evidence.Reset, 0, evidence.Server{}, 1, false},
		{"a stall within the headers", peer(stalls(whole + "X-Roll")), evidence.Timeout, 0, evidence.Server{}, 1, false},
		{"a stall in place of a reply", peer(stalls("")), evidence.Timeout, 0, evidence.Server{}, 1, false},
		{"a stall within the body", peer(stalls(named + "\r\nab")), evidence.Timeout, 200, app, 1, false},
		{"a reply that is not HTTP", peer(says("220 mail ready\r\n\r\n")), evidence.Closed, 0, evidence.Server{}, 1, true},
		{"a 500", peer(says(strings.Replace(named, "200 OK", "500 Oops", 1) + "\r\nabcd")), evidence.BadStatus, 500, app, 1, false},
		{"a redirect",
			peer(says(strings.Replace(named, "200 OK", "302 Found", 1) + "Location: /\r\n\r\nabcd")), evidence.BadStatus, 302, app, 1, false},
		{"a redirect to nowhere",
			peer(says(strings.Replace(named, "200 OK", "302 Found", 1) + "Location: ::\r\n\r\nabcd")), evidence.BadStatus, 302, app, 1, false},
		{"another service", peer(says(strings.Replace(named, "shop\r\n", "cart\r\n", 1) + "\r\nabcd")), evidence.WrongServer, 200, app, 1, false},
		{"a server that does not name itself", peer(says(whole + "\r\nabcd")), evidence.WrongServer, 200, evidence.Server{}, 1, false},
		{"the app", peer(says(named + "\r\nabcd")), evidence.NoFault, 200, app, 1, false},
		{"the app, after announcing its reply",
			peer(says("HTTP/1.1 103 Early\r\n\r\n" + named + "\r\nabcd")), evidence.NoFault, 200, app, 1, false},
		{"the app, in small letters", peer(says(strings.ToLower(named) + "\r\nabcd")), evidence.Closed, 0, evidence.Server{}, 1, true},
		{"the app, its headers in small letters",
			peer(says(strings.ReplaceAll(named, "X-R", "x-r") + "\r\nabcd")), evidence.NoFault, 200, app, 1, false},
		{"the app, in chunks", peer(says(chunked + "2\r\nab\r\n0\r\n\r\n")), evidence.NoFault, 200, app, 1, false},
		{"a close within the chunks", peer(says(chunked + "2\r\na")), evidence.Closed, 200, app, 1, false},
		{"the app, until it closes",
			peer(says(strings.Replace(named, "Content-Length: 4\r\n", "", 1) + "\r\nab")), evidence.NoFault, 200, app, 1, false},
		{"the app, with 20 KB of headers",
			peer(says(named + "X-Long: " + strings.Repeat("a", 20_000) + "\r\n\r\nabcd")), evidence.NoFault, 200, app, 1, false},
		{"a header without an end",
			peer(says(named + strings.Repeat("X-Long: a\r\n", headerLimit/11))), evidence.Closed, 0, evidence.Server{}, 1, true},
		{"two lengths", peer(says(named + "Content-Length: 5\r\n\r\nabcd")), evidence.Closed, 0, evidence.Server{}, 1, true},
	}
	ports := NewLocalPorts() // as lanes of one process, so that none finds its port in use by another
	for _, tt := range tests {
		for _, l := range []evidence.Lane{lane(evidence.Fresh, "", 1), lane(evidence.Reused, "", 1), resending} {
			t.Run(tt.sentence+", "+l.ID, func(t *testing.T) {
				timeout := patient
				if tt.want == evidence.Timeout {
					timeout = stalled
				}
				l.Target = "http://" + tt.peer(t) + "/"
				ports := ports
				if tt.attempts == 0 { // the kernel's choice for a connection that cannot be opened is not known
					ports = &LocalPorts{first: uint32(unusedPort(t)), count: portTries}
				}
				c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: timeout, Ports: ports})
				t.Cleanup(c.close)
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					c.send(0)
				}()
				t.Parallel() // once it is under way, so that all stalls are one wait
				<-sent
				hit, trouble := onlyHit(t, c), c.buffer.firstTrouble()
				if hit.Fault != tt.want || int(hit.Status) != tt.status || hit.By != tt.by || hit.Attempts != tt.attempts {
					t.Errorf("got fault %q, status %d, by %+v, %d attempts; want %q, %d, %+v, %d",
						hit.Fault, hit.Status, hit.By, hit.Attempts, tt.want, tt.status, tt.by, tt.attempts)
				}
				if hit.LocalPort == 0 { // not even of a connection that could not be opened
					t.Errorf("local port %d after %d attempts", hit.LocalPort, tt.attempts)
				}
				if tt.want == evidence.Timeout && hit.Took < timeout {
					t.Errorf("timed out after %s, before %s", hit.Took, timeout)
				}
				if (trouble != "") != tt.trouble {
					t.Errorf("trouble %q", trouble)
				}
			})
		}
	}
}

// TestNothingIsResent has the peer close a keep-alive connection when it carries the second request, which net/http would send
// again if it were a GET.
func TestNothingIsResent(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if requests.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		nameApp(w.Header())
	}))
	t.Cleanup(server.Close)
	c := clientOf(lane(evidence.Reused, server.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	t.Cleanup(c.close)
	c.send(0)
	c.send(reusedConns) // over the same transport
	last := kept(t, c)[1]
	if last.Fault != evidence.Closed || !last.Reused || last.Attempts != 1 || requests.Load() != 2 {
		t.Errorf("got fault %q, reused %v, %d attempts, %d requests at the server; want closed, true, 1, 2",
			last.Fault, last.Reused, last.Attempts, requests.Load())
	}
}

func onlyHit(t *testing.T, c *client) evidence.Hit {
	t.Helper()
	hits := kept(t, c)
	if len(hits) != 1 {
		t.Fatalf("one request left %d hits", len(hits))
	}
	return hits[0]
}

// refusing returns an address that refuses connections: it is a client's, so that nobody can listen there.
func refusing(t *testing.T) string {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := net.Dial("tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client.LocalAddr().String()
}

func unroutable(*testing.T) string { return "255.255.255.255:80" }

// peer listens and calls reply on every connection after it has read the request.
func peer(reply func(conn *net.TCPConn, ended <-chan struct{})) func(t *testing.T) string {
	return accepting(func(conn *net.TCPConn, ended <-chan struct{}) {
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		io.Copy(io.Discard, req.Body)
		reply(conn, ended)
	})
}

// accepting returns the address of a peer that does something with each connection and then closes it.
func accepting(handle func(conn *net.TCPConn, ended <-chan struct{})) func(t *testing.T) string {
	return func(t *testing.T) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			for {
				accepted, err := listener.Accept()
				if err != nil {
					return
				}
				all.Go(func() {
					defer accepted.Close()
					handle(accepted.(*net.TCPConn), ended)
				})
			}
		})
		t.Cleanup(func() {
			close(ended)
			listener.Close()
			all.Wait()
		})
		return listener.Addr().String()
	}
}

func says(reply string) func(*net.TCPConn, <-chan struct{}) {
	return func(conn *net.TCPConn, _ <-chan struct{}) { io.WriteString(conn, reply) }
}

func resets(after string) func(*net.TCPConn, <-chan struct{}) {
	return func(conn *net.TCPConn, _ <-chan struct{}) {
		io.WriteString(conn, after)
		conn.SetLinger(0)
	}
}

func stalls(after string) func(*net.TCPConn, <-chan struct{}) {
	return func(conn *net.TCPConn, ended <-chan struct{}) {
		io.WriteString(conn, after)
		<-ended
	}
}
