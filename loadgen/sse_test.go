package loadgen

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

// streamLane returns a lane of streams from an app of the service "shop".
func streamLane(target string, longest time.Duration) evidence.Lane {
	l := lane(evidence.Fresh, target, 1)
	l.ID, l.Protocol, l.Longest, l.EndMark = "worker-stream", evidence.SSE, longest, evidence.DoneMark
	return l
}

// A piece is what a server writes after a pause.
type piece struct {
	after time.Duration
	text  string
}

// head is the head of a reply by the app.
func head(more string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + serviceHeader + ": shop\r\n" + versionHeader + ": v1\r\n" + podHeader +
		": p\r\n" + nodeHeader + ": n\r\n" + more + "\r\n"
}

const chunkedHeader = "Transfer-Encoding: chunked\r\n"

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func TestStreams(t *testing.T) {
	const first, token, done = "id: 1\ndata: a\n\n", "data: b\n\n", "data: [DONE]\n\n"
	const ms, us = time.Millisecond, 1000
	for _, row := range []struct {
		sentence string
		change   func(*evidence.Lane)
		pieces   []piece
		hangs    bool // does not close the connection after them
		want     evidence.Hit
	}{
		{"tokens come until the end mark, which ends it", nil,
			[]piece{{5 * ms, head(chunkedHeader)}, {5 * ms, chunk(first)}, {100 * ms, chunk(token)}, {300 * ms, chunk(token)},
				{200 * ms, chunk(done)}}, true, evidence.Hit{FirstMicros: 10 * us, GapMicros: 300 * us, Tokens: 3, Marked: true, Took: 610 * ms}},
		{"it may last for longer than one token may take", nil,
			[]piece{{0, head(chunkedHeader)}, {900 * ms, chunk(first)}, {900 * ms, chunk(token)}, {900 * ms, chunk(done)}}, true,
			evidence.Hit{FirstMicros: 900 * us, GapMicros: 900 * us, Tokens: 2, Marked: true, Took: 2700 * ms}},
		{"without a first token in time it fails", nil, []piece{{0, head(chunkedHeader)}}, true,
			evidence.Hit{Fault: evidence.Timeout, Took: time.Second}},
		{"so it does without another one in time", nil, []piece{{0, head("")}, {500 * ms, first}}, true,
			evidence.Hit{Fault: evidence.Timeout, FirstMicros: 500 * us, Tokens: 1, Took: 1500 * ms}},
		{"a comment is no token, which keeps nobody waiting", nil,
			[]piece{{0, head("")}, {500 * ms, first}, {900 * ms, ": ping\n\n"}, {900 * ms, token}}, true,
			evidence.Hit{Fault: evidence.Timeout, FirstMicros: 500 * us, Tokens: 1, Took: 1500 * ms}},
		{"one that does not end is ended", func(l *evidence.Lane) { l.Longest = 1200 * ms },
			[]piece{{0, head("")}, {500 * ms, first}, {500 * ms, token}, {500 * ms, token}}, true,
			evidence.Hit{Fault: evidence.Timeout, FirstMicros: 500 * us, GapMicros: 500 * us, Tokens: 2, Took: 1200 * ms}},
		{"without a bound of its own the timeout is that of the whole stream", func(l *evidence.Lane) { l.Longest = 0 },
			[]piece{{0, head("")}, {500 * ms, first}, {400 * ms, token}, {400 * ms, token}}, true,
			evidence.Hit{Fault: evidence.Timeout, FirstMicros: 500 * us, GapMicros: 400 * us, Tokens: 2, Took: time.Second}},
		{"a chunked one that is cut ends in an error", nil,
			[]piece{{0, head(chunkedHeader)}, {10 * ms, chunk(first)}, {10 * ms, chunk(token)}}, false,
			evidence.Hit{Fault: evidence.Closed, FirstMicros: 10 * us, GapMicros: 10 * us, Tokens: 2, Took: 20 * ms}},
		{"an unframed one that is cut does not", nil, []piece{{0, head("")}, {10 * ms, first}, {10 * ms, token}}, false,
			evidence.Hit{Fault: evidence.Truncated, FirstMicros: 10 * us, GapMicros: 10 * us, Tokens: 2, Took: 20 * ms}},
		{"nor does a chunked one that its server ends early", nil, []piece{{0, head(chunkedHeader)}, {10 * ms, chunk(first) + chunk("")}}, true,
			evidence.Hit{Fault: evidence.Truncated, FirstMicros: 10 * us, Tokens: 1, Took: 10 * ms}},
		{"an unframed one is whole with its end mark", nil, []piece{{0, head("")}, {10 * ms, first + done}}, false,
			evidence.Hit{FirstMicros: 10 * us, Tokens: 1, Marked: true, Took: 10 * ms}},
		{"where no end mark is agreed, the end is the end", func(l *evidence.Lane) { l.EndMark = "" },
			[]piece{{0, head("")}, {10 * ms, first + done}}, false, evidence.Hit{FirstMicros: 10 * us, Tokens: 2, Took: 10 * ms}},
		{"before its head it is a reply like any other", nil, nil, false, evidence.Hit{Fault: evidence.Closed}},
		{"a status says more than what follows", nil,
			[]piece{{0, strings.Replace(head("Content-Length: 4\r\n"), "200 OK", "503 Full", 1) + "full"}}, true,
			evidence.Hit{Fault: evidence.BadStatus, Status: 503}},
		{"what is no stream is of something else", nil,
			[]piece{{0, strings.Replace(head("Content-Length: 4\r\n"), eventStream, "text/plain", 1) + "v1 p"}}, true,
			evidence.Hit{Fault: evidence.WrongServer}},
		{"interim replies are none", nil, []piece{{0, "HTTP/1.1 103 Early Hints\r\n\r\n" + head("")}, {10 * ms, done}}, true,
			evidence.Hit{FirstMicros: 10 * us, Marked: true, Took: 10 * ms}},
		{"the data of an event may have several lines, of any length and end", nil,
			[]piece{{0, head("")}, {10 * ms, "event: x\r\ndata: a\r\nid: 1\r\ndata: b\r\n\r\n" +
				"data:" + strings.Repeat("c", 1<<20) + "\n\ndata:[DONE]\n\n"}}, true,
			evidence.Hit{FirstMicros: 10 * us, Tokens: 2, Marked: true, Took: 10 * ms}},
		{"an end mark within the data of an event is a part of it", nil, []piece{{0, head("")}, {10 * ms, "data: a\ndata: [DONE]\n\n"}}, false,
			evidence.Hit{Fault: evidence.Truncated, FirstMicros: 10 * us, Tokens: 1, Took: 10 * ms}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := streamLane("http://shop.example/", time.Minute)
				if row.change != nil {
					row.change(&l)
				}
				ours, theirs := net.Pipe()
				var served sync.WaitGroup
				served.Go(func() { serve(theirs, row.pieces, row.hangs) })
				got := receive(l, ours)
				served.Wait()
				if row.want.Status == 0 && len(row.pieces) > 0 {
					row.want.Status = http.StatusOK
				}
				if row.want.Status != 0 {
					row.want.By = evidence.Server{Version: "v1", Pod: "p", Node: "n"}
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// serve answers a request piece by piece, until its client is gone.
func serve(conn net.Conn, pieces []piece, hangs bool) {
	defer conn.Close()
	if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
		return
	}
	for _, p := range pieces {
		time.Sleep(p.after)
		if _, err := io.WriteString(conn, p.text); err != nil {
			return
		}
	}
	if hangs {
		_, _ = io.Copy(io.Discard, conn)
	}
}

// receive sends a request of a lane over a connection, with a second for each token, and returns what it got.
func receive(l evidence.Lane, conn net.Conn) (h evidence.Hit) {
	s := eventStreams{newHTTP(l, Config{Began: time.Now(), Service: "shop"}, nil)}
	w := s.newConn(conn)
	defer conn.Close()
	q := request{sent: time.Now(), deadline: time.Now().Add(time.Second)}
	_ = conn.SetDeadline(q.deadline) // as connect does
	if err := s.stream(w, q, &h); err != nil {
		h.Fault, _ = faultOf(err, w.readErr)
	}
	h.Took = time.Since(q.sent)
	return h
}

// A lane of streams asks for them, over a new connection each, and each is asked for once.
func TestALaneOfStreams(t *testing.T) {
	type asked struct{ accept, lane, seq, from string }
	var got []asked
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, asked{r.Header.Get("Accept"), r.Header.Get(laneHeader), r.Header.Get(seqHeader), r.RemoteAddr})
		if len(got) == 2 {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
			return
		}
		nameApp(w.Header())
		w.Header().Set("Content-Type", eventStream+"; charset=utf-8")
		_, _ = io.WriteString(w, "data: a\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(app.Close)
	c := clientOf(streamLane(app.URL, patient), Config{Began: time.Now(), Service: "shop", Timeout: patient, LaneSuffix: ".K"})
	for n := range uint64(3) {
		c.send(n)
	}
	c.close()
	from := map[string]bool{}
	for i, a := range got {
		from[a.from] = true
		if want := (asked{eventStream, "worker-stream.K", fmt.Sprint(i), a.from}); a != want {
			t.Errorf("%+v, want %+v", a, want)
		}
	}
	if len(got) != 3 || len(from) != 3 {
		t.Errorf("%d requests over %d connections, want 3 over 3", len(got), len(from))
	}
	for i, h := range kept(t, c) {
		want := evidence.Hit{Tokens: 1, Marked: true}
		if i == 1 {
			want = evidence.Hit{Fault: evidence.Reset}
		}
		if h.Fault != want.Fault || h.Tokens != want.Tokens || h.Marked != want.Marked || h.Attempts != 1 || h.Reused || h.Connection != 0 ||
			h.LocalPort == 0 || h.Connect == 0 {
			t.Errorf("%+v", h)
		}
	}
}

func TestLanesOfStreamsThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		change func(*evidence.Lane, *Config)
		want   string
	}{
		{func(l *evidence.Lane, _ *Config) { l.Conn = evidence.Reused }, "each stream has a connection of its own: it cannot be kept"},
		{func(l *evidence.Lane, _ *Config) { l.Longest = -time.Second }, "streams cannot last for -1s"},
		{func(l *evidence.Lane, _ *Config) { l.Target = "shop" }, `target "shop" is not an http or https URL`},
		{func(_ *evidence.Lane, c *Config) { c.UserHTTP = &UserHTTP{Method: "HEAD"} }, "a reply to HEAD is no stream"},
		{func(_ *evidence.Lane, c *Config) { c.UserHTTP = &UserHTTP{Pointer: "/v"} }, "a stream can name its version in a header alone"},
	} {
		l, cfg := streamLane("http://shop.example/", time.Minute), Config{Began: time.Now(), Service: "shop"}
		row.change(&l, &cfg)
		_, err := Start(t.Context(), l, cfg)
		wantError(t, err, `loadgen: start lane "worker-stream": `+row.want)
	}
}
