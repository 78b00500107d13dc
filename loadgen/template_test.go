package loadgen

import (
	"bytes"
	"net/http"
	"testing"

	"rollcall/harness/evidence"
)

// TestTemplateIsWhatNetHTTPWrites numbers a template made from request 7 anew.
func TestTemplateIsWhatNetHTTPWrites(t *testing.T) {
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		for _, seq := range []string{"7", "0", "18446744073709551615"} {
			request := func(seq string) *http.Request {
				req := requestOf(t, lane(conn, "http://shop.example:8080/a/b?c=d", 1))
				req.Header.Set("X-Vegeta-Attack", "worker-"+string(conn))
				req.Header.Set(seqHeader, seq)
				req.Close = conn == evidence.Fresh
				return req
			}
			f, err := templateOf(request("7"))
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := request(seq).Write(&want); err != nil {
				t.Fatal(err)
			}
			if got := f.number(nil, seq); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s, number %s: got %q, want %q", conn, seq, got, want.Bytes())
			}
		}
	}
}

func TestTemplateWantsANumber(t *testing.T) {
	_, err := templateOf(requestOf(t, lane(evidence.Fresh, "http://shop.example/", 1)))
	wantError(t, err, "no X-Vegeta-Seq")
}
