package loadgen

import (
	"bytes"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A user and a password in the target are sent, as by http.Client.
func TestTargetWithAPassword(t *testing.T) {
	opened := openHTTP(lane(evidence.Fresh, "http://me:secret@shop.example/", 1), Config{Began: time.Now(), Service: "shop"}).(*direct)
	written := opened.template.number(nil, 7)
	for _, header := range []string{"Authorization: Basic bWU6c2VjcmV0\r\n", "Host: shop.example\r\n"} {
		if !bytes.Contains(written, []byte(header)) {
			t.Errorf("%q has no %q", written, header)
		}
	}
}
