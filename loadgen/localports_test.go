package loadgen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Within the time that connection tracking remembers, no port is used twice, by one process or by the next.
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

// A port that somebody has is passed over, and one that leads nowhere is known.
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

	conn, err := at(port).dial(context.Background(), net.Dialer{}, "tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.LocalAddr().(*net.TCPAddr).Port; got == port {
		t.Errorf("it took port %d, which somebody has", got)
	}

	server.Close()
	var failed *dialError
	_, err = at(conn.LocalAddr().(*net.TCPAddr).Port+10).dial(context.Background(), net.Dialer{}, "tcp", server.Addr().String())
	if !errors.As(err, &failed) || failed.port == 0 || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", fmt.Sprint(err))
	}
}

// A name that takes long to resolve for one connection holds up no other.
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
			if _, err := p.dial(ctx, net.Dialer{Resolver: resolver}, "tcp", "app.example.:80"); err == nil {
				t.Error("connected")
			}
		})
		for by := any(nil); by != connection; {
			select {
			case by = <-asked:
			case <-time.After(10 * time.Second):
				t.Fatalf("the %s connection did not ask for the name while another one did", connection)
			}
		}
	}
	close(held)
	dials.Wait()
}
