//go:build unix

package loadgen

import (
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// BenchmarkTLSConnection measures a new TLS connection with one request, including the server's part, through net/http without a
// pool and as a lane's. The lane's processor time may be 1.2 times as much.
func BenchmarkTLSConnection(b *testing.B) {
	ca := newAuthority(b)
	address := serveTLS(b, &tls.Config{Certificates: []tls.Certificate{ca.host(b, "shop.test")}}, func(http.ResponseWriter, *http.Request) {})
	asked := &UserHTTP{TLS: &TLS{CA: ca.pem(), ServerName: "shop.test"}}
	l := lane(evidence.Fresh, "https://"+address+"/", 1000)
	c := clientOf(l, Config{Began: time.Now(), Service: "shop", Timeout: patient, UserHTTP: asked})
	b.Cleanup(c.close)
	secured, err := asked.TLS.config("")
	if err != nil {
		b.Fatal(err)
	}
	plain := &http.Transport{DisableKeepAlives: true, DisableCompression: true, TLSClientConfig: secured}
	made := httpLane{Lane: l, target: c.exchanger.(*direct).target, userapp: newReplyReader(asked)}
	for _, row := range []struct {
		name   string
		client *http.Client
	}{{"plain", &http.Client{Transport: plain, Timeout: patient}}, {"recorded", &http.Client{Transport: c}}} {
		b.Run(row.name, func(b *testing.B) {
			before := processorTime(b)
			benchmarkDo(b, made, row.client)
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
	if r, err := rangeFrom(c.buffer, 0); err != nil || len(r.Hits) == 0 || r.Hits[0].Failed() {
		b.Errorf("%+v, %v", r.Hits, err)
	}
}
