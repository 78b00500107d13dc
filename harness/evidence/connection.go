package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Connection is one that a lane keeps open for several requests, as its client saw it. Hits that it carried have its number. What its
// client had not noted when it was killed is in the hits alone: then Sent and Answered are less than those.
type Connection struct {
	Lane     string        `json:"lane"`                // id of the lane
	Number   uint32        `json:"number"`              // within the lane, from 1; the next process of an agent leaves numbers out
	Slot     int           `json:"slot,omitempty"`      // the place that it has among those its lane keeps, from 0: the next one there replaces it
	Opened   time.Duration `json:"opened"`              // when it was open, on the clock of the lane's node
	Port     int           `json:"port,omitempty"`      // of the client
	By       Server        `json:"by,omitzero"`         // the server that gave the first reply; zero without a reply
	Sent     int           `json:"sent,omitempty"`      // requests that were sent over it
	Answered int           `json:"answered,omitempty"`  // requests with a whole reply, of any status
	InFlight int           `json:"in_flight,omitempty"` // requests without an outcome when it ended
	Late     int           `json:"late,omitempty"`      // replies to requests whose client had stopped waiting
	Again    int           `json:"again,omitempty"`     // replies to requests that had one, or that were never sent
	Told     time.Duration `json:"told,omitempty"`      // when its client was told to go
	ToldBy   Notice        `json:"told_by,omitempty"`   // by what it was told; empty: it was not
	Ended    time.Duration `json:"ended,omitempty"`     // when its client noted its end, which may be when it was to be used next
	End      End           `json:"end,omitempty"`       // how it ended; empty: that was not noted
	Code     int           `json:"code,omitempty"`      // of the end, where it has one
}

// Connections returns a stream of connections given in any order. It does not copy them.
func Connections(connections []Connection) Stream[Connection] {
	return Sorted(connections, func(c Connection) string { return c.Lane }, (*Connection).Compare)
}

// A Notice is what tells a client to leave a connection. The set is closed.
type Notice string

// The notices.
const (
	CloseHeader Notice = "connection-close" // a reply of HTTP/1.1 with this header
	GoAway      Notice = "goaway"           // the frame of HTTP/2
	CloseFrame  Notice = "close-frame"      // of a WebSocket
	Goodbye     Notice = "goodbye"          // a message of the app's own
)

// An End is how a connection ended. The set is closed.
type End string

// The ends.
const (
	EndFin     End = "fin"
	EndReset   End = "rst"
	EndCode    End = "code"
	EndStatus  End = "status"
	EndFault   End = "fault"
	EndTimeout End = "timeout"
	EndOwn     End = "own"
	EndAgent   End = "agent"
)

// Who ended a connection.
const (
	byServer = "server"
	byClient = "client"
	byAgent  = "agent"
)

// An ending says who ended a connection, and what happened to it.
type ending struct {
	end      End
	by, text string
}

// All ends, in the order in which the guide to a run folder shows them.
var endings = []ending{
	{EndFin, byServer, "it was closed"},
	{EndReset, byServer, "it was reset"},
	{EndCode, byServer, "it was closed with a code of its protocol"},
	{EndStatus, byServer, "it was ended with a status of its protocol"},
	{EndFault, byServer, "it broke in another way, which the fault of its last hit names"},
	{EndTimeout, byClient, "no whole reply came in time"},
	{EndOwn, byClient, "it was told to go, had another connection, or the load ended"},
	{EndAgent, byAgent, "it was killed, which its next process noted"},
}

// Ends lists every end, in the order in which the guide to a run folder shows them.
func Ends() (ends []End) {
	for _, e := range endings {
		ends = append(ends, e.end)
	}
	return ends
}

// By returns who ended the connection: server, client or agent; empty if it is not known to have ended.
func (e End) By() string { return e.ending().by }

// Meaning says what happened to a connection that ended so. Its subject, for an end by client or agent, is that.
func (e End) Meaning() string { return e.ending().text }

func (e End) ending() ending {
	if i := slices.IndexFunc(endings, func(known ending) bool { return known.end == e }); i >= 0 {
		return endings[i]
	}
	return ending{}
}

// Cut reports whether the server ended the connection, told its client to, or stopped answering: its client would have kept it.
func (a Connection) Cut() bool {
	return a.End.By() == byServer || a.End == EndTimeout || a.ToldBy != "" && a.End == EndOwn
}

// Compare is the order within a lane: by number. What is noted later of a connection comes later.
func (a *Connection) Compare(b *Connection) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.noted(), b.noted()), cmp.Compare(a.Sent, b.Sent),
		cmp.Compare(a.Answered, b.Answered), cmp.Compare(a.Ended, b.Ended), cmp.Compare(a.Opened, b.Opened))
}

// noted ranks what is known of the connection. An agent's next process knows least of its end.
func (a *Connection) noted() int {
	switch {
	case a.End != "" && a.End != EndAgent:
		return 3
	case a.End == EndAgent:
		return 2
	case a.ToldBy != "":
		return 1
	default:
		return 0
	}
}

// Check returns an error for a connection that is impossible.
func (a Connection) Check() error {
	switch {
	case a.Number == 0:
		return errors.New("it has no number")
	case a.Port < 0 || a.Port > math.MaxUint16:
		return fmt.Errorf("port %d is out of range", a.Port)
	case min(a.Slot, a.Sent, a.Answered, a.InFlight) < 0 || max(a.Slot, a.Sent, a.Answered, a.InFlight) > math.MaxInt32:
		return fmt.Errorf("slot %d, %d sent, %d answered or %d in flight is out of range", a.Slot, a.Sent, a.Answered, a.InFlight)
	case min(a.Late, a.Again) < 0 || max(a.Late, a.Again) > math.MaxInt32:
		return fmt.Errorf("%d late replies or %d repeated ones are out of range", a.Late, a.Again)
	case a.Code < 0 || a.Code > math.MaxInt32:
		return fmt.Errorf("code %d is out of range", a.Code)
	case a.ToldBy != "" && !slices.Contains([]Notice{CloseHeader, GoAway, CloseFrame, Goodbye}, a.ToldBy):
		return fmt.Errorf("unknown notice %q", a.ToldBy)
	case a.End != "" && !slices.Contains(Ends(), a.End):
		return fmt.Errorf("unknown end %q", a.End)
	default:
		return nil
	}
}
