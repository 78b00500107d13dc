//go:build unix

package loadgen_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
	"example.com/rollcall/loadgen/grpclane"
)

// Methods of a lane without a path.
const (
	replyMethod  = "/rollcall.Echo/Reply"
	streamMethod = "/rollcall.Echo/Stream"
)

// BenchmarkRPC measures an RPC with one message, and one with 50. The lane's processor time may be 1.3 times as much.
func BenchmarkRPC(b *testing.B) {
	grpclane.Link()
	const messages, channels = 50, 20
	for _, row := range []struct {
		protocol evidence.Protocol
		ask      func(context.Context, *grpc.ClientConn) error
	}{{evidence.GRPC, askOne}, {evidence.GRPCStream, askStream}} {
		b.Run(row.protocol.Name(), func(b *testing.B) {
			address := serveRPCs(b, messages)
			var plain []*grpc.ClientConn
			for range channels {
				c, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { c.Close() })
				plain = append(plain, c)
			}
			n := 0
			loadgen.TimesPlain(b, 500, 1, "RPC", func() {
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute) // as most programs do
				defer cancel()
				if err := row.ask(ctx, plain[n%channels]); err != nil {
					b.Fatal(err)
				}
				n++
			}, evidence.Lane{ID: "worker-" + row.protocol.Name(), Vantage: evidence.FromPod, Conn: evidence.Reused, Protocol: row.protocol,
				Target: "http://" + address, Rate: 100, Longest: time.Minute})
		})
	}
}

// serveRPCs serves a lane's methods as Rollcall's app, and returns the address.
func serveRPCs(b *testing.B, messages int) (address string) {
	b.Helper()
	names := metadata.Pairs("x-rollcall-service", "shop", "x-rollcall-version", "v1", "x-rollcall-pod", "a", "x-rollcall-node", "n")
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		replies := 1
		if method, _ := grpc.MethodFromServerStream(s); method == streamMethod {
			replies = messages
		}
		err := errors.Join(s.SetHeader(names), s.RecvMsg(&emptypb.Empty{}))
		for ; err == nil && replies > 0; replies-- {
			err = s.SendMsg(&emptypb.Empty{})
		}
		return err
	}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Stop)
	go server.Serve(l)
	return l.Addr().String()
}

func askOne(ctx context.Context, c *grpc.ClientConn) error {
	return c.Invoke(ctx, replyMethod, &emptypb.Empty{}, &emptypb.Empty{})
}

func askStream(ctx context.Context, c *grpc.ClientConn) error {
	s, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, streamMethod)
	if err == nil {
		err = s.SendMsg(&emptypb.Empty{})
	}
	if err == nil {
		err = s.CloseSend()
	}
	for err == nil {
		err = s.RecvMsg(&emptypb.Empty{})
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
