package cluster_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

func TestDoors(t *testing.T) {
	ports := []corev1.ServicePort{{Name: "udp", NodePort: 1}, {Name: "http", NodePort: 30123}}
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: ports}}
	for _, row := range []struct {
		sentence string
		door     cluster.Door
		url      string
		nodePort int32
	}{
		{"a NodePort, of the port named http", cluster.NodePorts("10.0.0.2"), "http://10.0.0.2:30123/", fixtures.AnyNodePort},
		{"of a node with an address of IPv6", cluster.NodePorts("fd00::2"), "http://[fd00::2]:30123/", fixtures.AnyNodePort},
		{"of a node that was not found yet", cluster.NodePorts(""), "", fixtures.AnyNodePort},
		{"a URL that was named", cluster.GivenURL("http://shop/"), "http://shop/", 0},
		{"none", cluster.NoDoor("nobody wants one"), "", 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			url, err := row.door.Open(t.Context(), service)
			if url != row.url || err != nil || row.door.NodePort != row.nodePort {
				t.Errorf("NodePort %d, %q, %v", row.door.NodePort, url, err)
			}
		})
	}
}

// A door that terminates clients' connections and opens its own changes their addresses and ports. Hits and arrivals are joined by
// lane and number, so they still match.
func TestDoorThatChangesAddresses(t *testing.T) {
	var mu sync.Mutex
	arrived := map[uint64]string{} // number -> address that the app saw
	enough := make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seq, _ := strconv.ParseUint(r.Header.Get("X-Vegeta-Seq"), 10, 64)
		mu.Lock()
		defer mu.Unlock()
		if arrived[seq] = r.RemoteAddr; len(arrived) == 20 {
			close(enough)
		}
		for _, named := range []string{"Service", "Version", "Pod", "Node"} {
			w.Header().Set("X-Rollcall-"+named, "shop")
		}
	}))
	t.Cleanup(app.Close)
	door := cluster.GivenURL(relay(t, app.Listener.Addr().String()))

	url, err := door.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lane := evidence.Lane{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: url, Rate: 100}
	load, err := loadgen.Start(t.Context(), lane, loadgen.Config{Began: time.Now(), Service: "shop", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	<-enough
	load.Stop()
	hits := load.Hits()
	if len(hits) < 20 {
		t.Fatalf("%d hits", len(hits))
	}
	for _, h := range hits {
		at, ok := arrived[h.Seq]
		if h.Failed() || !ok || !strings.HasPrefix(at, "127.0.0.2:") {
			t.Errorf("%+v arrived from %q", h, at)
		}
	}
}

// relay forwards connections to an address, from 127.0.0.2, and returns its URL.
func relay(t *testing.T, to string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer client.Close()
				server, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).Dial("tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				all.Go(func() { io.Copy(server, client) })
				io.Copy(client, server)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return "http://" + listener.Addr().String() + "/"
}
