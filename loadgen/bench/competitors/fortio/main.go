// Command fortio sends load with fortio's library, as its command would, and prints a count of it as one line of
// JSON. The command itself needs modules that are not on every proxy.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"fortio.org/fortio/fhttp"
	"fortio.org/fortio/periodic"
	fortiolog "fortio.org/log"
)

// A count is what was sent, in the time it took.
type count struct {
	Requests int64         `json:"requests"`
	Good     int64         `json:"good"`
	Took     time.Duration `json:"took"` // nanoseconds
}

func main() {
	url := flag.String("url", "", "where to send requests")
	rate := flag.Float64("rate", 0, "requests per second; 0: as many as it can")
	length := flag.Duration("duration", 0, "how long")
	timeout := flag.Duration("timeout", 0, "how long a request may take")
	connections := flag.Int("connections", 0, "connections at one time")
	keepalive := flag.Bool("keepalive", true, "send POSTs over keep-alive connections; else GETs over one each")
	flag.Parse()
	sent, err := send(*url, *rate, *length, *timeout, *connections, *keepalive)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(sent)
	}
	if err != nil {
		log.Fatalf("fortio: %v", err)
	}
}

func send(url string, rate float64, length, timeout time.Duration, connections int, keepalive bool) (count, error) {
	if rate == 0 {
		rate = -1
	}
	fortiolog.SetLogLevelQuiet(fortiolog.Error)
	o := fhttp.HTTPRunnerOptions{
		RunnerOptions: periodic.RunnerOptions{QPS: rate, Duration: length, NumThreads: connections, Uniform: true, Out: io.Discard},
		HTTPOptions:   fhttp.HTTPOptions{URL: url, DisableKeepAlive: !keepalive, HTTPReqTimeOut: timeout},
	}
	if keepalive {
		o.Payload = []byte("rollcall")
	}
	got, err := fhttp.RunHTTPTest(&o)
	if err != nil {
		return count{}, err
	}
	return count{Requests: got.DurationHistogram.Count, Good: got.RetCodes[http.StatusOK], Took: got.ActualDuration}, nil
}
