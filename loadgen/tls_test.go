package loadgen

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// serveTLS serves an app over TLS, and returns its host and port.
func serveTLS(t testing.TB, cfg *tls.Config, app http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(app)
	server.TLS, server.Config.ErrorLog = cfg, log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// notes collects the events of lanes.
type notes struct {
	mu  sync.Mutex
	all []evidence.Event
}

func (n *notes) add(e evidence.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, e)
}

// TestFaultOfTLS sends one request to servers with and without working TLS, over both kinds of connection.
func TestFaultOfTLS(t *testing.T) {
	ca := newAuthority(t)
	named := func(_ http.ResponseWriter, _ *http.Request) {}
	serving := func(cfg *tls.Config) func(*testing.T) string {
		return func(t *testing.T) string { return serveTLS(t, cfg, named) }
	}
	with := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	shop := with(ca.host(t, "shop.test"))
	old, asking := shop.Clone(), shop.Clone()
	old.MaxVersion = tls.VersionTLS12
	asking.ClientAuth, asking.ClientCAs = tls.RequireAnyClientCert, nil
	trusting := TLS{CA: ca.pem(), ServerName: "shop.test"}
	client := trusting
	client.Certificate, client.Key = pair(t, ca.host(t, "client"))
	strict, blind := trusting, TLS{Insecure: true}
	strict.MinVersion = tls.VersionTLS13
	for _, row := range []struct {
		sentence string
		server   func(*testing.T) string
		asks     TLS
		want     evidence.Fault
		noted    string // of the last thing that the lane noted
	}{
		{"the app", serving(shop), trusting, evidence.NoFault, `"CN=shop.test", valid until 20`},
		{"a certificate that has expired", serving(with(ca.host(t, "shop.test", -2*time.Hour, -time.Hour))), trusting, evidence.CertExpired,
			`"CN=shop.test"`},
		{"a certificate that is not valid yet", serving(with(ca.host(t, "shop.test", time.Hour, 2*time.Hour))), trusting, evidence.CertExpired,
			`"CN=shop.test"`},
		{"a certificate of another host", serving(with(ca.host(t, "cart.test"))), trusting, evidence.CertWrongName, `"CN=cart.test"`},
		{"a certificate of another authority", serving(with(newAuthority(t).host(t, "shop.test"))), trusting, evidence.CertUnknownAuthority,
			`"CN=shop.test"`},
		{"a certificate with all of these faults, for an insecure client", serving(with(newAuthority(t).host(t, "cart.test", -2, -1))), blind,
			evidence.NoFault, `"CN=cart.test"`},
		{"a server that wants a certificate of the client", serving(asking), trusting, evidence.HandshakeFailed,
			"remote error: tls: certificate required"},
		{"a server that gets the certificate of the client", serving(asking), client, evidence.NoFault, `"CN=shop.test"`},
		{"a version that is too old", serving(old), strict, evidence.HandshakeFailed, "remote error: tls: protocol version not supported"},
		{"plain HTTP on the port", func(t *testing.T) string { return strings.TrimPrefix(serveApp(t, nil).URL, "http://") }, trusting,
			evidence.PlainHTTP, ""},
		{"a port that does not speak TLS", accepting(mail), trusting, evidence.HandshakeFailed, "tls: first record does not look like"},
		{"a port that is silent", accepting(stalls("")), trusting, evidence.Timeout, ""},
		{"a close in place of a handshake", peer(says("")), trusting, evidence.Closed, ""},
		{"nobody listens", refusing, trusting, evidence.Refused, ""},
	} {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			t.Run(row.sentence+", "+string(conn), func(t *testing.T) {
				var said notes
				timeout := patient
				if row.want == evidence.Timeout {
					timeout = time.Second
				}
				l := lane(conn, "https://"+row.server(t)+"/", 1)
				c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: timeout, UserHTTP: &UserHTTP{TLS: &row.asks}, Note: said.add})
				t.Cleanup(c.close)
				hit, trouble := c.ask(0, 0)
				if hit.Fault != row.want || trouble != nil {
					t.Errorf("fault %q, trouble %v; want %q", hit.Fault, trouble, row.want)
				}
				// The alert of TLS 1.3 about the client's certificate comes after its handshake (RFC 8446, 4.4.2.4).
				late := strings.HasSuffix(row.noted, "certificate required")
				if hit.HandshakeMicros > 0 != (row.want == evidence.NoFault || late) {
					t.Errorf("a handshake of %d µs", hit.HandshakeMicros)
				}
				last := ""
				if n := len(said.all); n > 0 {
					last = said.all[n-1].Detail
				}
				if !strings.Contains(last, row.noted) || row.noted == "" && last != "" {
					t.Errorf("noted %q, want %q", last, row.noted)
				}
			})
		}
	}
}

// mail greets like a mail server, and reads until the client ends.
func mail(conn *net.TCPConn, _ <-chan struct{}) {
	io.WriteString(conn, "220 mail ready\r\n")
	io.Copy(io.Discard, conn)
}

// TestKeptTLSConnections has a server end connections, or not, between two requests of a lane that keeps them.
func TestKeptTLSConnections(t *testing.T) {
	ca := newAuthority(t)
	for _, row := range []struct {
		sentence string
		version  uint16
		ends     bool
	}{
		{"an open TLS 1.3 connection is used again", tls.VersionTLS13, false},
		{"an open TLS 1.2 connection is used again", tls.VersionTLS12, false},
		{"a TLS 1.3 connection that the peer closed is not", tls.VersionTLS13, true},
		{"a TLS 1.2 connection that the peer closed is not", tls.VersionTLS12, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			kept := make(chan net.Conn, 2)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.TLS = &tls.Config{Certificates: []tls.Certificate{ca.host(t, "shop.test")}, MaxVersion: row.version}
			server.Config.ConnState = func(c net.Conn, s http.ConnState) {
				if s == http.StateIdle {
					kept <- c
				}
			}
			server.StartTLS()
			t.Cleanup(server.Close)
			c := clientOf(lane(evidence.Reused, server.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient,
				UserHTTP: &UserHTTP{TLS: &TLS{CA: ca.pem(), ServerName: "shop.test"}}})
			t.Cleanup(c.close)
			first, _ := c.ask(0, 0)
			conn := <-kept
			if row.ends {
				w := c.exchanger.(*direct).slots[0].Load()
				conn.Close()
				hear(t, w)
			}
			next, _ := c.ask(reusedConns, 1)
			if first.Failed() || first.Reused || first.HandshakeMicros == 0 {
				t.Errorf("first %+v", first)
			}
			if next.Failed() || next.Reused == row.ends || next.Reused == (next.HandshakeMicros > 0) {
				t.Errorf("next %+v", next)
			}
		})
	}
}

// A new certificate during a load is reported once, even across processes of the agent. The next process continues with the content
// of the requests, which cannot be read from the spool.
func TestACertificateThatChanges(t *testing.T) {
	const secret = "c2VzYW1lCg-open-sesame"
	ca := newAuthority(t)
	certificates := []tls.Certificate{ca.host(t, "old.test"), ca.host(t, "new.test")}
	var shown atomic.Int32
	asked := make(chan struct{}, 1)
	server := serveTLS(t, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &certificates[shown.Load()], nil
	}}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != secret || r.Host != "shop.test" || r.Method != http.MethodPut {
			w.WriteHeader(http.StatusUnauthorized)
		}
		select {
		case asked <- struct{}{}:
		default:
		}
	})
	dir := t.TempDir()
	begin := func() (*Agent, Remote) {
		agent, err := NewAgent(AgentConfig{Token: "secret", Spool: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(agent.Stop)
		api := httptest.NewServer(agent)
		t.Cleanup(api.Close)
		return agent, Remote{URL: api.URL, Token: "secret", Client: api.Client()}
	}
	agent, remote := begin()
	l := lane(evidence.Fresh, "https://shop.test/?token="+secret, 100)
	l.Address = server
	err := remote.Start(t.Context(), []evidence.Lane{l}, Config{Began: time.Now(), Service: "shop", Timeout: patient,
		UserHTTP: &UserHTTP{Method: http.MethodPut, Body: []byte(secret), Headers: []HeaderField{{"Authorization", secret}},
			TLS: &TLS{Insecure: true}}})
	if err != nil {
		t.Fatal(err)
	}
	arrive(t, "request", asked)
	shown.Store(1)
	awaitNoted := func(r Remote, n int) []evidence.Event {
		for {
			arrive(t, "request", asked)
			status, err := r.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(status.Noted) == n {
				return status.Noted
			}
		}
	}
	found := awaitNoted(remote, 2)
	for i, e := range found {
		want := []string{"CN=old.test", "CN=new.test"}[i]
		if e.Kind != evidence.CertificateSeen || e.Object != l.ID || e.Count != i+1 || !strings.Contains(e.Detail, want) || e.Check() != nil {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "sesame") || strings.Contains(string(text), "c2VzYW") {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}

	agent.Stop()
	hits, at := drain(t, remote, l.ID, 0)
	_, again := begin()
	for before := len(hits); len(hits) < before+2; {
		arrive(t, "request", asked)
		r, err := again.HitsFrom(t.Context(), l.ID, at)
		if err != nil {
			t.Fatal(err)
		}
		hits, at = append(hits, r.Hits...), r.Next
	}
	if i := slices.IndexFunc(hits, evidence.Hit.Failed); i >= 0 {
		t.Errorf("%+v", hits[i])
	}
	if status, err := again.Status(t.Context()); err != nil || len(status.Noted) != 2 {
		t.Errorf("%+v, %v", status.Noted, err)
	}
	if err := again.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
