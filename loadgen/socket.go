package loadgen

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"example.com/rollcall/harness/evidence"
)

const (
	// messageLimit bounds a message of a server, in bytes.
	messageLimit = 1 << 20
	// mostGivenUp is how many messages that nobody waits for are remembered, so that a late reply is known as such.
	mostGivenUp = 1000
)

// A socket is an open WebSocket. Reads and writes have no deadline, since one that passes ends the connection: messages have. They share a
// timer, since one that is set wakes a thread (Go's runtime/proc.go, wakeNetPoller).
type socket struct {
	userapp   *replyReader // nil: the app is the echo app
	w         *httpConn    // below
	upgraded  *upgrader    // between the two
	conn      *websocket.Conn
	noted     *connection
	opened    time.Time
	port      uint16
	handshake uint32 // of TLS, in microseconds

	by   reply  // of the last reply or, of a user's app, of the handshake
	from string // the words of the last reply that by was read from

	sending sync.Mutex // held while a message is written: their order is that of their numbers on the connection

	writing atomic.Pointer[message] // the message that is being written; nil: none is

	mu      sync.Mutex
	sent    int
	waiting []*message  // in the order sent
	expiry  *time.Timer // calls expire; nil before the first message
	expires time.Time   // when it does; zero: it is not set
	over    bool
}

// A message is one that was sent.
type message struct {
	seq      uint64
	index    int // number on its connection, from 1
	deadline time.Time
	done     chan outcome // receives one
	givenUp  bool         // nobody waits for it
}

// An outcome is what became of a message: it has a reply, it was returned, or it failed.
type outcome struct {
	reply
	returned bool
	failures []error
}

// A notUpgradedError says that what answered the handshake does not speak WebSocket.
type notUpgradedError struct{ status int }

func (e *notUpgradedError) Error() string {
	return fmt.Sprintf("a WebSocket begins with status 101, and the handshake got %d", e.status)
}

// dial opens a connection for a place. A redirect is a reply, as to other lanes.
func (s *webSockets) dial(number int) (*socket, error) {
	now := time.Now()
	var h evidence.Hit
	w, err := s.connect(0, request{sent: now, deadline: now.Add(s.timeout)}, &h)
	if err != nil {
		s.noteFailure(err)
		return nil, err
	}
	defer context.AfterFunc(s.ending, func() { w.conn.Close() })()
	asked := s.request(0)
	asked.Header.Del(seqHeader)
	between := &upgrader{w: w}
	options := &websocket.DialOptions{HTTPHeader: asked.Header, Host: asked.Host, HTTPClient: &http.Client{Transport: between,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	for _, protocols := range asked.Header.Values("Sec-WebSocket-Protocol") {
		options.Subprotocols = append(options.Subprotocols, strings.FieldsFunc(protocols, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	conn, got, err := websocket.Dial(context.Background(), s.target.String(), options)
	if err == nil {
		err = w.conn.SetDeadline(time.Time{})
	} else if got != nil && got.StatusCode != http.StatusSwitchingProtocols {
		err = &notUpgradedError{got.StatusCode}
	}
	if err != nil {
		w.conn.Close()
		return nil, err
	}
	conn.SetReadLimit(messageLimit)
	k := &socket{userapp: s.userapp, w: w, upgraded: between, conn: conn, opened: time.Now(), port: h.LocalPort, handshake: h.HandshakeMicros}
	if s.userapp != nil {
		k.by.by.Version = got.Header.Get(s.userapp.Header)
	}
	k.noted = s.rows.opened(k.opened, number, int(k.port))
	return k, nil
}

// An upgrader makes the handshake over a connection that is open, and is then that connection.
type upgrader struct {
	w      *httpConn
	failed atomic.Pointer[error] // why reading ended
}

// RoundTrip sends the request of the handshake. The body of the reply is then the connection.
func (u *upgrader) RoundTrip(asked *http.Request) (*http.Response, error) {
	u.w.left = headerLimit
	if err := asked.Write(u.w.stream); err != nil {
		return nil, err
	}
	got, err := u.w.readHead(asked)
	if err != nil {
		return nil, cmp.Or(u.w.readErr, err)
	}
	if got.StatusCode == http.StatusSwitchingProtocols {
		got.Body = u
	}
	return got, nil
}

func (u *upgrader) Read(p []byte) (int, error) {
	n, err := u.w.in.Read(p)
	if err != nil {
		ended := err // so that only a read that fails allocates
		u.failed.CompareAndSwap(nil, &ended)
	}
	return n, err
}

func (u *upgrader) Write(p []byte) (int, error) { return u.w.stream.Write(p) }

// Close closes the connection. TLS's closing alert would wait for a peer that reads nothing.
func (u *upgrader) Close() error { return u.w.conn.Close() }

// send sends a message; it returns nil, and has sent nothing, if the connection has ended.
func (k *socket) send(seq uint64, deadline time.Time) *message {
	k.sending.Lock()
	defer k.sending.Unlock()
	m := &message{seq: seq, deadline: deadline, done: make(chan outcome, 1)}
	k.writing.Store(m) // before its deadline can pass
	defer k.writing.Store(nil)
	if !k.await(m) {
		return nil
	}
	text := strconv.AppendUint(nil, seq, 10)
	if k.userapp != nil && len(k.userapp.Body) > 0 {
		text = k.userapp.Body
	}
	_ = k.conn.Write(context.Background(), websocket.MessageText, text) // the reader meets an error too, and may know more
	return m
}

// await waits for the reply to a message that is about to be sent, unless the connection has ended.
func (k *socket) await(m *message) (open bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return false
	}
	k.sent++
	m.index = k.sent
	k.waiting = append(k.waiting, m)
	k.expireBy(m.deadline)
	k.noted.sent()
	return true
}

// expireBy has expire called by a time; the caller holds the lock.
func (k *socket) expireBy(deadline time.Time) {
	switch {
	case k.expiry == nil:
		k.expiry = time.AfterFunc(time.Until(deadline), k.expire)
	case k.expires.IsZero() || deadline.Before(k.expires):
		k.expiry.Reset(time.Until(deadline))
	default:
		return
	}
	k.expires = deadline
}

// expire fails messages whose deadline has passed, and closes the connection of a peer that has not read one by then.
func (k *socket) expire() {
	if k.giveUp(time.Now()) {
		k.end(os.ErrDeadlineExceeded)
		k.w.conn.Close()
	}
}

// giveUp fails messages whose deadline is not after a time, and reports whether one is still being written.
func (k *socket) giveUp(now time.Time) (stuck bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expires = time.Time{}
	for _, m := range k.waiting {
		switch {
		case m.givenUp:
		case m.deadline.After(now):
			k.expireBy(m.deadline)
		case m == k.writing.Load():
			stuck = true
		default:
			m.givenUp = true
			k.noted.unanswered()
			m.done <- outcome{failures: []error{os.ErrDeadlineExceeded}}
		}
	}
	for len(k.waiting) > mostGivenUp && k.waiting[0].givenUp {
		k.waiting = k.waiting[1:]
	}
	return stuck
}

// read reads replies to the end of the connection, and returns how it ended.
func (k *socket) read() error {
	var text bytes.Buffer
	for {
		_, reader, err := k.conn.Reader(context.Background())
		if err == nil {
			text.Reset()
			_, err = text.ReadFrom(reader)
		}
		if errors.Is(err, websocket.ErrMessageTooBig) {
			return UnspokenError(fmt.Sprintf("it sends a message of more than %d MiB", messageLimit>>20))
		}
		if err != nil {
			if cause := k.upgraded.failed.Load(); cause != nil && websocket.CloseStatus(err) < 0 {
				return *cause
			}
			return err
		}
		k.answer(text.Bytes())
	}
}

// answer finds the message that a reply is to: by the number that the echo app repeats. Any message of a user's app is the reply to the
// first one that has none.
func (k *socket) answer(text []byte) {
	number, words, _ := bytes.Cut(text, []byte(" "))
	seq, err := strconv.ParseUint(string(number), 10, 64)
	if k.userapp == nil && k.from != string(words) {
		k.from = string(words)
		k.by = reply{}
		if named := strings.Fields(k.from); len(named) == 4 {
			k.by = reply{service: named[0], by: evidence.Server{Version: named[1], Pod: named[2], Node: named[3]}}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := 0
	if k.userapp == nil && err == nil {
		at = slices.IndexFunc(k.waiting, func(m *message) bool { return m.seq == seq })
	}
	switch {
	case at < 0 || len(k.waiting) == 0:
		if k.userapp == nil { // others may send what nobody asked for
			k.noted.again()
		}
		return
	case k.waiting[at].givenUp:
		k.noted.late()
	default:
		k.noted.answered(k.by.by)
		k.waiting[at].done <- outcome{reply: k.by}
	}
	k.waiting = slices.Delete(k.waiting, at, at+1)
}

// leave closes the connection as a client does that no longer needs it.
func (k *socket) leave() {
	k.noted.ended(evidence.EndOwn)
	unheard := time.AfterFunc(closeTimeout, func() { k.w.conn.Close() })
	defer unheard.Stop()
	_ = k.conn.Close(websocket.StatusNormalClosure, "")
}

// end notes how the connection ended, and gives each message without a reply its outcome. The echo app's last words are how many messages
// it has read: it vouches that it did not process the others.
func (k *socket) end(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return
	}
	k.over = true
	if k.expiry != nil {
		k.expiry.Stop()
	}
	read, closed := math.MaxInt, websocket.CloseError{Code: websocket.StatusAbnormalClosure}
	if errors.As(err, &closed) {
		k.noted.told(evidence.CloseFrame)
		k.noted.endedWith(time.Now(), evidence.EndCode, int(closed.Code))
		if n, known := readUpTo(closed.Reason); known && k.userapp == nil {
			read = n
		}
	} else {
		k.noted.endedWith(time.Now(), endOf(err), int(closed.Code))
	}
	for _, m := range k.waiting {
		switch {
		case m.givenUp:
		case m.index > read:
			m.done <- outcome{returned: true}
		default:
			m.done <- outcome{failures: []error{err}}
		}
	}
	k.waiting = nil
}

// readUpTo reads the reason for which the echo app closes a connection, such as "read 57".
func readUpTo(reason string) (messages int, known bool) {
	text, is := strings.CutPrefix(reason, "read ")
	messages, err := strconv.Atoi(text)
	return messages, is && err == nil && messages >= 0
}
