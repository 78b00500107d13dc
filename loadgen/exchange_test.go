package loadgen

import (
	"encoding/binary"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TestProtocolWithoutConnections loads a lane of datagrams over one socket. Its peer answers each pair in reverse order, so that
// two requests are in flight at a time, and each hit has to be of its own answer.
func TestProtocolWithoutConnections(t *testing.T) {
	const datagrams evidence.Protocol = "datagrams"
	protocols[datagrams] = protocol{check: func(evidence.Lane, Config) error { return nil }, open: openDatagrams}
	t.Cleanup(func() { delete(protocols, datagrams) })
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answered, enough := make(chan struct{}), make(chan struct{}, 1)
	go func() { // ends with the socket
		defer close(answered)
		var held []byte
		for n, buffer := 1, make([]byte, 8); ; n++ {
			_, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if n == 20 {
				enough <- struct{}{}
			}
			if held == nil {
				held = append(held, buffer...)
				continue
			}
			server.WriteTo(buffer, from)
			server.WriteTo(held, from)
			held = nil
		}
	}()
	t.Cleanup(func() { server.Close(); <-answered })

	l := evidence.Lane{ID: "worker-datagrams", Vantage: evidence.FromPod, Node: "worker", Protocol: datagrams,
		Target: server.LocalAddr().String(), Rate: 500}
	a := mustStart(t, l, 3*time.Second) // which one waits for that has no other to make a pair with
	arrive(t, "twentieth request", enough)
	hits := hitsOf(t, a)
	alone := 0
	for i, h := range hits {
		if h.Fault == evidence.Timeout {
			alone++
		} else if h.Failed() || h.By.Pod != "a" {
			t.Errorf("hit %d of %d: %+v", i, len(hits), h)
		}
		if h.Seq != uint64(i) || h.Reused || h.Check() != nil {
			t.Errorf("hit %d of %d: %+v", i, len(hits), h)
		}
	}
	if alone != len(hits)%2 { // whichever arrived last
		t.Errorf("%d of %d requests were not answered", alone, len(hits))
	}
	// The other one of its pair, which need not be the next, was sent before the first was answered.
	if !slices.ContainsFunc(hits[1:], func(h evidence.Hit) bool { return h.Sent < hits[0].End() }) {
		t.Error("no two requests were under way at a time")
	}
}

// datagrams is a protocol over one socket, with an answer for each number.
type datagrams struct {
	socket  net.Conn
	mu      sync.Mutex
	waiting map[uint64]chan struct{}
	done    chan struct{}
}

func openDatagrams(lane evidence.Lane, _ Config, _ *connections) (exchanger, error) {
	socket, err := net.Dial("udp", lane.Target)
	if err != nil {
		return nil, err
	}
	d := &datagrams{socket: socket, waiting: map[uint64]chan struct{}{}, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		for buffer := make([]byte, 8); ; {
			if _, err := socket.Read(buffer); err != nil {
				return
			}
			d.mu.Lock()
			close(d.waiting[binary.BigEndian.Uint64(buffer)])
			d.mu.Unlock()
		}
	}()
	return d, nil
}

func (d *datagrams) exchange(r request, h *evidence.Hit) []error {
	came := make(chan struct{})
	d.mu.Lock()
	d.waiting[r.seq] = came
	d.mu.Unlock()
	if _, err := d.socket.Write(binary.BigEndian.AppendUint64(nil, r.seq)); err != nil {
		return []error{err}
	}
	select {
	case <-came:
		h.By = evidence.Server{Version: "v1", Pod: "a", Node: "worker"}
		return nil
	case <-time.After(time.Until(r.deadline)):
		return []error{os.ErrDeadlineExceeded}
	}
}

func (d *datagrams) close() {
	d.socket.Close()
	<-d.done
}
