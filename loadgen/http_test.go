package loadgen

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A request names its lane with the suffix of the recording, which others do not know; hits have the name alone.
func TestRequestsNameTheirLaneWithItsSuffix(t *testing.T) {
	named := make(chan string, 1)
	app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) { named <- r.Header.Get(laneHeader) })
	client, err := NewStepClient(lane(evidence.Fresh, app.URL, 1),
		Config{Began: time.Now(), Service: "shop", Timeout: patient, LaneSuffix: ".K"})
	if err != nil {
		t.Fatal(err)
	}
	hit, _ := client.Request()
	if got := <-named; got != hit.Lane+".K" || hit.Lane != "worker-fresh" {
		t.Errorf("a request of %s names %s", hit.Lane, got)
	}
}

// A user and a password in the target are sent, as by http.Client.
func TestTargetWithAPassword(t *testing.T) {
	opened := directOf(lane(evidence.Fresh, "http://me:secret@shop.example/", 1), Config{Began: time.Now(), Service: "shop"})
	written := opened.template.number(nil, 7)
	for _, header := range []string{"Authorization: Basic bWU6c2VjcmV0\r\n", "Host: shop.example\r\n"} {
		if !bytes.Contains(written, []byte(header)) {
			t.Errorf("%q has no %q", written, header)
		}
	}
}
