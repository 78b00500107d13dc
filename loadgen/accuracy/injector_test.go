package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rollcall/harness/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A client is a trivial one, which knows nothing of lanes. Its requests are numbered from 0.
type client struct {
	t    *testing.T
	http http.Client
	url  string
	seq  int
}

func newClient(t *testing.T, conn evidence.Conn, url string) *client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: conn == evidence.Fresh}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, url: url, http: http.Client{Transport: transport, Timeout: 100 * time.Millisecond}}
}

// ask returns the reply's service and version.
func (c *client) ask() (service, version string, err error) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, io.NopCloser(bytes.NewBufferString("body")))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Vegeta-Seq", strconv.Itoa(c.seq))
	c.seq++
	reply, err := c.http.Do(req)
	if err != nil {
		return "", "", err
	}
	defer reply.Body.Close()
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		return "", "", err
	}
	return reply.Header.Get("X-Rollcall-Service"), reply.Header.Get("X-Rollcall-Version"), nil
}

func (c *client) mustGetGood(when string) {
	c.t.Helper()
	service, version, err := c.ask()
	if err != nil || service != serviceName || version != "v0" {
		c.t.Fatalf("%s: %q %q, %v", when, service, version, err)
	}
}

func start(t *testing.T, k kind) *injector {
	t.Helper()
	i, err := startInjector(k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.stop)
	return i
}

func TestFailsExactlyInItsWindows(t *testing.T) {
	tests := []struct {
		sentence string
		kind     kind
		is       func(service string, err error) bool
	}{
		// A request on a keep-alive connection meets the refusal or one of many faces of the close, whichever it sees first.
		{"a connection is refused", refused, func(_ string, err error) bool { return err != nil }},
		{"a request is answered with a RST", reset, func(_ string, err error) bool { return errors.Is(err, syscall.ECONNRESET) }},
		{"a request gets no answer", stalled, func(_ string, err error) bool {
			timed, ok := errors.AsType[interface {
				error
				Timeout() bool
			}](err)
			return ok && timed.Timeout()
		}},
		{"another service answers", wrongServer, func(service string, err error) bool { return err == nil && service == "other" }},
	}
	for _, tt := range tests {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			t.Run(tt.sentence+" "+string(conn), func(t *testing.T) {
				i := start(t, tt.kind)
				c := newClient(t, conn, i.url())
				for range 3 {
					c.mustGetGood("before")
					before := time.Now()
					w := i.begin()
					inside := time.Now()
					for range 2 {
						if service, _, err := c.ask(); !tt.is(service, err) {
							t.Errorf("inside: %q, %v", service, err)
						}
					}
					beforeEnd := time.Now()
					if err := i.end(&w); err != nil {
						t.Fatal(err)
					}
					c.mustGetGood("after")
					if w.begin.Before(before) || w.begin.After(inside) || w.end.Before(beforeEnd) || w.end.After(time.Now()) {
						t.Errorf("window %v to %v, want one that began from %v to %v and ended after %v", w.begin, w.end, before, inside, beforeEnd)
					}
				}
			})
		}
	}
}

// TestRefusesAFreshConnection tells a closed socket from a closed connection.
func TestRefusesAFreshConnection(t *testing.T) {
	i := start(t, refused)
	c := newClient(t, evidence.Fresh, i.url())
	w := i.begin()
	if _, _, err := c.ask(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
	if err := i.end(&w); err != nil {
		t.Fatal(err)
	}
}

// TestRefusingClosesKeepAliveConnections reads from one on which nothing is asked.
func TestRefusingClosesKeepAliveConnections(t *testing.T) {
	i := start(t, refused)
	conn, err := net.Dial("tcp", i.port.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	from := bufio.NewReader(conn)
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", i.port.addr)
	reply, err := http.ReadResponse(from, nil)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", reply, err)
	}
	reply.Body.Close()
	w := i.begin()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := from.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
	if err := i.end(&w); err != nil {
		t.Fatal(err)
	}
}

// TestListensAgainAtOnce has connections in every state when the port is listened on again.
func TestListensAgainAtOnce(t *testing.T) {
	i := start(t, refused)
	fresh, reused := newClient(t, evidence.Fresh, i.url()), newClient(t, evidence.Reused, i.url())
	for range 100 {
		fresh.mustGetGood("fresh")
		reused.mustGetGood("reused")
		w := i.begin()
		if err := i.end(&w); err != nil {
			t.Fatal(err)
		}
		fresh.mustGetGood("fresh, after")
		reused.http.CloseIdleConnections() // else it may meet the close
	}
}

// TestMixedWindow asks before, in and after two windows, and tells the truth of them by its own clock.
func TestMixedWindow(t *testing.T) {
	i := start(t, mixed)
	c := newClient(t, evidence.Reused, i.url())
	var got []string
	var asked []time.Time
	ask := func(times int) {
		for range times {
			asked = append(asked, time.Now())
			_, version, err := c.ask()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, version)
		}
	}
	ask(2)
	for range 2 {
		w := i.begin()
		ask(4)
		if err := i.end(&w); err != nil {
			t.Fatal(err)
		}
		ask(2)
	}
	want := []string{"v0", "v0", "v1", "v0", "v1", "v0", "v1", "v1", "v2", "v1", "v2", "v1", "v2", "v2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	for n, first := range []int{2, 8} {
		w := i.mixedWindow(n)
		if w.begin.Before(asked[first]) || w.begin.After(asked[first+1]) || w.end.Before(asked[first+3]) || w.end.After(asked[first+4]) {
			t.Errorf("mixed window %d is not from reply %d to reply %d", n, first, first+3)
		}
	}
	for n, want := range []int{4, 6, 4} {
		if i.given[n].count != want {
			t.Errorf("%d replies of v%d, want %d", i.given[n].count, n, want)
		}
	}
}

// TestKnowsWhenItDecided compares every decision with when the client asked and was answered.
func TestKnowsWhenItDecided(t *testing.T) {
	i := start(t, wrongServer)
	c := newClient(t, evidence.Fresh, i.url())
	for seq := range uint64(3) {
		asked := time.Now()
		c.mustGetGood("asked")
		answered := time.Now()
		i.mu.Lock()
		decided, known := i.decided[seq]
		i.mu.Unlock()
		if !known || decided.Before(asked) || decided.After(answered) {
			t.Errorf("request %d was decided at %v (%v), asked at %v and answered at %v", seq, decided, known, asked, answered)
		}
	}
}
