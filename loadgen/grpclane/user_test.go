package grpclane

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// overTLS returns how a server is secured.
func overTLS() grpc.ServerOption {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return grpc.Creds(credentials.NewServerTLSFromCert(&s.TLS.Certificates[0]))
}

// TestDrainOverTLS drains a user's app that says its version. Its GOAWAY is encrypted.
func TestDrainOverTLS(t *testing.T) {
	old, next, front := newApp("old", overTLS()), newApp("new", overTLS()), newFront(t)
	front.lead(t, old)
	user := &loadgen.UserHTTP{Header: "X-Rollcall-Version", TLS: &loadgen.TLS{Insecure: true}}
	hits, rows := load(t, laneOf(evidence.GRPC, "https://"+front.Addr().String()+replyMethod, 50), user, func() {
		old.await(t)
		front.lead(t, next)
		old.GracefulStop()
		next.await(t)
	})
	if lost := compare(t, hits, old, next); lost > 0 {
		t.Errorf("%d RPCs are lost", lost)
	}
	told := 0
	for _, c := range rows {
		if c.ToldBy == evidence.GoAway {
			told++
		}
		if c.By != (evidence.Server{Version: "v1"}) {
			t.Errorf("connection %+v", c)
		}
	}
	if told != channels {
		t.Errorf("the clients of %d connections are told, want %d", told, channels)
	}
}

func TestRequestsBeforeTheLoad(t *testing.T) {
	healthy := func(t *testing.T) string {
		a := newApp("a")
		healthpb.RegisterHealthServer(a, health.NewServer())
		return a.listen(t)
	}
	for _, row := range []struct {
		sentence string
		target   func(t *testing.T) string
		user     *loadgen.UserHTTP
		want     string // in the error
	}{
		{"a user's app answers about its health", healthy, &loadgen.UserHTTP{}, ""},
		{"it may do without that, and be asked for another method", func(t *testing.T) string { return newApp("a").listen(t) + replyMethod },
			&loadgen.UserHTTP{}, ""},
		{"without it the error says so", func(t *testing.T) string { return newApp("a").listen(t) }, &loadgen.UserHTTP{},
			"Unimplemented: unknown service grpc.health.v1.Health"},
		{"a version that it does not name", healthy, &loadgen.UserHTTP{Header: "version"}, "the reply names no version where it should"},
		{"ours is asked for its name", func(t *testing.T) string { return newApp("a").listen(t) }, nil, ""},
		{"a server without HTTP/2", func(t *testing.T) string { return webServer(t, nil) }, nil, "it does not speak HTTP/2, which gRPC needs"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := row.user.RequestPatiently(evidence.Lane{Conn: evidence.Reused, Target: row.target(t), Protocol: evidence.GRPC})
			var none *loadgen.NoReplyError
			if row.want == "" && err != nil || row.want != "" && (!errors.As(err, &none) || !strings.Contains(none.Because, row.want)) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q has several lines", err)
			}
		})
	}
}
