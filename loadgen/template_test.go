package loadgen

import (
	"bytes"
	"math"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TestTemplateIsWhatNetHTTPWrites fills the template of a lane with another number.
func TestTemplateIsWhatNetHTTPWrites(t *testing.T) {
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		opened := directOf(lane(conn, "http://shop.example:8080/a/b?c=d", 1), Config{Began: time.Now(), Service: "shop"})
		for _, seq := range []uint64{7, 0, math.MaxUint64} {
			var want bytes.Buffer
			if err := opened.request(seq).Write(&want); err != nil {
				t.Fatal(err)
			}
			if got := opened.template.number(nil, seq); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s, number %d: got %q, want %q", conn, seq, got, want.Bytes())
			}
		}
	}
}
