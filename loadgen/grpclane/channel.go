package grpclane

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/rollcall/loadgen"
)

// A channel is a client with one connection at a time, and so one pod: grpc-go's pick_first, which is its default, over one address. When
// the server tells it to go, RPCs in flight finish, and the next one makes it connect anew.
type channel struct {
	*grpc.ClientConn
	slot int
	link *loadgen.Link

	mu    sync.Mutex
	last  error // how the last connection broke, or why it could not be opened
	port  int   // its local port
	state connectivity.State
}

// redial is how long a channel waits after it could not connect: an RPC is to meet the network as it is, and not as it was a second ago,
// which is how long grpc-go waits by default. It does not wait longer after the next failure.
const redial = 100 * time.Millisecond

// connect returns the n-th channel of a lane, which does not connect yet.
func (l *lane) connect(n int, timeout time.Duration) (*channel, error) {
	c := &channel{slot: n, link: l.link}
	l.link.ChannelState(n, c.state.String()) // an agent that began again has new channels
	secured := insecure.NewCredentials()
	if l.OverTLS() {
		config := l.link.TLS(l.target.Hostname())
		config.NextProtos = []string{"h2"}
		secured = credentials.NewTLS(config)
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(watched{secured, c}), grpc.WithContextDialer(c.dial), grpc.WithNoProxy(), grpc.WithStatsHandler(counter{}),
		grpc.WithDisableRetry(), grpc.WithDisableServiceConfig(), grpc.WithDefaultServiceConfig(notesStates), grpc.WithIdleTimeout(0),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: timeout,
			Backoff: backoff.Config{BaseDelay: redial, Multiplier: 1, MaxDelay: redial}}),
	}
	if l.host != "" {
		options = append(options, grpc.WithAuthority(l.host))
	}
	var err error
	c.ClientConn, err = grpc.NewClient("passthrough:///"+l.DialAddress(), options...)
	return c, err
}

// dial opens a connection.
func (c *channel) dial(ctx context.Context, address string) (net.Conn, error) {
	opened, port, err := c.link.Dial(ctx, address)
	if err != nil {
		c.failed(err, port)
		return nil, err
	}
	at := time.Now()
	return &conn{Conn: opened, of: c, noted: c.link.Opened(at, c.slot, port), opened: at, port: port}, nil
}

// failed keeps how a connection broke, or why it could not be opened.
func (c *channel) failed(err error, port int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.port = err, port
}

// failure returns what failed keeps.
func (c *channel) failure() (port int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.port, c.last
}
