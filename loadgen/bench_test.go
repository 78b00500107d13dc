package loadgen

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// BenchmarkRecording measures a request over loopback, including the server's part: through net/http alone with a timeout, as
// vegeta sends it, and as a lane's, which records a hit.
func BenchmarkRecording(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { nameApp(w.Header()) }))
	b.Cleanup(server.Close)
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		c := clientOf(lane(conn, server.URL, 1000), Config{Began: time.Now(), Service: "shop", Timeout: patient})
		plain := &http.Transport{DisableKeepAlives: conn == evidence.Fresh, DisableCompression: true}
		made := httpLane{Lane: c.lane, target: c.exchanger.(*direct).target}
		b.Run(string(conn)+"/plain", func(b *testing.B) { benchmarkDo(b, made, &http.Client{Transport: plain, Timeout: patient}) })
		b.Run(string(conn)+"/recorded", func(b *testing.B) { benchmarkDo(b, made, &http.Client{Transport: c}) })
		plain.CloseIdleConnections()
		c.close()
	}
}

func benchmarkDo(b *testing.B, lane httpLane, client *http.Client) {
	b.ReportAllocs()
	for seq := uint64(0); b.Loop(); seq++ {
		resp, err := client.Do(lane.request(seq))
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}

// BenchmarkKeep measures the buffer per hit, when its hits are fetched after each thousand.
func BenchmarkKeep(b *testing.B) {
	b.ReportAllocs()
	t := &buffer{}
	h := evidence.Hit{Lane: "worker-fresh", By: evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"}}
	for b.Loop() {
		t.begin(0)
		t.add(h, nil)
		if n := t.forgotten + len(t.records); n%1000 == 0 {
			if _, err := t.from(int64(n)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPoll measures an agent's work for one poll that finds half a second's hits at 1,000/s, without the network.
func BenchmarkPoll(b *testing.B) {
	b.ReportAllocs()
	t := &buffer{}
	for i := range 500 {
		due := time.Duration(i+1) * time.Millisecond
		t.add(evidence.Hit{
			Lane: "worker-reused", Seq: uint64(i), Due: due, Sent: due + 70*time.Microsecond, Took: 1234567 * time.Nanosecond, Status: 200,
			By:     evidence.Server{Version: "v1", Pod: "shop-v1-6d4cf56db6-abcde", Node: "rollcall-iptables-worker"},
			Reused: true, Attempts: 1, LocalPort: uint16(40000 + i%reusedConns),
		}, nil)
	}
	var wire []byte
	for b.Loop() {
		some, err := t.from(0)
		if err != nil {
			b.Fatal(err)
		}
		wire = some.appendTo(wire[:0])
	}
	b.ReportMetric(float64(len(wire))/float64(len(t.records)), "wire-B/hit")
}
