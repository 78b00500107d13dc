package loadgen

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Linked is a protocol whose exchanger is in a package of its own: only programs that link that package have its library.
type Linked struct {
	Check func(evidence.Lane, Config) error // returns why it cannot load a lane, or nil
	// Open opens what carries the requests of a lane that was checked. The error is why the lane cannot begin.
	Open func(evidence.Lane, Config, *Link) (Exchanger, error)
	// Batched says that its requests are many and cheap, so that the spool takes the frames of several with one write.
	Batched bool
}

// An Exchanger does what exchanger does, in another package.
type Exchanger interface {
	// Exchange sends a request and writes what came of it into the hit: its fault, or the errors that tell it.
	Exchange(Turn, *evidence.Hit) (failures []error)
	Close()
}

// A Turn is one request of a lane.
type Turn struct {
	Seq      uint64 // number in the lane, which the app logs
	Sent     time.Time
	Deadline time.Time
}

// Add adds a protocol to those that lanes of this process may have, before any begins.
func (l Linked) Add(name evidence.Protocol) {
	open := func(lane evidence.Lane, cfg Config, noted *connections) (exchanger, error) {
		opened, err := l.Open(lane, cfg, &Link{lane: lane, cfg: cfg, clock: newClock(cfg.Began), noted: noted})
		if err != nil {
			return nil, err
		}
		return linked{opened}, nil
	}
	protocols[name] = protocol{check: l.Check, open: open, batched: l.Batched}
}

// A linked is an Exchanger as an exchanger.
type linked struct{ of Exchanger }

func (l linked) exchange(q request, h *evidence.Hit) []error {
	return l.of.Exchange(Turn{Seq: q.seq, Sent: q.sent, Deadline: q.deadline}, h)
}

func (l linked) close() { l.of.Close() }

// A Link gives an Exchanger what the lanes of a process have in common.
type Link struct {
	lane  evidence.Lane
	cfg   Config
	clock clock
	noted *connections
}

// Dial opens a connection from the next local port. The port is known even of one that could not be opened, if it was tried.
func (l *Link) Dial(ctx context.Context, address string) (opened net.Conn, port int, err error) {
	opened, err = l.cfg.Ports.dial(ctx, net.Dialer{KeepAlive: -1}, address) // as lanes over HTTP dial
	var undialled *dialError
	switch {
	case err == nil:
		port = int(localPort(opened))
	case errors.As(err, &undialled):
		port = undialled.port
	}
	return opened, port, err
}

// TLS returns how connections to a host are secured. The lane's settings were checked.
func (l *Link) TLS(host string) *tls.Config {
	secured, _ := l.cfg.UserHTTP.tls().config(host)
	return secured
}

// Note notes an event of the lane at the current time.
func (l *Link) Note(kind evidence.EventKind, detail string) {
	if l.cfg.Note != nil {
		l.cfg.Note(evidence.Event{At: l.clock.at(time.Now()), Kind: kind, Object: l.lane.ID, Detail: detail})
	}
}

// Opened notes a connection that has been opened, in the place that it has among those which the lane keeps.
func (l *Link) Opened(at time.Time, slot, port int) Connection {
	return Connection{l.noted.opened(at, slot, port)}
}

// ChannelState notes the state that a channel comes into now, in the place that its connections have.
func (l *Link) ChannelState(slot int, state string) { l.noted.channelState(slot, state) }

// A Connection is one that is open, for the package that uses it.
type Connection struct{ is *connection }

// Number returns its number in the lane.
func (c Connection) Number() uint32 { return c.is.number() }

// Sent counts a request that is about to be sent over it.
func (c Connection) Sent() { c.is.sent() }

// Answered counts a whole reply by a server.
func (c Connection) Answered(by evidence.Server) { c.is.answered(by) }

// Unanswered counts a request off whose reply nobody waits for any more.
func (c Connection) Unanswered() { c.is.unanswered() }

// Told notes that the server told its client to go.
func (c Connection) Told(by evidence.Notice) { c.is.told(by) }

// Ended notes that its client ended it or, with the error of reading or writing it, that it broke. What comes after its first end is not
// noted.
func (c Connection) Ended(broke error) {
	if broke == nil {
		c.is.ended(evidence.EndOwn)
	} else {
		c.is.ended(endOf(broke))
	}
}

// NoteToken notes a token, or the end mark, that came so long after the one before it or after its request was sent.
func NoteToken(h *evidence.Hit, after time.Duration) { noteToken(h, after) }
