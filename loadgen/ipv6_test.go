package loadgen

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
)

// TestServiceOfIPv6 sends requests to a Service by an address with colons, at its port.
func TestServiceOfIPv6(t *testing.T) {
	ca := newAuthority(t)
	trusting := &UserHTTP{TLS: &TLS{CA: ca.pem(), ServerName: "web.shop.svc"}}
	for _, row := range []struct {
		sentence string
		secure   bool
		lane     func(*corev1.Service, evidence.Conn) evidence.Lane
	}{
		{"plain, by its address", false, func(s *corev1.Service, conn evidence.Conn) evidence.Lane {
			return lane(conn, fixtures.HTTPURL(s), 1)
		}},
		{"over TLS, by its name at its address", true, func(s *corev1.Service, conn evidence.Conn) evidence.Lane {
			port := strconv.Itoa(int(s.Spec.Ports[0].Port))
			l := lane(conn, "https://web.shop.svc:"+port+"/", 1)
			l.Address = net.JoinHostPort(s.Spec.ClusterIP, port)
			return l
		}},
	} {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			t.Run(row.sentence+", "+string(conn), func(t *testing.T) {
				listener, err := net.Listen("tcp", "[::1]:0")
				if err != nil {
					t.Skipf("this host has no ::1: %v", err)
				}
				asked := make(chan string, 1)
				app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					nameApp(w.Header())
					asked <- r.Host
				}))
				app.Listener.Close()
				app.Listener, app.TLS = listener, &tls.Config{Certificates: []tls.Certificate{ca.host(t, "web.shop.svc")}}
				start, how := app.Start, (*UserHTTP)(nil)
				if row.secure {
					start, how = app.StartTLS, trusting
				}
				start()
				t.Cleanup(app.Close)
				at := netip.MustParseAddrPort(listener.Addr().String())
				service := &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: at.Addr().String(),
					Ports: []corev1.ServicePort{{Port: int32(at.Port())}}}}
				l := row.lane(service, conn)
				c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: how})
				t.Cleanup(c.close)
				if hit, trouble := c.ask(0, 0); hit.Failed() || hit.LocalPort == 0 || trouble != nil {
					t.Fatalf("%+v, %v", hit, trouble)
				}
				host := at.String()
				if row.secure {
					host = "web.shop.svc:" + strconv.Itoa(int(at.Port()))
				}
				if got := <-asked; got != host || l.DialAddress() != at.String() {
					t.Errorf("asked for host %s at %s, want %s at %s", got, l.DialAddress(), host, at)
				}
			})
		}
	}
}
