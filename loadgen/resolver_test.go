package loadgen

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.com/rollcall/harness/evidence"
)

// A fakeResolver answers over its own connection that the name is 127.0.0.1, while it is there.
type fakeResolver struct{ away atomic.Bool }

// install makes this process use it.
func (f *fakeResolver) install(t *testing.T) {
	was := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = was })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		if f.away.Load() {
			return nil, errors.New("network is down")
		}
		ours, theirs := net.Pipe()
		go f.answer(ours)
		return packets{theirs}, nil
	}}
}

// packets turns a connection into one of packets, as of UDP: what one call writes, one call reads.
type packets struct{ net.Conn }

func (packets) ReadFrom([]byte) (int, net.Addr, error)      { return 0, nil, errors.ErrUnsupported }
func (packets) WriteTo([]byte, net.Addr) (n int, err error) { return 0, errors.ErrUnsupported }

func (f *fakeResolver) answer(conn net.Conn) {
	defer conn.Close()
	buffer := make([]byte, 1500)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil {
			return
		}
		m.Response = true
		m.Additionals = nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
				Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		}
		out, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// While the host's resolver is away, new connections fail with a fault of that name, and kept ones continue.
func TestLanesOfAHostWhoseResolverGoesAway(t *testing.T) {
	resolver := &fakeResolver{}
	resolver.install(t)
	var fresh, reused atomic.Int32
	app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get(laneHeader), "fresh") {
			fresh.Add(1)
		} else {
			reused.Add(1)
		}
	})
	_, port, _ := net.SplitHostPort(app.Listener.Addr().String())
	target := "http://shop.example.:" + port + "/"
	attacks := map[string]*Attack{}
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		l := lane(conn, target, 100)
		l.ID, l.Vantage, l.Node = "outside-"+string(conn), evidence.FromHost, ""
		attacks[l.ID] = mustStart(t, l, patient)
	}
	until := func(what string, came func() bool) {
		t.Helper()
		for limit := time.After(patient); !came(); {
			select {
			case <-limit:
				t.Fatalf("no %s in %s", what, patient)
			case <-time.After(time.Millisecond):
			}
		}
	}
	more := func(counter *atomic.Int32, n int32) {
		t.Helper()
		from := counter.Load()
		until("replies", func() bool { return counter.Load() >= from+n })
	}
	more(&reused, 2*reusedConns) // each slot has its connection
	more(&fresh, 1)
	resolver.away.Store(true)
	more(&reused, 50)
	until("new connection that failed", func() bool {
		return slices.ContainsFunc(kept(t, attacks["outside-fresh"].client), func(h evidence.Hit) bool { return h.Fault == evidence.Unresolved })
	})
	resolver.away.Store(false)
	more(&fresh, 2)
	for id, a := range attacks {
		var faults []evidence.Fault
		for _, h := range hitsOf(t, a) {
			faults = append(faults, h.Fault)
		}
		faults = slices.Compact(slices.Sorted(slices.Values(faults)))
		want := []evidence.Fault{evidence.NoFault, evidence.Unresolved}
		if id == "outside-reused" && len(faults) == 1 { // else a request found its connection busy, and opened another
			want = want[:1]
		}
		if !slices.Equal(faults, want) {
			t.Errorf("%s: faults %q, want %q", id, faults, want)
		}
		if trouble := a.client.buffer.firstTrouble(); trouble != "" {
			t.Errorf("%s: %s", id, trouble)
		}
	}
}
