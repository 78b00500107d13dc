//go:build unix

package grpclane

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// BenchmarkRPC measures an RPC and a message of a stream, including the server's part: by a plain client, and as a lane's. Both take turns,
// so that whatever else the machine does meets them alike. The lane's processor time may be 1.3 times as much, which is printed.
func BenchmarkRPC(b *testing.B) {
	const rounds, rpcs, messages = 20, 500, 50
	for _, kind := range []evidence.Protocol{evidence.GRPC, evidence.GRPCStream} {
		b.Run(kind.Name(), func(b *testing.B) {
			a := newApp("a")
			a.stream = func(s grpc.ServerStream) error {
				for range messages {
					if err := s.SendMsg(&emptypb.Empty{}); err != nil {
						return err
					}
				}
				return nil
			}
			l := laneOf(kind, a.listen(b), 1)
			l.Longest = patient
			c, err := loadgen.NewStepClient(l, loadgen.Config{Began: time.Now(), Service: "shop", Timeout: patient})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(c.HangUp)
			var plain []*grpc.ClientConn
			for range channels {
				c, err := grpc.NewClient("passthrough:///"+l.DialAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { c.Close() })
				plain = append(plain, c)
			}
			var spent [2]time.Duration
			for b.Loop() {
				for round := range rounds {
					for i := range 2 {
						before := processorTime(b)
						for n := range rpcs {
							if who := (round + i) % 2; who == 0 {
								askPlainly(b, plain[n%channels], kind)
							} else if h, err := c.Request(); !h.Good() {
								b.Fatalf("%+v, %v", h, err)
							}
						}
						spent[(round+i)%2] += processorTime(b) - before
					}
				}
			}
			b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N*rounds*rpcs), "plain-cpu-us/op")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "times-plain")
		})
	}
}

// askPlainly sends an RPC with a deadline, as most programs do, and reads its replies.
func askPlainly(b *testing.B, c *grpc.ClientConn, kind evidence.Protocol) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patient)
	defer cancel()
	if kind == evidence.GRPC {
		if err := c.Invoke(ctx, replyMethod, &emptypb.Empty{}, &emptypb.Empty{}); err != nil {
			b.Fatal(err)
		}
		return
	}
	s, err := c.NewStream(ctx, oneStream, streamMethod)
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
		b.Fatal(err)
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
