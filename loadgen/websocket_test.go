package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// socketLane returns a lane of messages to an app of the service "shop".
func socketLane(target string, rate int) evidence.Lane {
	l := lane(evidence.Reused, target, rate)
	l.ID, l.Protocol = "worker-websocket", evidence.WebSocket
	return l
}

// A peer of these tests is the server's end of a WebSocket.
type serverEnd struct {
	*websocket.Conn
	tcp    *net.TCPConn
	opened int // how many were before
}

// next reads a message; it is empty at the end of the connection.
func (e serverEnd) next() string {
	_, text, err := e.Read(context.Background())
	if err != nil {
		return ""
	}
	return string(text)
}

func (e serverEnd) answer(number string) {
	_ = e.Write(context.Background(), websocket.MessageText, []byte(number+" shop v1 shop-v1-abc worker"))
}

// serveSockets serves WebSockets, each by a call of a function that may go on when its client has gone.
func serveSockets(t interface{ Cleanup(func()) }, serve func(serverEnd)) *httptest.Server {
	type key struct{}
	var mu sync.Mutex
	var opened int
	var serving sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		w.Header().Set(versionHeader, "v7")
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		mu.Lock()
		end := serverEnd{conn, r.Context().Value(key{}).(*net.TCPConn), opened}
		opened++
		mu.Unlock()
		serve(end)
	}))
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	server.Start()
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return server
}

// sendAll sends messages at the same time over the connection in the first place, and waits for their outcomes.
func sendAll(c *client, turns ...uint64) {
	var sending sync.WaitGroup
	for _, turn := range turns {
		sending.Go(func() { c.send(turn * reusedConns) })
	}
	sending.Wait()
}

// inPlace returns the connections in the first place.
func inPlace(all []evidence.Connection) []evidence.Connection {
	return slices.DeleteFunc(all, func(c evidence.Connection) bool { return c.Slot != 0 })
}

// Each row's first two messages are sent at the same time, and the third when they have an outcome. The server deals with the first
// connection; it answers every message on the next.
func TestHowAWebSocketEnds(t *testing.T) {
	by := evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"}
	const good, closed, reset, returned = evidence.NoFault, evidence.Closed, evidence.Reset, evidence.Returned
	answering := func(e serverEnd) {
		for number := e.next(); number != ""; number = e.next() {
			e.answer(number)
		}
	}
	for _, row := range []struct {
		sentence string
		serve    func(e serverEnd, first, second string)
		want     []evidence.Fault // of the first two, sorted
		row      evidence.Connection
		others   int // connections after it
	}{
		{"it goes on to the end of the load", func(e serverEnd, first, second string) { e.answer(second); e.answer(first); answering(e) },
			[]evidence.Fault{good, good}, evidence.Connection{By: by, Sent: 3, Answered: 3, End: evidence.EndOwn}, 0},
		{"a message is answered again", func(e serverEnd, first, second string) {
			e.answer(first)
			e.answer(first)
			e.answer(second)
			answering(e)
		},
			[]evidence.Fault{good, good}, evidence.Connection{By: by, Sent: 3, Answered: 3, Again: 1, End: evidence.EndOwn}, 0},
		{"what was never sent is answered", func(e serverEnd, first, second string) {
			e.answer("7")
			e.answer("8")
			e.answer(first)
			e.answer(second)
			answering(e)
		}, []evidence.Fault{good, good}, evidence.Connection{By: by, Sent: 3, Answered: 3, Again: 2, End: evidence.EndOwn}, 0},
		{"the server closes it, and vouches for what it has not read", func(e serverEnd, first, _ string) {
			e.answer(first)
			e.Close(websocket.StatusGoingAway, "read 1")
		}, []evidence.Fault{good, returned}, evidence.Connection{By: by, Sent: 2, Answered: 1, InFlight: 1, ToldBy: evidence.CloseFrame,
			End: evidence.EndCode, Code: 1001}, 1},
		{"the server closes it with what it had read unanswered", func(e serverEnd, first, _ string) {
			e.answer(first)
			e.Close(websocket.StatusGoingAway, "read 2")
		}, []evidence.Fault{good, closed}, evidence.Connection{By: by, Sent: 2, Answered: 1, InFlight: 1, ToldBy: evidence.CloseFrame,
			End: evidence.EndCode, Code: 1001}, 1},
		{"it closes it for a reason of its own", func(e serverEnd, first, _ string) {
			e.answer(first)
			e.Close(websocket.StatusServiceRestart, "read none")
		}, []evidence.Fault{good, closed}, evidence.Connection{By: by, Sent: 2, Answered: 1, InFlight: 1, ToldBy: evidence.CloseFrame,
			End: evidence.EndCode, Code: 1012}, 1},
		{"it closes it without a code", func(e serverEnd, _, _ string) { e.Close(websocket.StatusNoStatusRcvd, "") },
			[]evidence.Fault{closed, closed}, evidence.Connection{Sent: 2, InFlight: 2, ToldBy: evidence.CloseFrame, End: evidence.EndCode,
				Code: 1005}, 1},
		{"it ends without a close frame", func(e serverEnd, first, _ string) { e.answer(first); e.CloseNow() },
			[]evidence.Fault{good, closed}, evidence.Connection{By: by, Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFin, Code: 1006}, 1},
		{"it is reset", func(e serverEnd, _, _ string) { e.tcp.SetLinger(0); e.tcp.Close() },
			[]evidence.Fault{reset, reset}, evidence.Connection{Sent: 2, InFlight: 2, End: evidence.EndReset, Code: 1006}, 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			app := serveSockets(t, func(e serverEnd) {
				if first := e.next(); first == "0" || first == "20" {
					row.serve(e, first, e.next())
				} else if first != "" {
					e.answer(first)
					answering(e)
				}
			})
			c := clientOf(socketLane(app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
			sendAll(c, 0, 1)
			sendAll(c, 2)
			c.close()
			hits := kept(t, c)
			faults := []evidence.Fault{hits[0].Fault, hits[1].Fault}
			slices.Sort(faults)
			if !slices.Equal(faults, row.want) || hits[2].Fault != good || hits[2].By != by {
				t.Errorf("hits %+v", hits)
			}
			rows := inPlace(noted(t, c))
			if len(rows) != 1+row.others {
				t.Fatalf("connections %+v", rows)
			}
			ignore := cmpopts.IgnoreFields(evidence.Connection{}, "Lane", "Number", "Opened", "Port", "Told", "Ended")
			if diff := cmp.Diff(row.row, rows[0], ignore); diff != "" {
				t.Errorf("connection (-want +got):\n%s", diff)
			}
			if last := rows[len(rows)-1]; row.others > 0 && (last.Opened < rows[0].Ended || hits[2].Connection != last.Number || hits[2].Reused) {
				t.Errorf("%+v went over %+v after %+v", hits[2], last, rows[0])
			}
			checkLedger(t, c)
		})
	}
}

// checkLedger compares what a client recorded of its messages with what it recorded of its connections.
func checkLedger(t interface{ Errorf(string, ...any) }, c *client) {
	r, err := rangeFrom(c.buffer, 0)
	if err != nil {
		t.Errorf("%v", err)
	}
	if trouble := c.buffer.firstTrouble(); trouble != "" {
		t.Errorf("%s", trouble)
	}
	sent, answered, numbers := map[uint32]int{}, map[uint32]int{}, map[uint64]bool{}
	for _, h := range r.Hits {
		if numbers[h.Seq] || h.Check() != nil || !h.Failed() && !h.Good() && h.Fault != evidence.Returned {
			t.Errorf("%+v", h)
		}
		numbers[h.Seq] = true
		sent[h.Connection]++
		if h.Good() {
			answered[h.Connection]++
		}
	}
	for _, row := range lastOf(r.Connections) {
		if row.Sent != sent[row.Number] || row.Answered != answered[row.Number] || row.Check() != nil || row.End == "" {
			t.Errorf("%+v, and hits say %d sent and %d answered", row, sent[row.Number], answered[row.Number])
		}
	}
}

// Whatever a server does, each message has one outcome, and arrives no more than once; those that the server vouches not to have read did
// not arrive, for it.
func TestLedgerOfMessages(t *testing.T) {
	const answers, twice, late, never, leaves, silent, resets = 0, 1, 2, 3, 4, 5, 6
	rapid.Check(t, func(t *rapid.T) {
		does := rapid.SliceOfN(rapid.SampledFrom([]int{answers, answers, answers, answers, twice, late, never, leaves, silent, resets}), 1, 40).
			Draw(t, "does")
		var mu sync.Mutex
		arrived := map[string]int{}
		var ends cleanups
		app := serveSockets(&ends, func(e serverEnd) {
			var owed []string
			for read := 1; ; read++ {
				number := e.next()
				if number == "" {
					return
				}
				var seq int
				fmt.Sscan(number, &seq)
				mu.Lock()
				arrived[number]++
				mu.Unlock()
				switch does[seq/reusedConns%len(does)] {
				case answers:
					e.answer(number)
				case twice:
					e.answer(number)
					e.answer(number)
				case late:
					owed = append(owed, number)
				case leaves:
					for _, number := range owed {
						e.answer(number)
					}
					mu.Lock()
					arrived[number]--
					mu.Unlock()
					e.Close(websocket.StatusGoingAway, fmt.Sprintf("read %d", read-1))
					return
				case silent:
					return
				case resets:
					e.tcp.SetLinger(0)
					e.tcp.Close()
					return
				}
			}
		})
		defer ends.run()
		c := clientOf(socketLane(app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: 20 * time.Millisecond})
		var turns []uint64
		for turn := range does {
			turns = append(turns, uint64(turn))
		}
		half := len(turns) / 2
		sendAll(c, turns[:half]...)
		sendAll(c, turns[half:]...)
		c.close()
		checkLedger(t, c)
		r, err := rangeFrom(c.buffer, 0)
		if err != nil || len(r.Hits) != len(does) {
			t.Errorf("%d of %d messages have a hit, %v", len(r.Hits), len(does), err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, h := range r.Hits {
			n := arrived[fmt.Sprint(h.Seq)]
			if n > 1 || h.Good() && n != 1 || h.Fault == evidence.Returned && n != 0 {
				t.Errorf("%+v arrived %d times", h, n)
			}
		}
	})
}

// cleanups are what a rapid check has to end itself.
type cleanups []func()

func (c *cleanups) Cleanup(end func()) { *c = append(*c, end) }

func (c *cleanups) run() {
	for _, end := range slices.Backward(*c) {
		end()
	}
}

// A reply that comes when its client has given up is told, and so are messages for which no connection opens.
func TestMessagesWithoutAReplyInTime(t *testing.T) {
	for _, row := range []struct {
		sentence string
		target   func(t *testing.T) string
		want     evidence.Hit
		late     int
	}{
		{"the reply comes too late", func(t *testing.T) string {
			return serveSockets(t, func(e serverEnd) {
				first := e.next()
				if second := e.next(); second != "" {
					e.answer(first)
					e.answer(second)
					e.next()
				}
			}).URL
		}, evidence.Hit{Fault: evidence.Timeout, Attempts: 1, Connection: 1}, 1},
		{"nobody listens", func(t *testing.T) string { return "http://" + refusing(t) }, evidence.Hit{Fault: evidence.Refused}, 0},
		{"what listens speaks no WebSocket", func(t *testing.T) string { return serveApp(t, nil).URL },
			evidence.Hit{Fault: evidence.BadStatus, Status: 200}, 0},
		{"the handshake gets no reply", func(t *testing.T) string {
			hold := make(chan struct{})
			app := serveApp(t, func(http.ResponseWriter, *http.Request) { <-hold })
			t.Cleanup(func() { close(hold) })
			return app.URL
		}, evidence.Hit{Fault: evidence.Timeout}, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			c := clientOf(socketLane(row.target(t), 1), Config{Began: time.Now(), Service: "shop", Timeout: stalled})
			sendAll(c, 0)
			if row.late > 0 {
				sendAll(c, 1)
			}
			c.close()
			hits := kept(t, c)
			ignore := cmpopts.IgnoreFields(evidence.Hit{}, "Lane", "Due", "Sent", "Took", "Connect", "LocalPort", "Resent", "Connection")
			if diff := cmp.Diff(row.want, hits[0], ignore); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			late := 0
			for _, c := range noted(t, c) {
				late += c.Late
			}
			if late != row.late {
				t.Errorf("%d late replies, want %d", late, row.late)
			}
			checkLedger(t, c)
		})
	}
}

// A message of a user's app may be any, and so may a reply: it belongs to the first message without one.
func TestWebSocketOfAUsersApp(t *testing.T) {
	var mu sync.Mutex
	var got []string
	app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Version", "v3")
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"chat"}})
		if err != nil {
			return
		}
		defer conn.CloseNow()
		_ = conn.Write(r.Context(), websocket.MessageText, []byte("welcome")) // before anybody asked
		for {
			_, text, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			mu.Lock()
			got = append(got, r.URL.Path+" "+r.Header.Get("X-Key")+" "+conn.Subprotocol()+" "+string(text))
			mu.Unlock()
			_ = conn.Write(context.Background(), websocket.MessageBinary, []byte("pong"))
		}
	}))
	app.Config.ErrorLog = log.New(io.Discard, "", 0) // the client closes connections whose handshake goes on
	app.StartTLS()
	t.Cleanup(app.Close)
	user := &UserHTTP{Headers: []HeaderField{{"X-Key", "k"}, {"Sec-WebSocket-Protocol", "chat"}}, Body: []byte("ping"), Header: "X-Version",
		TLS: &TLS{Insecure: true}}
	l := socketLane(app.URL+"/live", 1)
	if version, err := user.RequestOn(l, patient); version != "v3" || err != nil {
		t.Errorf("before the load: %q, %v", version, err)
	}
	c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: user})
	sendAll(c, 0)
	sendAll(c, 1, 2)
	c.close()
	for _, h := range kept(t, c) {
		if !h.Good() || h.By != (evidence.Server{Version: "v3"}) {
			t.Errorf("%+v", h)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if want := slices.Repeat([]string{"/live k chat ping"}, 4); !slices.Equal(got, want) {
		t.Errorf("the app got %q", got)
	}
}

// Before a load, what is in its way is one line.
func TestWhyThereIsNoWebSocket(t *testing.T) {
	closing := func(code websocket.StatusCode) func(t *testing.T) string {
		return func(t *testing.T) string {
			return serveSockets(t, func(e serverEnd) {
				e.next()
				e.Close(code, "")
			}).URL
		}
	}
	for _, row := range []struct {
		sentence string
		target   func(t *testing.T) string
		want     NoReplyError
		says     string
	}{
		{"the port speaks no WebSocket", func(t *testing.T) string { return serveApp(t, nil).URL }, NoReplyError{Status: 200,
			Unspoken: "it answers with status 200, where a WebSocket begins with 101"}, "200 OK"},
		{"the message is too long for the server", closing(websocket.StatusMessageTooBig), NoReplyError{Opened: true, Fault: evidence.Closed},
			"StatusMessageTooBig"},
		{"the reply is too long", func(t *testing.T) string {
			return serveSockets(t, func(e serverEnd) {
				e.next()
				_ = e.Write(context.Background(), websocket.MessageText, make([]byte, messageLimit+1))
				e.next()
			}).URL
		}, NoReplyError{Opened: true, Fault: evidence.WrongServer, Unspoken: "it sends a message of more than 1 MiB"}, "more than 1 MiB"},
		{"the server never answers", func(t *testing.T) string { return serveSockets(t, func(e serverEnd) { e.next(); e.next() }).URL },
			NoReplyError{Opened: true, Fault: evidence.Timeout}, "timeout"},
		{"nobody listens", func(t *testing.T) string { return "http://" + refusing(t) }, NoReplyError{Fault: evidence.Refused}, "refused"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			agent, err := NewAgent(AgentConfig{Token: "secret"})
			if err != nil {
				t.Fatal(err)
			}
			defer agent.Stop()
			api := httptest.NewServer(agent)
			defer api.Close()
			limit := patient
			if row.want.Fault == evidence.Timeout {
				limit = stalled
			}
			l, none := socketLane(row.target(t), 1), (*NoReplyError)(nil)
			if _, err := new(UserHTTP).RequestOn(l, limit); !errors.As(err, &none) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(row.want, *none, cmpopts.IgnoreFields(NoReplyError{}, "Because")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(none.Because, row.says) || strings.Contains(none.Because, "\n") {
				t.Errorf("it says %q", none.Because)
			}
			if row.want.Fault == evidence.Timeout {
				return // an agent is more patient
			}
			if err := (Remote{URL: api.URL, Token: "secret"}).Reach(t.Context(), l, new(UserHTTP)); !errors.As(err, &none) ||
				none.Fault != row.want.Fault || none.Status != row.want.Status {
				t.Errorf("an agent: %v", err)
			}
		})
	}
}

func TestLanesOfWebSockets(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*evidence.Lane, *Config)
		want     string // empty: it can be loaded
	}{
		{"a lane of the echo app", func(*evidence.Lane, *Config) {}, ""},
		{"one of a user's app", func(_ *evidence.Lane, cfg *Config) { cfg.UserHTTP = &UserHTTP{Header: "X-Version"} }, ""},
		{"a new connection for each message", func(l *evidence.Lane, _ *Config) { l.Conn = evidence.Fresh }, "connections are kept"},
		{"a client that resends", func(l *evidence.Lane, _ *Config) { l.Resends = true }, "never sent again"},
		{"another method", func(_ *evidence.Lane, cfg *Config) { cfg.UserHTTP = &UserHTTP{Method: "POST"} }, "not with a POST"},
		{"a version in the body", func(_ *evidence.Lane, cfg *Config) { cfg.UserHTTP = &UserHTTP{Pattern: "v(.)"} }, "handshake alone"},
		{"no URL", func(l *evidence.Lane, _ *Config) { l.Target = "shop:80" }, "URL"},
	} {
		l, cfg := socketLane("http://shop.example/", 1), Config{Began: time.Now(), Service: "shop"}
		row.change(&l, &cfg)
		if err := check(l, cfg); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
