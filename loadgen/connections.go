package loadgen

import (
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
)

// connections notes what becomes of the connections that a lane keeps. It is safe for concurrent use; a nil one, of a lane whose requests
// nobody logs, notes nothing.
type connections struct {
	lane  string
	clock clock
	note  func(evidence.Connection) // receives a connection whenever something new is known of it
	event func(evidence.Event)      // receives what happens to a channel, which has one connection at a time

	mu   sync.Mutex
	last uint32 // the highest number given
}

// opened notes a connection that has been opened at a time, from a port of this host. Its slot is the place that it has among those which
// the lane keeps.
func (s *connections) opened(at time.Time, slot, port int) *connection {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.last++
	c := &connection{of: s, is: evidence.Connection{Lane: s.lane, Number: s.last, Slot: slot, Opened: s.clock.at(at), Port: port}}
	s.mu.Unlock()
	s.note(c.is)
	return c
}

// channelState notes the state that a channel comes into. Its slot is that of its connections.
func (s *connections) channelState(slot int, state string) {
	if s != nil {
		s.event(evidence.Event{At: s.clock.at(time.Now()), Kind: evidence.ChannelState, Object: s.lane, Count: slot, Detail: state})
	}
}

// A connection is one that is open, for whoever uses it. It is safe for concurrent use; a nil one is not noted.
type connection struct {
	of *connections
	mu sync.Mutex
	is evidence.Connection
}

// number returns its number in the lane; 0 if it is not noted.
func (c *connection) number() uint32 {
	if c == nil {
		return 0
	}
	return c.is.Number
}

// sent counts a request that is about to be sent over it.
func (c *connection) sent() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.is.Sent++
	c.is.InFlight++
	c.mu.Unlock()
}

// answered counts a whole reply by a server.
func (c *connection) answered(by evidence.Server) {
	if c == nil {
		return
	}
	c.mu.Lock()
	if c.is.Answered == 0 {
		c.is.By = by
	}
	c.is.Answered++
	c.is.InFlight--
	c.mu.Unlock()
}

// told notes that the server told its client to go.
func (c *connection) told(by evidence.Notice) {
	c.become(func(is *evidence.Connection) bool {
		if is.ToldBy != "" {
			return false
		}
		is.Told, is.ToldBy = c.of.clock.at(time.Now()), by
		return true
	})
}

// unanswered counts a request without a whole reply, after which the connection went on.
func (c *connection) unanswered() { c.count(func(is *evidence.Connection) { is.InFlight-- }) }

// takenBack counts a request that was not sent over it after all.
func (c *connection) takenBack() {
	c.count(func(is *evidence.Connection) {
		is.Sent--
		is.InFlight--
	})
}

// late counts a reply to a request that was given up.
func (c *connection) late() { c.count(func(is *evidence.Connection) { is.Late++ }) }

// again counts a reply to a request that had one, or that was never sent.
func (c *connection) again() { c.count(func(is *evidence.Connection) { is.Again++ }) }

func (c *connection) count(one func(*evidence.Connection)) {
	if c == nil {
		return
	}
	c.mu.Lock()
	one(&c.is)
	c.mu.Unlock()
}

// ended notes how it ended. What comes after its first end is not noted.
func (c *connection) ended(how evidence.End) { c.endedWith(time.Now(), how, 0) }

// endedWith notes when and how it ended, and with which code of its protocol; 0: that has none.
func (c *connection) endedWith(at time.Time, how evidence.End, code int) {
	c.become(func(is *evidence.Connection) bool {
		is.Ended, is.End, is.Code = c.of.clock.at(at), how, code
		return true
	})
}

// become notes a change, unless there is none or the connection has ended.
func (c *connection) become(change func(*evidence.Connection) bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	changed := c.is.End == "" && change(&c.is)
	is := c.is
	c.mu.Unlock()
	if changed {
		c.of.note(is)
	}
}

// endOf returns how the connection of an exchange ended that failed with these errors.
func endOf(failures ...error) evidence.End {
	fault, known := faultOf(failures...)
	switch {
	case fault == evidence.Closed && known:
		return evidence.EndFin
	case fault == evidence.Reset:
		return evidence.EndReset
	case fault == evidence.Timeout:
		return evidence.EndTimeout
	default:
		return evidence.EndFault
	}
}
