package grpclane

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"
)

func TestMain(m *testing.M) {
	Link()
	goleak.VerifyTestMain(m)
}

// patient bounds waits for what nothing delays.
const patient = time.Minute

// An app is a server of the test's own.
type app struct {
	*grpc.Server
	pod    string
	reply  func(context.Context) error
	stream func(grpc.ServerStream) error

	mu      sync.Mutex
	arrived map[uint64]int // RPCs by number

	arrivals chan uint64 // the first numbers
}

// newApp returns the app of a pod whose service is shop, with a lane's methods.
func newApp(pod string, options ...grpc.ServerOption) *app {
	a := &app{Server: grpc.NewServer(options...), pod: pod, arrived: map[uint64]int{}, arrivals: make(chan uint64, 1000)}
	a.reply = func(context.Context) error { return nil }
	a.stream = func(grpc.ServerStream) error { return nil }
	a.RegisterService(&grpc.ServiceDesc{ServiceName: "rollcall.Echo", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Reply",
			Handler: func(_ any, ctx context.Context, read func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				a.arrive(ctx)
				if err := grpc.SetHeader(ctx, a.names()); err != nil {
					return nil, err
				}
				if err := read(&emptypb.Empty{}); err != nil {
					return nil, err
				}
				return &emptypb.Empty{}, a.reply(ctx)
			}}},
		Streams: []grpc.StreamDesc{{StreamName: "Stream", ServerStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
			a.arrive(s.Context())
			if err := s.SetHeader(a.names()); err != nil {
				return err
			}
			return a.stream(s)
		}}},
	}, a)
	return a
}

func (a *app) names() metadata.MD {
	return metadata.Pairs("x-rollcall-service", "shop", "x-rollcall-version", "v1", "x-rollcall-pod", a.pod, "x-rollcall-node", "n")
}

func (a *app) arrive(ctx context.Context) {
	said, _ := metadata.FromIncomingContext(ctx)
	for _, seq := range said.Get("x-vegeta-seq") {
		n, err := strconv.ParseUint(seq, 10, 64)
		if err != nil {
			panic(err)
		}
		a.mu.Lock()
		a.arrived[n]++
		a.mu.Unlock()
		select {
		case a.arrivals <- n:
		default:
		}
	}
}

// listen serves at an address of this host.
func (a *app) listen(t testing.TB) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Stop)
	go a.Serve(l)
	return "http://" + l.Addr().String()
}

// A front is a listener whose connections go to one app after the other, as those to a Service do.
type front struct {
	net.Listener
	mu sync.Mutex
	to *behind
}

// newFront returns a front that leads to nobody yet.
func newFront(t *testing.T) *front {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{Listener: l}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			to := f.to
			f.mu.Unlock()
			select {
			case to.conns <- c:
			case <-to.closed:
				c.Close()
			}
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return f
}

// lead has connections from now on lead to an app.
func (f *front) lead(t *testing.T, to *app) {
	b := &behind{front: f, conns: make(chan net.Conn), closed: make(chan struct{})}
	f.mu.Lock()
	f.to = b
	f.mu.Unlock()
	t.Cleanup(to.Stop)
	go to.Serve(b)
}

// A behind is the listener of an app behind a front.
type behind struct {
	*front
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (b *behind) Accept() (net.Conn, error) {
	select {
	case c := <-b.conns:
		return c, nil
	case <-b.closed:
		return nil, os.ErrClosed
	}
}

func (b *behind) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}
