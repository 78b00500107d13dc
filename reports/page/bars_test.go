package page_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/page"
)

var bars = flag.Bool("bars", false, "hold the page about a million requests against its bars; wants an idle machine")

// longFolder records one rollout of n requests on ten lanes at 1,000 per second, under which every 33rd request of
// the middle third fails, some are sent again, and both versions answer.
func longFolder(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "long", Began: began})
	writeJSON(t, filepath.Join(dir, "evidence", "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"})
	random := rand.New(rand.NewPCG(1, 2))
	perLane := n / 10
	length := time.Duration(perLane) * time.Millisecond
	begun, gone := length/3, 2*length/3
	run := evidence.Run{
		Suite: "rollout", Scenario: "long", Mode: "iptables", Attempt: 1, OldVersion: "v1", NewVersion: "v2",
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.NoFailures(), verdict.OnlyServes("v2", evidence.RolloutBegun)},
	}
	pod := func(version string, i int) evidence.Server {
		return evidence.Server{Version: version, Pod: fmt.Sprintf("shop-%s-%d", version, i), Node: fmt.Sprint("worker", i%5)}
	}
	events := []evidence.Event{{At: 0, Kind: evidence.LoadBegun}, {At: begun, Kind: evidence.RolloutBegun}, {At: gone, Kind: evidence.OldGone},
		{At: length + time.Second, Kind: evidence.LoadEnded}}
	for i := range 10 {
		turn := begun + time.Duration(i)*(gone-begun)/10
		events = append(events, evidence.Event{At: 0, Kind: evidence.PodReady, By: pod("v1", i)},
			evidence.Event{At: turn, Kind: evidence.PodReady, By: pod("v2", i)},
			evidence.Event{At: turn, Kind: evidence.PodDeleting, By: pod("v1", i)},
			evidence.Event{At: turn + time.Second/2, Kind: evidence.EndpointNotReady, By: pod("v1", i)},
			evidence.Event{At: turn + time.Second, Kind: evidence.PodSigterm, By: pod("v1", i)},
			evidence.Event{At: turn + 2*time.Second, Kind: evidence.PodGone, By: pod("v1", i)})
	}
	faults := []evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed, evidence.Timeout}
	var hits []evidence.Hit
	var arrivals []evidence.Arrival
	for lane := range 10 {
		l := evidence.Lane{ID: fmt.Sprint("worker", lane/2, "-", []evidence.Conn{evidence.Fresh, evidence.Reused}[lane%2]),
			Vantage: evidence.FromPod, Node: fmt.Sprint("worker", lane/2), Conn: evidence.Fresh, Rate: 1000}
		run.Lanes = append(run.Lanes, l)
		for seq := range perLane {
			due := time.Duration(seq+1) * time.Millisecond
			by := pod("v1", random.IntN(10))
			if due > begun+time.Duration(random.Int64N(int64(gone-begun))) {
				by = pod("v2", random.IntN(10))
			}
			h := evidence.Hit{Lane: l.ID, Seq: uint64(seq), Due: due, Sent: due + time.Duration(random.Int64N(400_000)),
				Took:   time.Millisecond + time.Duration(random.Int64N(500_000)),
				Status: 200, By: by, Attempts: 1, LocalPort: uint16(32768 + random.IntN(28000))}
			if random.IntN(5000) == 0 {
				h.Attempts = 2
			}
			lost := due > begun && due < gone && random.IntN(33) == 0
			if !lost || random.IntN(2) == 0 {
				arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + 300*time.Microsecond, By: by})
			}
			if lost {
				h.Status, h.By, h.Fault = 0, evidence.Server{}, faults[random.IntN(4)]
			}
			hits = append(hits, h)
		}
	}
	record(t, dir, evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Arrivals: evidence.Arrivals(arrivals), Events: events})
	return dir
}

// BenchmarkPage reads the evidence of a million requests from disk, judges it and writes the page about it.
func BenchmarkPage(b *testing.B) {
	dir := longFolder(b, 1_000_000)
	var html bytes.Buffer
	for b.Loop() {
		html.Reset()
		p := page.New(dir)
		r, err := reports.Collect(dir, p).Report()
		if err == nil {
			err = p.Write(&html, r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(html.Len())/1e6, "MB")
}

func TestAMillionRequestsKeepTheBars(t *testing.T) {
	if !*bars {
		t.Skip("-bars is not set: it wants an idle machine")
	}
	dir := longFolder(t, 1_000_000)
	begin := time.Now()
	p := page.New(dir)
	r, err := reports.Collect(dir, p).Report()
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := p.Write(&html, r); err != nil {
		t.Fatal(err)
	}
	built := time.Since(begin)
	failed := r.Scenarios[0].Failed()
	file := filepath.Join(dir, p.File().Name)
	if err := os.WriteFile(file, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	v := newVisit(t, 1440)
	v.open(file, "iptables.rollout.long")
	paint := ask[float64](v, firstPaint)
	v.await(".plots")
	v.settle()
	v.shoot("million.png")
	zoom := ask[float64](v, zoomTimeOf(".plots"))
	for _, bar := range []struct {
		name        string
		is, allowed float64
	}{
		{"MB", float64(html.Len()) / 1e6, 3}, {"s to judge it and build the page", built.Seconds(), 3}, {"ms to the first paint", paint, 1000},
		{"ms to paint a zoom, at most", zoom, 100},
	} {
		t.Logf("%.2f %s, %.0f allowed, with %d failures", bar.is, bar.name, bar.allowed, failed)
		if bar.is > bar.allowed {
			t.Errorf("%.2f %s, %.0f allowed", bar.is, bar.name, bar.allowed)
		}
	}
}
