//go:build unix

package loadgen

import (
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TimesPlain measures the processor time that a request takes, including the server's part: of a plain client, and of a lane that an agent
// loads, whose log is on a spool. They take turns, so that whatever else the machine does meets both alike, with some requests each. A
// request has so many units.
func TimesPlain(b *testing.B, requests, units int, unit string, plain func(), lane evidence.Lane) {
	b.Helper()
	log := batched(b, openTestSpool(b, b.TempDir(), SpoolLimit), batchOf(lane))
	c, err := newClient(lane, Config{Began: time.Now(), Service: "shop", Timeout: patient}, log)
	if err != nil {
		b.Fatal(err)
	}
	turn := uint64(0)
	clients := [2]func(){plain, func() { c.send(turn); turn++ }}
	var spent [2]time.Duration
	rounds := 0
	for ; b.Loop(); rounds++ {
		for i := range clients {
			who := (rounds + i) % len(clients)
			before := processorTime(b)
			for range requests {
				clients[who]()
			}
			spent[who] += processorTime(b) - before
		}
	}
	b.ReportMetric(0, "ns/op") // of both
	b.ReportMetric(float64(spent[0].Nanoseconds())/float64(rounds*requests*units), "plain-cpu-ns/"+unit)
	b.ReportMetric(float64(spent[1].Nanoseconds())/float64(rounds*requests*units), "lane-cpu-ns/"+unit)
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "times-plain")
	c.close()
	log.end()
	if r, err := rangeFrom(log, 0); err != nil || log.trouble != "" || len(r.Hits) == 0 || r.Hits[0].Fault != evidence.NoFault {
		b.Errorf("%+v, %v, trouble %q", r.Hits, err, log.trouble)
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
