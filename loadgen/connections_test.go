package loadgen

import (
	"bufio"
	"cmp"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/rollcall/harness/evidence"
)

// noted returns what was noted last of each connection of a client, by number.
func noted(t *testing.T, c *client) (all []evidence.Connection) {
	t.Helper()
	r, err := rangeFrom(c.buffer, 0)
	if err != nil {
		t.Fatal(err)
	}
	return lastOf(r.Connections)
}

// lastOf returns the last of what was noted of each connection, by number.
func lastOf(rows []evidence.Connection) (last []evidence.Connection) {
	for _, row := range rows {
		last = slices.DeleteFunc(last, func(c evidence.Connection) bool { return c.Number == row.Number })
		last = append(last, row)
	}
	slices.SortFunc(last, func(a, b evidence.Connection) int { return cmp.Compare(a.Number, b.Number) })
	return last
}

// Each row's second request goes to the slot of the first.
func TestHowAConnectionEnds(t *testing.T) {
	const whole = "HTTP/1.1 200 OK\r\nX-Rollcall-Service: shop\r\nX-Rollcall-Version: v1\r\nX-Rollcall-Pod: a\r\nX-Rollcall-Node: n\r\n" +
		"Content-Length: 0\r\n"
	type does func(conn *net.TCPConn, in *bufio.Reader)
	answer := func(reply string) does {
		return func(conn *net.TCPConn, in *bufio.Reader) { answerOne(conn, in, reply) }
	}
	hangUp := func(conn *net.TCPConn, in *bufio.Reader) {
		answerOne(conn, in, "") // a connection with something unread would be reset
		conn.Close()
	}
	leave := func(conn *net.TCPConn, _ *bufio.Reader) { conn.Close() }
	reset := func(conn *net.TCPConn, _ *bufio.Reader) { conn.SetLinger(0); conn.Close() }
	hold := func(_ *net.TCPConn, in *bufio.Reader) { io.Copy(io.Discard, in) }
	push := func(conn *net.TCPConn, _ *bufio.Reader) { io.WriteString(conn, "x") }
	by := evidence.Server{Version: "v1", Pod: "a", Node: "n"}
	for _, row := range []struct {
		sentence      string
		first, second does // what the server does once it has read the second request
		idle          does // and meanwhile; nil: nothing
		resends       bool
		want          evidence.Connection
		others        int // connections after it
	}{
		{"it goes on to the end of the load", answer(whole + "\r\n"), answer(whole + "\r\n"), nil, false,
			evidence.Connection{Sent: 2, Answered: 2, End: evidence.EndOwn}, 0},
		{"a reply tells the client to go", answer(whole + "Connection: close\r\n\r\n"), answer(whole + "\r\n"), nil, false,
			evidence.Connection{Sent: 1, Answered: 1, ToldBy: evidence.CloseHeader, End: evidence.EndOwn}, 1},
		{"a reply that only net/http reads tells it", answer(whole + "Vary: a\r\nConnection: close\r\n\r\n"), answer(whole + "\r\n"), nil, false,
			evidence.Connection{Sent: 1, Answered: 1, ToldBy: evidence.CloseHeader, End: evidence.EndOwn}, 1},
		{"the server closes it with a request in flight", answer(whole + "\r\n"), hangUp, nil, false,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFin}, 0},
		{"the server resets it with a request in flight", answer(whole + "\r\n"), reset, nil, false,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndReset}, 0},
		{"the server does not answer in time", answer(whole + "\r\n"), hold, nil, false,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndTimeout}, 0},
		{"what the server sends is no reply", answer(whole + "\r\n"), answer("gremlin\r\n\r\n"), nil, false,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFault}, 0},
		{"a reply ends too early", answer(whole + "\r\n"), func(conn *net.TCPConn, in *bufio.Reader) {
			answerOne(conn, in, strings.Replace(whole, ": 0", ": 9", 1)+"\r\n")
			conn.Close()
		}, nil, false, evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFin}, 0},
		{"the server closes it while it is idle", answer(whole + "\r\n"), answer(whole + "\r\n"), leave, false,
			evidence.Connection{Sent: 1, Answered: 1, End: evidence.EndFin}, 1},
		{"the server resets it while it is idle", answer(whole + "\r\n"), answer(whole + "\r\n"), reset, false,
			evidence.Connection{Sent: 1, Answered: 1, End: evidence.EndReset}, 1},
		{"the server sends what nobody asked for", answer(whole + "\r\n"), answer(whole + "\r\n"), push, false,
			evidence.Connection{Sent: 1, Answered: 1, End: evidence.EndOwn}, 1},
		{"the client resends what it lost", answer(whole + "\r\n"), hangUp, nil, true,
			evidence.Connection{Sent: 2, Answered: 1, InFlight: 1, End: evidence.EndFin}, 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			idle, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				turns, requests := []does{row.first, row.second, answer(whole + "\r\n")}, 0
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					defer conn.Close()
					in := bufio.NewReader(conn)
					for requests < len(turns) {
						if _, err := in.Peek(1); err != nil {
							break
						}
						turns[requests](conn.(*net.TCPConn), in)
						if requests++; requests == 1 && row.idle != nil {
							<-idle
							row.idle(conn.(*net.TCPConn), in)
						}
					}
				}
			}()
			t.Cleanup(func() { listener.Close(); <-done })

			l := lane(evidence.Reused, "http://"+listener.Addr().String(), 1)
			l.Resends = row.resends
			timeout := patient
			if row.want.End == evidence.EndTimeout {
				timeout = stalled
			}
			c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: timeout})
			c.send(0)
			if row.idle != nil {
				w := c.exchanger.(*direct).slots[0].Load()
				close(idle)
				await(t, w)
			}
			c.send(reusedConns)
			c.close()

			rows := noted(t, c)
			if len(rows) != 1+row.others {
				t.Fatalf("%d connections, want %d: %+v", len(rows), 1+row.others, rows)
			}
			got, want, hits := rows[0], row.want, kept(t, c)
			want.Lane, want.Number, want.By, want.Port = l.ID, 1, by, int(hits[0].LocalPort)
			if got.Opened > hits[0].End() || got.Ended < hits[0].Sent || (got.ToldBy != "") != (got.Told > 0) {
				t.Errorf("opened at %v, told at %v, ended at %v; its first request took %v from %v on", got.Opened, got.Told, got.Ended, hits[0].Took,
					hits[0].Sent)
			}
			got.Opened, got.Told, got.Ended = 0, 0, 0
			if got != want {
				t.Errorf("\n%+v, want\n%+v", got, want)
			}
			if hits[0].Connection != 1 || hits[1].Connection != uint32(1+row.others) {
				t.Errorf("the requests were sent over connections %d and %d", hits[0].Connection, hits[1].Connection)
			}
			if last := rows[len(rows)-1]; row.others > 0 && (last.End != evidence.EndOwn || last.Answered != 1 || last.Slot != 0) {
				t.Errorf("the connection after it: %+v", last)
			}
		})
	}
}

// await waits until something came over a connection, also if that is its reset, which reading would take away.
func await(t *testing.T, w *httpConn) {
	t.Helper()
	raw, err := w.conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	came := 0
	if err := raw.Control(func(fd uintptr) {
		came, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patient.Milliseconds()))
	}); err != nil || came == 0 {
		t.Fatalf("nothing came in %v: %v", patient, err)
	}
}

// What a lane keeps is in rows; a connection for one request is in its hit.
func TestConnectionsOfLanes(t *testing.T) {
	app := serveApp(t, nil)
	for _, row := range []struct {
		sentence string
		conn     evidence.Conn
		want     int
	}{
		{"a lane that keeps connections", evidence.Reused, reusedConns},
		{"a lane with a new connection for each request", evidence.Fresh, 0},
	} {
		c := clientOf(lane(row.conn, app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
		for n := range uint64(2 * reusedConns) {
			c.send(n)
		}
		c.close()
		rows := noted(t, c)
		if len(rows) != row.want {
			t.Errorf("%s: %d connections, want %d", row.sentence, len(rows), row.want)
		}
		for _, h := range kept(t, c) {
			if want := uint32(h.Seq)%reusedConns + 1; h.Connection != want && row.want > 0 || h.Connection != 0 && row.want == 0 {
				t.Errorf("%s: request %d went over connection %d", row.sentence, h.Seq, h.Connection)
			}
		}
		for i, c := range rows {
			if c.Number != uint32(i+1) || c.Slot != i || c.Sent != 2 || c.Answered != 2 || c.Check() != nil {
				t.Errorf("%s: %+v", row.sentence, c)
			}
		}
	}
}

// A handshake that fails is the end of a connection, too.
func TestAConnectionWithoutTLS(t *testing.T) {
	app := httptest.NewUnstartedServer(http.NotFoundHandler())
	app.Config.ErrorLog = log.New(io.Discard, "", 0)
	app.StartTLS()
	t.Cleanup(app.Close)
	l := lane(evidence.Reused, app.URL, 1)
	c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: &UserHTTP{}})
	c.send(0)
	c.close()
	if rows := noted(t, c); len(rows) != 1 || rows[0].End != evidence.EndFault || rows[0].Sent != 0 {
		t.Errorf("%+v", rows)
	}
}
