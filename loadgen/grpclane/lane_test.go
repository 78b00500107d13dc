package grpclane

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// laneOf returns a lane of RPCs, of a kind, to a URL.
func laneOf(kind evidence.Protocol, url string, rate int) evidence.Lane {
	return evidence.Lane{ID: "worker-" + kind.Name(), Vantage: evidence.FromPod, Conn: evidence.Reused, Protocol: kind, Target: url,
		Rate: rate}
}

// ask sends one RPC and returns its hit, without times, and what was noted.
func ask(t *testing.T, l evidence.Lane, cfg loadgen.Config) (h evidence.Hit, noted string) {
	t.Helper()
	cfg.Began, cfg.Service, cfg.Note = time.Now(), "shop", func(e evidence.Event) { noted = e.Detail }
	c, err := loadgen.NewStepClient(l, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.HangUp()
	h, _ = c.Request()
	if h.LocalPort == 0 && h.Attempts > 0 || h.Connect == 0 && h.Attempts == 1 {
		t.Errorf("it was sent from port %d over a connection that opened in %v", h.LocalPort, h.Connect)
	}
	h.Lane, h.Due, h.Sent, h.Took, h.Connect, h.LocalPort, h.FirstMicros, h.GapMicros = "", 0, 0, 0, 0, 0, 0, 0
	return h, noted
}

var byPod = evidence.Server{Version: "v1", Pod: "a", Node: "n"}

func TestReply(t *testing.T) {
	for _, row := range []struct {
		sentence string
		serve    func(t *testing.T) (url string)
		want     evidence.Hit
		noted    string
	}{
		{"OK is good", func(t *testing.T) string { return newApp("a").listen(t) }, evidence.Hit{Attempts: 1, Status: 200, By: byPod}, ""},
		{"another status is a bad one, with its code and text", func(t *testing.T) string {
			a := newApp("a")
			a.reply = func(context.Context) error { return status.Error(codes.Unavailable, "not now") }
			return a.listen(t)
		}, evidence.Hit{Attempts: 1, Status: 14, By: byPod, Fault: evidence.BadStatus}, "Unavailable: not now"},
		{"so it is that a method is not known", func(t *testing.T) string { return newApp("a").listen(t) + "/rollcall.Echo/Other" },
			evidence.Hit{Attempts: 1, Status: 12, Fault: evidence.BadStatus}, "Unimplemented: unknown method Other for service rollcall.Echo"},
		{"a reply without names is not the app's", func(t *testing.T) string { return newApp("").listen(t) },
			evidence.Hit{Attempts: 1, Status: 200, By: evidence.Server{Version: "v1", Node: "n"}, Fault: evidence.WrongServer}, ""},
		{"no reply is awaited beyond the timeout", func(t *testing.T) string {
			return rawServer(t, func(*net.TCPConn, *http2.Framer, uint32) {})
		}, evidence.Hit{Attempts: 1, Fault: evidence.Timeout}, ""},
		{"a connection that is closed", func(t *testing.T) string {
			return rawServer(t, func(c *net.TCPConn, _ *http2.Framer, _ uint32) { _ = c.CloseWrite() })
		}, evidence.Hit{Attempts: 1, Fault: evidence.Closed}, "Unavailable: error reading from server: EOF"},
		{"nobody listens", func(t *testing.T) string { return "http://" + unused(t) }, evidence.Hit{Fault: evidence.Refused},
			"Unavailable: connection error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1: connect: connection refused\""},
		{"a server of HTTP/1.1 speaks no gRPC", func(t *testing.T) string { return webServer(t, nil) }, evidence.Hit{Fault: evidence.WrongServer},
			"it does not speak HTTP/2, which gRPC needs"},
		{"what answers HTTP/2 with another status than 200 is a proxy", func(t *testing.T) string { return webServer(t, speakH2C) },
			evidence.Hit{Attempts: 1, Status: 503, Fault: evidence.BadStatus},
			"Unavailable: unexpected HTTP status code received from server: 503 (Service Unavailable); transport: received unexpected " +
				"content-type \"text/plain; charset=utf-8\" data: \"none\\n\""},
		{"a connection that is reset", func(t *testing.T) string {
			return rawServer(t, func(c *net.TCPConn, _ *http2.Framer, _ uint32) { _ = c.SetLinger(0); c.Close() })
		}, evidence.Hit{Attempts: 1, Fault: evidence.Reset},
			"Unavailable: error reading from server: "},
		{"a stream that is reset", func(t *testing.T) string {
			return rawServer(t, func(_ *net.TCPConn, f *http2.Framer, id uint32) { _ = f.WriteRSTStream(id, http2.ErrCodeInternal) })
		}, evidence.Hit{Attempts: 1, Fault: evidence.Reset}, "Internal: stream terminated by RST_STREAM with error code: INTERNAL_ERROR"},
		{"what a server vouches not to have processed is sent again once, which is told", func(t *testing.T) string {
			return rawServer(t, func(_ *net.TCPConn, f *http2.Framer, id uint32) { _ = f.WriteRSTStream(id, http2.ErrCodeRefusedStream) })
		}, evidence.Hit{Attempts: 2, Reused: true, Fault: evidence.Returned},
			"Unavailable: stream terminated by RST_STREAM with error code: REFUSED_STREAM"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			timeout := patient
			if row.want.Fault == evidence.Timeout {
				timeout = 2 * time.Second
			}
			got, noted := ask(t, laneOf(evidence.GRPC, row.serve(t), 1), loadgen.Config{Timeout: timeout})
			if got != row.want {
				t.Errorf("got  %+v,\nwant %+v", got, row.want)
			}
			noted = localPort.ReplaceAllString(noted, "127.0.0.1")
			if !strings.HasPrefix(noted, row.noted) || row.noted == "" && noted != "" {
				t.Errorf("noted %q, want it to begin with %q", noted, row.noted)
			}
		})
	}
}

var localPort = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// unused returns an address at which nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// webServer serves what is no gRPC.
func webServer(t *testing.T, change func(*http.Server)) string {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "none", http.StatusServiceUnavailable)
	}))
	if change != nil {
		change(s.Config)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

func speakH2C(s *http.Server) {
	s.Protocols = new(http.Protocols)
	s.Protocols.SetUnencryptedHTTP2(true)
}

// rawServer accepts connections of HTTP/2, and does something with each stream that begins.
func rawServer(t *testing.T, with func(*net.TCPConn, *http2.Framer, uint32)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				_, _ = in.Discard(len(http2.ClientPreface))
				f := http2.NewFramer(c, in)
				_ = f.WriteSettings()
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					if head, is := frame.(*http2.HeadersFrame); is {
						with(c.(*net.TCPConn), f, head.StreamID)
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestStream(t *testing.T) {
	message := func(s grpc.ServerStream) {
		if err := s.SendMsg(&emptypb.Empty{}); err != nil {
			panic(err)
		}
	}
	for _, row := range []struct {
		sentence string
		stream   func(*app, grpc.ServerStream) error
		timeout  time.Duration
		longest  time.Duration
		want     evidence.Hit
	}{
		{"its status OK is the end mark", func(_ *app, s grpc.ServerStream) error { message(s); message(s); return nil }, patient, patient,
			evidence.Hit{Attempts: 1, Status: 200, By: byPod, Tokens: 2, Marked: true}},
		{"another status is bad", func(_ *app, s grpc.ServerStream) error { message(s); return status.Error(codes.Aborted, "no more") }, patient,
			patient, evidence.Hit{Attempts: 1, Status: 10, By: byPod, Tokens: 1, Fault: evidence.BadStatus}},
		{"it is cut if its server stops", func(a *app, s grpc.ServerStream) error {
			go a.Stop()
			<-s.Context().Done()
			return nil
		}, patient, patient, evidence.Hit{Attempts: 1, Fault: evidence.Closed}},
		{"no message is awaited beyond the timeout", func(_ *app, s grpc.ServerStream) error { message(s); <-s.Context().Done(); return nil },
			2 * time.Second, patient, evidence.Hit{Attempts: 1, By: byPod, Tokens: 1, Fault: evidence.Timeout}},
		{"no stream is read beyond what it may last", func(_ *app, s grpc.ServerStream) error { message(s); <-s.Context().Done(); return nil },
			patient, 2 * time.Second, evidence.Hit{Attempts: 1, By: byPod, Tokens: 1, Fault: evidence.Timeout}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			a := newApp("a")
			a.stream = func(s grpc.ServerStream) error { return row.stream(a, s) }
			l := laneOf(evidence.GRPCStream, a.listen(t), 1)
			l.Longest = row.longest
			got, _ := ask(t, l, loadgen.Config{Timeout: row.timeout})
			if got.Fault == evidence.Reset { // it was closed with something unread
				got.Fault = evidence.Closed
			}
			if got != row.want {
				t.Errorf("got  %+v,\nwant %+v", got, row.want)
			}
		})
	}
}

func TestWhatCannotBeLoaded(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*evidence.Lane, *loadgen.Config)
		want     string
	}{
		{"a URL of another scheme", func(l *evidence.Lane, _ *loadgen.Config) { l.Target = "grpc://a:1" }, "is not an http or https URL"},
		{"a path that is no method's", func(l *evidence.Lane, _ *loadgen.Config) { l.Target = "http://a:1/Check" }, "is not that of a method"},
		{"a connection for each", func(l *evidence.Lane, _ *loadgen.Config) { l.Conn = evidence.Fresh }, "connections that are kept"},
		{"a version in the body", func(_ *evidence.Lane, cfg *loadgen.Config) { cfg.UserHTTP = &loadgen.UserHTTP{Pointer: "/version"} },
			"in its metadata alone"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			l, cfg := laneOf(evidence.GRPC, "http://a:1", 1), loadgen.Config{Began: time.Now(), Service: "shop"}
			row.change(&l, &cfg)
			if _, err := loadgen.NewStepClient(l, cfg); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want one with %q", err, row.want)
			}
		})
	}
}
