//go:build unix

package loadgen

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// BenchmarkSharing measures requests that share connections of HTTP/2, ten at a time, including the server's part: through net/http, and
// as a lane's. The lane's processor time may be 1.3 times as much.
func BenchmarkSharing(b *testing.B) {
	const each, together = 500, 10
	app := serveH2C(b, func(w http.ResponseWriter, _ *http.Request) {
		nameApp(w.Header())
		_, _ = io.WriteString(w, "v1 shop-v1-abc\n")
	}, nil)
	c := clientOf(sharing(app.URL), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	b.Cleanup(c.close)
	lane := httpLane{Lane: c.lane, target: c.exchanger.(*shared).target}
	only := new(http.Protocols)
	only.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: only, DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	plain := &http.Client{Transport: transport, Timeout: patient}
	seq := uint64(0)
	spent := func(send func(seq uint64)) time.Duration {
		before := processorTime(b)
		var all sync.WaitGroup
		for i := range uint64(together) {
			all.Go(func() {
				for n := range uint64(each / together) {
					send(seq + n*together + i)
				}
			})
		}
		all.Wait()
		seq += each
		return processorTime(b) - before
	}
	var plainly, recorded time.Duration
	n := 0
	for ; b.Loop(); n += each {
		plainly += spent(func(seq uint64) {
			got, err := plain.Do(lane.request(seq))
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, got.Body)
			got.Body.Close()
		})
		recorded += spent(c.send)
	}
	b.ReportMetric(float64(plainly.Nanoseconds())/float64(n), "plain-cpu-ns/request")
	b.ReportMetric(float64(recorded.Nanoseconds())/float64(n), "lane-cpu-ns/request")
	b.ReportMetric(float64(recorded)/float64(plainly), "ratio")
	if r, err := rangeFrom(c.buffer, 0); err != nil || len(r.Hits) == 0 || r.Hits[0].Fault != evidence.NoFault {
		b.Errorf("%+v, %v", r.Hits, err)
	}
}
