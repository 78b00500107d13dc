package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// While connection tracking remembers a port, neither the process nor the next one uses it again.
func TestPortsAreTakenInTurn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "range")
	if err := os.WriteFile(file, []byte("40000\t40239\n"), 0o600); err != nil { // 240: two per second
		t.Fatal(err)
	}
	began := time.Unix(120*1000, 0)
	used := map[int]bool{}
	for process := range 4 { // each takes as many as it may in 30 s
		p := newLocalPorts(file, began.Add(time.Duration(process)*30*time.Second))
		for range 60 {
			port := p.pick()
			if port < 40000 || port > 40239 || used[port] {
				t.Fatalf("process %d took port %d", process, port)
			}
			used[port] = true
		}
	}
}

func TestWithoutARangeTheKernelsDefaultIsTaken(t *testing.T) {
	p := newLocalPorts(filepath.Join(t.TempDir(), "none"), time.Now())
	for range 3 * p.count {
		if port := p.pick(); port < 32768 || port > 60999 {
			t.Fatalf("port %d", port)
		}
	}
}

// A port in use is skipped, and the error names a port from which no connection could be opened.
func TestDialingFromPorts(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	taken, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	at := func(first int) *LocalPorts { return &LocalPorts{first: uint32(first) - 1, count: 1000} }

	conn, err := at(port).dial(context.Background(), net.Dialer{}, server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.LocalAddr().(*net.TCPAddr).Port; got == port {
		t.Errorf("it took port %d, which somebody has", got)
	}

	var failed *dialError
	_, err = at(unusedPort(t)).dial(context.Background(), net.Dialer{}, refusing(t))
	if !errors.As(err, &failed) || failed.port == 0 || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", fmt.Sprint(err))
	}
}

// A client that dials a port on which nobody listens from that same port would be connected to itself. The dial is refused, with
// either sender, and the next request goes from another port to the server that listens there by then.
func TestAClientDoesNotTalkToItself(t *testing.T) {
	plain := lane(evidence.Reused, "", 1)
	plain.ID, plain.Resends = "worker-resending", true
	for _, l := range []evidence.Lane{lane(evidence.Fresh, "", 1), lane(evidence.Reused, "", 1), plain} {
		t.Run(l.ID, func(t *testing.T) {
			port := unusedPort(t)
			address := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
			l.Target = "http://" + address
			c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, Ports: &LocalPorts{first: uint32(port), count: 1}})
			defer c.close()
			c.send(0)

			listener, err := net.Listen("tcp", address) // a connection in TIME-WAIT would not allow it
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { nameApp(w.Header()) }))
			server.Listener.Close()
			server.Listener = listener
			server.Start()
			defer server.Close()
			c.send(reusedConns)

			hits := kept(t, c)
			if h := hits[0]; h.Fault != evidence.Refused || int(h.LocalPort) != port || h.Attempts != 0 {
				t.Errorf("where nobody listens: %+v", h)
			}
			if h := hits[1]; h.Failed() || h.Reused || int(h.LocalPort) == port {
				t.Errorf("once somebody does: %+v", h)
			}
			if trouble := c.buffer.firstTrouble(); trouble != "" {
				t.Errorf("trouble %q", trouble)
			}
		})
	}
}

// unusedPort returns a port that a client can dial from, below the range that the kernel gives to others.
func unusedPort(t *testing.T) int {
	t.Helper()
	for last := int(NewLocalPorts().first) - 1; ; {
		port := last - rand.IntN(last/4)
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: port})
		syscall.Close(fd)
		if err == nil {
			return port
		}
	}
}

// A name that takes long to resolve for one connection delays no other.
func TestEachConnectionResolvesByItself(t *testing.T) {
	type which struct{}
	asked := make(chan any, 100)
	held := make(chan struct{})
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		asked <- ctx.Value(which{})
		<-held
		return nil, errors.New("no server")
	}}
	p := NewLocalPorts()
	var dials sync.WaitGroup
	for _, connection := range []string{"first", "second"} {
		dials.Go(func() {
			ctx := context.WithValue(t.Context(), which{}, connection)
			if _, err := p.dial(ctx, net.Dialer{Resolver: resolver}, "app.example.:80"); err == nil {
				t.Error("connected")
			}
		})
		for by := any(nil); by != connection; {
			select {
			case by = <-asked:
			case <-time.After(patient):
				t.Fatalf("the %s connection did not ask for the name while another one did", connection)
			}
		}
	}
	close(held)
	dials.Wait()
}
