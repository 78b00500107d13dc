package grpclane

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// A call is an RPC under way. grpc-go sends one again by itself, once, if its server vouches that it did not process it: that is a second
// attempt.
type call struct {
	of *lane

	mu       sync.Mutex
	attempts int
	over     *conn // of the last attempt; nil: it got none
	reused   bool  // which had carried an RPC before
	by       evidence.Server
	service  string
	status   bool // the server sent one
}

// callKey is the key of the call in the context of its RPC.
type callKey struct{}

// given notes that the RPC was given to a connection.
func (c *call) given(to *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != nil {
		c.over.noted.Unanswered()
	}
	c.attempts++
	c.over, c.reused = to, to.carried.Swap(true)
	to.noted.Sent()
}

// replied notes who replies.
func (c *call) replied(said metadata.MD) {
	by, service := c.of.server(said)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by, c.service = by, service
}

// answered notes that a status came. Then its connection may end, if the server told its client to go.
func (c *call) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status = true; c.over != nil {
		c.over.noted.Answered(c.by)
	}
}

// A counter tells calls what becomes of their attempts.
type counter struct{}

// TagRPC keeps the context.
func (counter) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC notes an attempt, and what comes from the server.
func (counter) HandleRPC(ctx context.Context, s stats.RPCStats) {
	c, is := ctx.Value(callKey{}).(*call)
	if !is {
		return
	}
	switch s := s.(type) {
	case *stats.OutHeader:
		if local, is := s.LocalAddr.(localAddr); is {
			c.given(local.of)
		}
	case *stats.InHeader:
		c.replied(s.Header)
	case *stats.InTrailer:
		c.answered()
	}
}

// TagConn keeps the context.
func (counter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing: a conn notes more.
func (counter) HandleConn(context.Context, stats.ConnStats) {}

// Exchange sends an RPC and waits for its status.
func (l *lane) Exchange(q loadgen.Turn, h *evidence.Hit) (failures []error) {
	c := &call{of: l}
	to := l.channels[q.Seq%uint64(len(l.channels))]
	ctx := l.metadata(context.WithValue(context.Background(), callKey{}, c), q.Seq)
	if l.Protocol.Streams() {
		return l.judge(c, to, q, h, l.stream(ctx, to, q, h))
	}
	ctx, cancel := context.WithDeadline(ctx, q.Deadline)
	defer cancel()
	return l.judge(c, to, q, h, to.Invoke(ctx, l.method, l.request, &emptypb.Empty{}))
}

// oneStream is the description of an RPC whose replies are a stream.
var oneStream = &grpc.StreamDesc{ServerStreams: true}

// stream reads a stream as its messages come, to its status. The deadline of the RPC is that of the first message; each moves it by as much
// as the RPC had, and no further than the longest stream may last. A server is not told of it.
func (l *lane) stream(ctx context.Context, to *channel, q loadgen.Turn, h *evidence.Hit) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(time.Until(q.Deadline), func() { cancel(os.ErrDeadlineExceeded) })
	defer late.Stop()
	defer func() {
		if err != nil && context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
	}()
	s, err := to.NewStream(ctx, oneStream, l.method)
	if err != nil {
		return err
	}
	if err := s.SendMsg(l.request); err != nil && !errors.Is(err, io.EOF) { // EOF: its status says why
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	for last := q.Sent; ; {
		err := s.RecvMsg(&emptypb.Empty{})
		now := time.Now()
		h.Marked = errors.Is(err, io.EOF)
		if err == nil || h.Marked {
			loadgen.NoteToken(h, now.Sub(last))
		}
		switch {
		case h.Marked:
			return nil
		case err != nil:
			return err
		}
		if last = now; l.Longest > 0 {
			late.Reset(min(q.Deadline.Sub(q.Sent), time.Until(q.Sent.Add(l.Longest))))
		}
	}
}

// judge writes into the hit what came of an RPC, and returns the errors that tell it.
func (l *lane) judge(c *call, to *channel, q loadgen.Turn, h *evidence.Hit, err error) []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.Attempts, h.Reused, h.By = int16(c.attempts), c.reused, c.by
	if over := c.over; over != nil {
		h.LocalPort, h.Connection = uint16(over.port), over.noted.Number()
		if waited := over.opened.Sub(q.Sent); waited > 0 && !h.Reused {
			h.Connect = waited.Truncate(time.Microsecond)
		}
		if !c.status {
			over.noted.Unanswered()
		}
	}
	switch got := status.Convert(err); {
	case err == nil:
		h.Status = http.StatusOK
		if l.misses(c.by, c.service) {
			h.Fault = evidence.WrongServer
		}
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded), got.Code() == codes.DeadlineExceeded && !time.Now().Before(q.Deadline):
		return []error{os.ErrDeadlineExceeded}
	case c.status:
		h.Status, h.Fault = int16(got.Code()), evidence.BadStatus
		l.note(got)
		return nil
	default:
		return l.failures(c.over, to, h, err)
	}
}

// What grpc-go says of an RPC without a status from the server (internal/transport/http2_client.go, v1.83).
var (
	// The server vouches that it did not process it. grpc-go sends it again once, so this is the second time.
	returned = regexp.MustCompile("REFUSED_STREAM|server is draining the connection")
	byHTTP   = regexp.MustCompile(`unexpected HTTP status code received from server: (\d{3})`) // by a proxy
)

// failures writes into the hit how an RPC failed without a status from the server, or returns the errors that tell it.
func (l *lane) failures(over *conn, to *channel, h *evidence.Hit, err error) []error {
	got, broke := status.Convert(err), error(nil)
	if over != nil {
		broke = over.err()
	} else {
		var port int
		port, broke = to.failure()
		h.LocalPort = uint16(port)
	}
	if errors.Is(broke, errNoHTTP2) { // which grpc-go says in many words
		l.link.Note(evidence.RPCFailed, errNoHTTP2.Error())
		h.Fault = evidence.WrongServer
		return nil
	}
	l.note(got)
	switch proxied := byHTTP.FindStringSubmatch(got.Message()); {
	case returned.MatchString(got.Message()):
		h.Fault = evidence.Returned
	case proxied != nil:
		code, _ := strconv.ParseInt(proxied[1], 10, 16) // no error: three digits
		h.Status, h.Fault = int16(code), evidence.BadStatus
	case broke != nil:
		return []error{err, broke}
	case strings.Contains(got.Message(), "RST_STREAM"):
		h.Fault = evidence.Reset
	case got.Code() == codes.ResourceExhausted: // the reply is longer than grpc-go takes
		h.Status, h.Fault = int16(got.Code()), evidence.BadStatus
	case over != nil && got.Code() != codes.Unavailable: // what came is no reply of gRPC
		h.Fault = evidence.WrongServer
	default:
		return []error{err}
	}
	return nil
}

// note notes the status of an RPC that failed. Ports differ each time, and are left out.
func (l *lane) note(got *status.Status) {
	words := strings.Fields(got.Message())
	for i, word := range words {
		if _, to, two := strings.Cut(word, "->"); two {
			words[i] = to
		}
	}
	l.link.Note(evidence.RPCFailed, got.Code().String()+": "+strings.Join(words, " "))
}
