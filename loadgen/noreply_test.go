package loadgen

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/rollcall/harness/evidence"
)

// What became of a request is the same whether this process sent it or an agent.
func TestWhyThereIsNoReply(t *testing.T) {
	app := func(serve http.HandlerFunc) func(t *testing.T) string {
		return func(t *testing.T) string {
			server := httptest.NewServer(serve)
			t.Cleanup(server.Close)
			return server.Listener.Addr().String()
		}
	}
	overTLS := func(clients tls.ClientAuthType) func(t *testing.T) string {
		return func(t *testing.T) string {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.TLS = &tls.Config{ClientAuth: clients, MaxVersion: tls.VersionTLS12}
			server.StartTLS()
			t.Cleanup(server.Close)
			return server.Listener.Addr().String()
		}
	}
	handshakes := func(t *testing.T) string { // and speaks no HTTP, as a proxy that wants mTLS
		certified := httptest.NewUnstartedServer(nil)
		certified.StartTLS()
		defer certified.Close()
		listener, err := tls.Listen("tcp", "127.0.0.1:0", certified.TLS)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_ = conn.(*tls.Conn).HandshakeContext(t.Context())
				conn.Close()
			}
		}()
		return listener.Addr().String()
	}
	overHTTP2 := func(t *testing.T) string {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	for _, row := range []struct {
		sentence string
		target   func(t *testing.T) string
		want     *NoReplyError
	}{
		{"a good reply", app(func(http.ResponseWriter, *http.Request) {}), nil},
		{"a redirection is a reply, wherever it leads", app(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://255.255.255.255/", http.StatusFound)
		}), nil},
		{"a bad status", app(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }),
			&NoReplyError{Status: http.StatusServiceUnavailable}},
		{"a bad request of a server without TLS", app(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }),
			&NoReplyError{Status: http.StatusBadRequest}},
		{"nobody listens", refusing, &NoReplyError{Fault: evidence.Refused}},
		{"a target without a route", unroutable, &NoReplyError{Fault: evidence.Unreachable}},
		{"a connection that is reset", peer(resets("")), &NoReplyError{Fault: evidence.Reset, Opened: true}},
		{"a connection that is closed", peer(says("")), &NoReplyError{Fault: evidence.Closed, Opened: true}},
		{"a connection that stays silent", peer(stalls("")), &NoReplyError{Fault: evidence.Timeout, Opened: true}},
		{"half a reply", peer(says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1")), &NoReplyError{Fault: evidence.Closed, Opened: true}},
		{"another protocol", peer(says("-ERR unknown command\r\n")), &NoReplyError{Fault: evidence.Closed, Opened: true}},
		{"HTTP/2 alone, which gRPC is over", overHTTP2,
			&NoReplyError{Opened: true, Unspoken: "its port speaks HTTP/2 alone, as gRPC does"}},
		{"a server that wants HTTPS", overTLS(tls.NoClientCert), &NoReplyError{Status: http.StatusBadRequest, TLS: true}},
		{"a server that wants HTTPS and a client certificate", overTLS(tls.RequireAnyClientCert),
			&NoReplyError{Status: http.StatusBadRequest, TLS: true}},
		{"a server that speaks TLS but no HTTP", handshakes, &NoReplyError{Opened: true, TLS: true}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			agent, err := NewAgent(AgentConfig{Token: "secret"})
			if err != nil {
				t.Fatal(err)
			}
			defer agent.Stop()
			api := httptest.NewServer(agent)
			defer api.Close()
			target := "http://" + row.target(t)
			asked := &UserHTTP{Status: []int{http.StatusOK, http.StatusFound}}
			limit := patient
			if row.want != nil && row.want.Fault == evidence.Timeout {
				limit = stalled
			}
			_, here := asked.Request(target, "", limit)
			there := Remote{URL: api.URL, Token: "secret"}.Reach(t.Context(), evidence.Lane{Target: target}, asked)
			ignore := cmpopts.IgnoreFields(NoReplyError{}, "Because")
			if row.want != nil && row.want.Fault == "" && row.want.Status == 0 { // what is in the way of one that does not read at all varies
				ignore = cmpopts.IgnoreFields(NoReplyError{}, "Because", "Fault")
			}
			for by, err := range map[string]error{"this process": here, "an agent": there} {
				var none *NoReplyError
				if err != nil && (!errors.As(err, &none) || !strings.HasPrefix(err.Error(), "loadgen: request")) {
					t.Fatalf("%s: error %v", by, err)
				}
				if diff := cmp.Diff(row.want, none, ignore); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%v", by, diff, err)
				}
			}
		})
	}
}
