package during

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
)

// streaming are the options of requests for streams, once changed.
func streaming(change func(*Options)) Options {
	o := Options{Service: "shop/web/chat", Request: Request{Protocol: "sse"}}
	if change != nil {
		change(&o)
	}
	return o
}

// What cannot be, or has no effect, is said before anything is made.
func TestOptionsOfProtocols(t *testing.T) {
	for _, row := range []struct {
		sentence string
		o        Options
		want     string
	}{
		{"a protocol that nobody knows", Options{Service: "shop/web", Request: Request{Protocol: "grcp"}},
			"--protocol=grcp: unknown protocol: use one of http, sse, ws, h2, h2c, grpc"},
		{"nobody to ask", Options{Request: Request{Protocol: "sse"}}, "--protocol: it has no effect here: give --service or --url"},
		{"an end mark of replies that are no streams", Options{Service: "shop/web", Request: Request{EndMark: "[DONE]"}},
			"--end-mark: only streams have one: give --protocol=sse"},
		{"how long these may take", Options{Service: "shop/web", Request: Request{Longest: "5m", Protocol: "http"}},
			"--longest: only streams last: give --protocol=sse"},
		{"a time that is none", streaming(func(o *Options) { o.Request.Longest = "5" }), "--longest=5: it is not a duration of 1s or more"},
		{"a reply without a body", streaming(func(o *Options) { o.Request.Method = "HEAD" }), "--method=HEAD: a reply to it is no stream"},
		{"a version within the stream", streaming(func(o *Options) { o.Request.VersionPattern = "(v1)" }),
			"--version-pointer and --version-pattern: a stream is not searched for its version: give --version-header"},
		{"how long a whole one may take", streaming(func(o *Options) { o.MaxLatency = "p99=1s" }),
			"--max-latency: a stream takes as long as it likes"},
		{"how long none may begin", streaming(func(o *Options) { o.MaxOutage = "1s" }),
			"--max-outage: a stream that is cut had begun before: give --max-failed, which counts it"},
		{"a gap that is longer than any stream", streaming(func(o *Options) { o.Request.Timeout = "2m" }),
			"--timeout=2m: it is longer than a whole stream may take, 1m0s: give a longer --longest=TIME"},
		{"half a stream a second", streaming(func(o *Options) { o.Rate = "0.5" }),
			"--rate=0.5: it is not a whole number of streams: use 1 to 1000"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if _, err := row.o.prepare(); !usage.Is(err) || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v\nwant %s", err, row.want)
			}
		})
	}
}

// What does not fit a protocol is the same whether an option names it or a Service's port.
func TestOptionsThatDoNotFit(t *testing.T) {
	for _, row := range []struct {
		sentence, protocol string
		o                  Options
		secure             []bool
		want               string
	}{
		{"a WebSocket without more", "ws", Options{}, []bool{false, true}, ""},
		{"a method of HTTP for a method of gRPC", "grpc", Options{Request: Request{Method: "POST"}}, nil,
			"--method: it has no effect with --protocol=grpc: leave it out"},
		{"a body for a WebSocket", "ws", Options{Request: Request{Body: "@x"}}, nil, "--body: it has no effect with --protocol=ws: leave it out"},
		{"a status of HTTP", "grpc", Options{Request: Request{GoodStatus: "200"}}, nil,
			"--good-status: it has no effect with --protocol=grpc: leave it out"},
		{"HTTP/2 over TLS", "h2", Options{}, []bool{true}, ""},
		{"one target of two without TLS", "h2", Options{}, []bool{true, false},
			"--protocol=h2: it is over TLS: give an https --url and --service=https:NAMESPACE/NAME:PORT, or --protocol=h2c"},
		{"TLS where there is none", "h2c", Options{}, []bool{true}, "--protocol=h2c: it is without TLS: give --protocol=h2"},
	} {
		err := row.o.fits(row.protocol, row.secure)
		if err == nil && row.want != "" || err != nil && (!usage.Is(err) || err.Error() != row.want) {
			t.Errorf("%s: %v, want %q", row.sentence, err, row.want)
		}
	}
}

// Streams have a rate of their own, which may be low, and a timeout that is that of a token.
func TestHowStreamsAreAsked(t *testing.T) {
	module(t)
	stream := webServer(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: a\n\ndata: [DONE]\n\n")
	})
	for _, row := range []struct {
		sentence string
		o        Options
		streams  harness.Streams
		timeout  time.Duration
		sent     time.Duration // in which a client has to send three
	}{
		{"nobody says", Options{}, harness.Streams{Rate: 2, Longest: time.Minute}, 30 * time.Second, 2 * time.Second},
		{"replies of minutes, one a second", Options{Request: Request{Longest: "10m", Timeout: "1m", EndMark: "[DONE]"}},
			harness.Streams{Rate: 1, Longest: 10 * time.Minute, EndMark: "[DONE]"}, time.Minute, 4 * time.Second},
		{"many a second that are short", Options{Request: Request{Longest: "3s"}}, harness.Streams{Rate: 20, Longest: 3 * time.Second},
			3 * time.Second, time.Second},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			row.o.URL, row.o.Request.Protocol, row.o.Request.ConnectTo = "http://shop.test/chat", "sse", stream
			row.o.Rate = fmt.Sprint(row.streams.Rate)
			if row.streams.Rate == streamRate {
				row.o.Rate = ""
			}
			a, err := row.o.prepare()
			if err != nil {
				t.Fatal(err)
			}
			m := &maintenance{settings: a, does: byHand, screen: &screen{terminal: io.Discard, log: io.Discard}}
			s, err := m.fromHost(t.Context())
			load := s.UnderLoad()
			if err != nil || load.Protocol != evidence.SSE || !cmp.Equal(load.Streams, row.streams) || load.Timeout != row.timeout ||
				load.Lasts < row.streams.Longest || a.plan.Rate != defaultRate {
				t.Errorf("%+v, a rate of %d for others, %v", load, a.plan.Rate, err)
			}
			if want := verdict.SentInMaintenance(row.sent); !cmp.Equal(s.Expect[len(s.Expect)-1], want) {
				t.Errorf("expects %+v, want %+v", s.Expect[len(s.Expect)-1], want)
			}
		})
	}
}

// A URL whose replies are no streams, or none that end, is refused before anything is made.
func TestURLsThatDoNotStream(t *testing.T) {
	module(t)
	serve := func(kind, body string, goesOn bool) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
			if goesOn {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		}))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	for _, row := range []struct {
		sentence, at string
		want         string
	}{
		{"a page", serve("text/html", "<p>", false),
			"its reply is text/html, and no stream of events (text/event-stream): name a port and path that answer so, or another --protocol"},
		{"a stream without the end mark", serve("text/event-stream", "data: a\n\n", false),
			"its stream had 1 token and ended without the end mark"},
		{"a stream without an end", serve("text/event-stream", "data: a\n\n", true),
			"its stream had 1 token and no end when it had lasted as long as any may"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			o := Options{URL: "http://shop.test/chat", Request: Request{Protocol: "sse", EndMark: "[DONE]", Longest: "1s", ConnectTo: row.at}}
			if _, err := o.prepare(); !usage.Is(err) || !strings.HasPrefix(err.Error(), "--url=http://shop.test/chat: "+row.want) {
				t.Errorf("%v\nwant %s", err, row.want)
			}
		})
	}
}
