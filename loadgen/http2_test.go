package loadgen

import (
	"cmp"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"example.com/rollcall/harness/evidence"
)

// Each row's server replies to the first request. The second one goes over the same connection if that still takes it, the third over
// whatever is in its place.
func TestHowAConnectionOfHTTP2Ends(t *testing.T) {
	first := func(then func(p *framePeer, stream uint32)) func(*framePeer) {
		return func(p *framePeer) {
			p.reply(p.request())
			if stream := p.request(); stream != 0 {
				then(p, stream)
			}
		}
	}
	own := evidence.Connection{Sent: 3, Answered: 3, End: evidence.EndOwn}
	for _, row := range []struct {
		sentence string
		server   func(*framePeer)
		fault    evidence.Fault // of the second request
		want     evidence.Connection
	}{
		{"it goes on to the end of the load", (*framePeer).serve, evidence.NoFault, own},
		{"GOAWAY says that the request will be answered", first(func(p *framePeer, stream uint32) {
			_ = p.WriteGoAway(stream, http2.ErrCodeNo, nil)
			p.reply(stream)
			p.listen()
		}), evidence.NoFault, evidence.Connection{Sent: 2, Answered: 2, ToldBy: evidence.GoAway, End: evidence.EndOwn}},
		{"GOAWAY says that it will not be", first(func(p *framePeer, _ uint32) {
			_ = p.WriteGoAway(1, http2.ErrCodeNo, []byte("bye"))
			p.listen()
		}), evidence.Returned, evidence.Connection{Sent: 2, Answered: 1, ToldBy: evidence.GoAway, End: evidence.EndOwn}},
		{"GOAWAY comes in two, and its last stream is known with the second", first(func(p *framePeer, stream uint32) {
			_ = p.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
			_ = p.WriteGoAway(stream, http2.ErrCodeNo, nil)
			p.reply(stream)
			p.listen()
		}), evidence.NoFault, evidence.Connection{Sent: 2, Answered: 2, ToldBy: evidence.GoAway, End: evidence.EndOwn}},
		{"GOAWAY has a code, and the server closes", first(func(p *framePeer, stream uint32) {
			_ = p.WriteGoAway(stream, http2.ErrCodeEnhanceYourCalm, nil)
			p.hangUp()
		}), evidence.Closed, evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, ToldBy: evidence.GoAway, End: evidence.EndCode,
			Code: int(http2.ErrCodeEnhanceYourCalm)}},
		{"the stream is refused", first(func(p *framePeer, stream uint32) {
			_ = p.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
			p.serve()
		}), evidence.Returned, evidence.Connection{Sent: 3, Answered: 2, End: evidence.EndOwn}},
		{"the stream is reset", first(func(p *framePeer, stream uint32) {
			_ = p.WriteRSTStream(stream, http2.ErrCodeInternal)
			p.serve()
		}), evidence.StreamReset, evidence.Connection{Sent: 3, Answered: 2, End: evidence.EndOwn}},
		{"the server closes it", first(func(p *framePeer, _ uint32) { p.hangUp() }), evidence.Closed,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFin}},
		{"the server resets it", first(func(p *framePeer, _ uint32) { p.reset() }), evidence.Reset,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndReset}},
		{"what the server sends is no HTTP/2", first(func(p *framePeer, _ uint32) {
			_ = p.WriteRawFrame(http2.FrameContinuation, 0, 9, nil)
			p.listen()
		}), evidence.Closed, evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFault}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			target := servePeer(t, row.server, (*framePeer).serve)
			c := clientOf(sharing(target), Config{Began: time.Now(), Service: "shop", Timeout: patient})
			for n := range uint64(3) {
				c.send(n * sharedConns)
			}
			c.close()
			hits, rows := kept(t, c), noted(t, c)
			if hits[0].Fault != evidence.NoFault || hits[1].Fault != row.fault || hits[2].Fault != evidence.NoFault {
				t.Errorf("%q, %q and %q, want %q in the middle", hits[0].Fault, hits[1].Fault, hits[2].Fault, row.fault)
			}
			got, want := rows[0], row.want
			want.Lane, want.Number, want.By, want.Port = "worker-h2c", 1, hits[0].By, int(hits[0].LocalPort)
			if got.Opened > hits[0].End() || got.Ended < hits[0].End() || (got.ToldBy != "") != (got.Told > 0) {
				t.Errorf("opened at %v, told at %v, ended at %v", got.Opened, got.Told, got.Ended)
			}
			if got.Opened, got.Told, got.Ended = 0, 0, 0; got != want {
				t.Errorf("\n%+v, want\n%+v", got, want)
			}
			wantLedger(t, hits, rows)
		})
	}
}

// wantLedger compares the rows of connections with the hits: each request was sent over at most one, and has one outcome.
func wantLedger(t *testing.T, hits []evidence.Hit, rows []evidence.Connection) {
	t.Helper()
	type count struct{ sent, answered, other int }
	counts := map[uint32]count{}
	for _, h := range hits {
		n := counts[h.Connection]
		n.sent++
		if h.Good() || h.Fault == evidence.BadStatus || h.Fault == evidence.WrongServer {
			n.answered++
		} else {
			n.other++
		}
		counts[h.Connection] = n
		if h.Attempts > 1 || h.Attempts == 0 && h.Connection > 0 || h.Check() != nil {
			t.Errorf("%+v", h)
		}
	}
	for _, c := range rows {
		n := counts[c.Number]
		if c.Sent != n.sent || c.Answered != n.answered || c.InFlight > n.other || c.End == "" || c.Check() != nil {
			t.Errorf("%+v, and hits have %+v", c, n)
		}
		delete(counts, c.Number)
	}
	if delete(counts, 0); len(counts) > 0 {
		t.Errorf("without a row: %+v", counts)
	}
}

// A request that gets no reply in time ends the connection only if nothing else came over it either.
func TestATimeoutOverHTTP2(t *testing.T) {
	for _, row := range []struct {
		sentence string
		server   func(*framePeer)
		want     evidence.Connection
	}{
		{"nothing came over the connection meanwhile", func(p *framePeer) { _, _ = io.Copy(io.Discard, p.conn) },
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndTimeout}},
		{"the server sent something meanwhile", func(p *framePeer) {
			p.request()
			_ = p.WriteSettings()
			p.serve()
		}, evidence.Connection{Sent: 3, Answered: 2, End: evidence.EndOwn}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			target := servePeer(t, func(p *framePeer) {
				p.reply(p.request())
				row.server(p)
			}, (*framePeer).serve)
			c := clientOf(sharing(target), Config{Began: time.Now(), Service: "shop", Timeout: stalled})
			for n := range uint64(3) {
				c.send(n * sharedConns)
			}
			c.close()
			hits, rows := kept(t, c), noted(t, c)
			if hits[0].Fault != evidence.NoFault || hits[1].Fault != evidence.Timeout || hits[1].Took < stalled ||
				hits[2].Fault != evidence.NoFault {
				t.Errorf("%+v", hits)
			}
			got := evidence.Connection{Sent: rows[0].Sent, Answered: rows[0].Answered, InFlight: rows[0].InFlight, End: rows[0].End}
			if got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
			wantLedger(t, hits, rows)
		})
	}
}

// What is in flight when the server says GOAWAY is answered, and what comes then goes over the next connection.
func TestGoAwayOfNetHTTP(t *testing.T) {
	for _, row := range []struct {
		sentence string
		shutdown bool
	}{
		{"by a reply with Connection: close", false},
		{"by Shutdown", true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			began, release := make(chan struct{}, 3), make(chan struct{})
			seen := map[string]int{}
			var mu sync.Mutex
			app := func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen[r.Header.Get(seqHeader)]++
				mu.Unlock()
				nameApp(w.Header())
				switch r.Header.Get(seqHeader) {
				case fmt.Sprint(0 * sharedConns), fmt.Sprint(1 * sharedConns):
					began <- struct{}{}
					<-release
				case fmt.Sprint(2 * sharedConns):
					if !row.shutdown {
						w.Header().Set("Connection", "close")
					}
				}
			}
			server := serveH2C(t, app, nil)
			c := clientOf(sharing(server.URL), Config{Began: time.Now(), Service: "shop", Timeout: patient})
			told := toldTo(c)
			var early sync.WaitGroup
			early.Go(func() { c.send(0 * sharedConns) })
			early.Go(func() { c.send(1 * sharedConns) })
			arrive(t, "first request", began)
			arrive(t, "second request", began)
			c.send(2 * sharedConns)
			ended := make(chan error, 1)
			if row.shutdown {
				go func() { ended <- server.Config.Shutdown(context.Background()) }()
			}
			arrive(t, "GOAWAY", told)
			if !row.shutdown {
				c.send(3 * sharedConns)
			}
			close(release)
			early.Wait()
			if row.shutdown {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			c.close()
			hits, ends := kept(t, c), noted(t, c)
			for _, h := range hits {
				if h.Fault != evidence.NoFault || (h.Connection == 2) != (h.Seq == 3*sharedConns) {
					t.Errorf("%+v", h)
				}
			}
			if c := ends[0]; c.ToldBy != evidence.GoAway || c.End != evidence.EndOwn || c.Answered != 3 || c.Ended < c.Told {
				t.Errorf("%+v", c)
			}
			for seq, n := range seen {
				if n != 1 {
					t.Errorf("request %s arrived %d times", seq, n)
				}
			}
			wantLedger(t, hits, ends)
		})
	}
}

// toldTo has an element for each connection whose client is told to go, of the first ten.
func toldTo(c *client) <-chan struct{} {
	told := make(chan struct{}, 10)
	rows := c.exchanger.(*shared).kept
	note := rows.note
	rows.note = func(row evidence.Connection) {
		if note(row); row.ToldBy != "" && row.End == "" {
			told <- struct{}{}
		}
	}
	return told
}

// ledgerRequests are as many as one range has.
const ledgerRequests = 500

// Servers say GOAWAY, refuse and reset streams, and end connections, while many requests are in flight.
func TestTheLedgerOfHTTP2(t *testing.T) {
	var mu sync.Mutex
	arrived := map[string]int{}
	var server *httptest.Server
	server = serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		arrived[r.Header.Get(seqHeader)]++
		mu.Unlock()
		nameApp(w.Header())
		switch n := rand.IntN(200); {
		case n < 10:
			w.Header().Set("Connection", "close")
		case n < 13:
			panic(http.ErrAbortHandler)
		case n == 13:
			server.CloseClientConnections()
		case n < 30:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}, nil)
	c := clientOf(sharing(server.URL), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	var all sync.WaitGroup
	var next atomic.Uint64
	for range 20 {
		all.Go(func() {
			for n := next.Add(1) - 1; n < ledgerRequests; n = next.Add(1) - 1 {
				c.send(n)
			}
		})
	}
	all.Wait()
	c.close()
	hits, rows := kept(t, c), noted(t, c)
	wantLedger(t, hits, rows)
	if len(hits) != ledgerRequests {
		t.Errorf("%d hits", len(hits))
	}
	slices.SortFunc(hits, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
	for i, h := range hits {
		times := arrived[fmt.Sprint(i)]
		if h.Seq != uint64(i) || times > 1 || times > 0 && h.Fault == evidence.Returned || times == 0 && h.By.Pod != "" {
			t.Errorf("it arrived %d times: %+v", times, h)
		}
	}
}

// A server may allow few streams: what waits for one in vain was not sent.
func TestAStreamLimit(t *testing.T) {
	began, release := make(chan struct{}, 1), make(chan struct{})
	server := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		nameApp(w.Header())
		if r.Header.Get(seqHeader) == fmt.Sprint(sharedConns) {
			began <- struct{}{}
			<-release
		}
	}, func(s *http.Server) { s.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 1} })
	c := clientOf(sharing(server.URL), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	c.send(0) // tells of the limit
	var taken sync.WaitGroup
	taken.Go(func() { c.send(sharedConns) })
	arrive(t, "request that takes the stream", began)
	conn := c.exchanger.(*shared).places[0].now.conn
	if waited, err := conn.reserve(time.Now()); !errors.Is(err, os.ErrDeadlineExceeded) || waited {
		t.Errorf("there is a stream: waited %t, %v", waited, err)
	}
	taken.Go(func() { c.send(2 * sharedConns) })
	close(release)
	taken.Wait()
	c.close()
	hits, rows := kept(t, c), noted(t, c)
	for _, h := range hits {
		if h.Fault != evidence.NoFault || h.Connection != 1 {
			t.Errorf("%+v", h)
		}
	}
	wantLedger(t, hits, rows)
}

// The TLS handshake is the lane's own, so that frames are seen there, too.
func TestHTTP2OverTLS(t *testing.T) {
	app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Version", r.Proto+" "+r.Host+r.URL.Path+" "+r.Method+" "+r.Header.Get("X-Token"))
		w.Header().Set("Connection", "close")
	}))
	app.EnableHTTP2 = true
	app.StartTLS()
	t.Cleanup(app.Close)
	l := sharing(app.URL + "/path")
	l.Protocol = evidence.H2
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: app.Certificate().Raw})
	asked := &UserHTTP{TLS: &TLS{CA: ca}, Header: "X-Version", Method: http.MethodPut, Host: "shop.example",
		Headers: []HeaderField{{"X-Token", "t"}}, Body: []byte("body")}
	c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: asked})
	told := toldTo(c)
	for n := range uint64(2) {
		c.send(n * sharedConns)
		arrive(t, "GOAWAY", told) // which follows the reply
	}
	c.close()
	hits, rows := kept(t, c), noted(t, c)
	for i, h := range hits {
		if h.By.Version != "HTTP/2.0 shop.example/path PUT t" || h.HandshakeMicros == 0 || h.Connection != uint32(i+1) || h.Reused {
			t.Errorf("%+v", h)
		}
	}
	for _, c := range rows {
		if c.ToldBy != evidence.GoAway || c.Answered != 1 {
			t.Errorf("%+v", c)
		}
	}
	wantLedger(t, hits, rows)
}

func TestServersWithoutHTTP2(t *testing.T) {
	plain := serveApp(t, nil)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.StartTLS() // which offers HTTP/1.1 alone
	t.Cleanup(secure.Close)
	for _, row := range []struct {
		sentence, target string
		want             evidence.Fault
		says             string
	}{
		{"it answers over HTTP/1.1", plain.URL, evidence.WrongServer, "it answers over HTTP/1.1, and not over HTTP/2"},
		{"it chooses HTTP/1.1", secure.URL, evidence.WrongServer, `its TLS handshake ended without HTTP/2, with "http/1.1"`},
		{"it hangs up", hangUp(t), evidence.Closed, "it closed the connection before any frame of HTTP/2: EOF"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			l := sharing(row.target)
			cfg := Config{Began: time.Now(), Service: "shop", Timeout: patient}
			if l.OverTLS() {
				l.Protocol, cfg.UserHTTP = evidence.H2, &UserHTTP{TLS: &TLS{Insecure: true}}
			}
			c := clientOf(l, cfg)
			var h evidence.Hit
			now := time.Now()
			failures := c.exchange(request{sent: now, deadline: now.Add(patient)}, &h)
			said := errors.Join(failures...)
			if fault, known := faultOf(failures...); fault != row.want || !known || said == nil || !strings.Contains(said.Error(), row.says) {
				t.Errorf("%q, %v", fault, said)
			}
			c.send(1)
			c.close()
			wantLedger(t, append(kept(t, c), evidence.Hit{Lane: l.ID, Connection: h.Connection, Attempts: h.Attempts, Fault: row.want}),
				noted(t, c))
		})
	}
}

// hangUp closes each connection when it has read something.
func hangUp(t *testing.T) (target string) {
	t.Helper()
	return "http://" + accepting(func(conn *net.TCPConn, _ <-chan struct{}) {
		_ = conn.CloseWrite()
		_, _ = io.Copy(io.Discard, conn) // what is left unread would reset it
	})(t)
}

func TestLanesOfHTTP2ThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		change func(*evidence.Lane)
		want   string
	}{
		{func(l *evidence.Lane) { l.Conn = evidence.Fresh }, "requests share the connections of HTTP/2: none can be new for each"},
		{func(l *evidence.Lane) { l.Resends = true }, "it resends, which no lane over HTTP/2 does"},
		{func(l *evidence.Lane) { l.Target = "https://shop/" }, `h2c is not for target "https://shop/": h2 is for https, and h2c for http`},
		{func(l *evidence.Lane) { l.Protocol = evidence.H2 }, `h2 is not for target "http://shop/": h2 is for https, and h2c for http`},
		{func(l *evidence.Lane) { l.Target = "shop" }, `target "shop" is not an http or https URL`},
	} {
		l := sharing("http://shop/")
		row.change(&l)
		_, err := Start(t.Context(), l, Config{Began: time.Now(), Service: "shop"})
		wantError(t, err, `loadgen: start lane "worker-h2c": `+row.want)
	}
}

func TestFramesInAnyPieces(t *testing.T) {
	var sent strings.Builder
	f := http2.NewFramer(&sent, nil)
	_ = f.WriteSettings()
	_ = f.WriteData(1, false, make([]byte, 300))
	_ = f.WriteRawFrame(goAwayFrame, 0, 0, []byte("short")) // no GOAWAY
	_ = f.WritePing(false, [8]byte{})
	_ = f.WriteGoAway(3, http2.ErrCodeEnhanceYourCalm, []byte("reason"))
	_ = f.WriteData(3, true, make([]byte, 20))
	all := []byte(sent.String())
	for size := 1; size <= len(all); size++ {
		var r FrameReader
		times := 0
		for piece := range slices.Chunk(all, size) {
			told, foreign := r.Look(piece)
			if foreign {
				t.Fatalf("in pieces of %d bytes it is foreign", size)
			}
			if told {
				times++
			}
		}
		if times != 1 || r.code != int(http2.ErrCodeEnhanceYourCalm) || r.got != 0 || r.skip != 0 {
			t.Errorf("in pieces of %d bytes: GOAWAY %d times, %+v", size, times, r)
		}
	}
}
