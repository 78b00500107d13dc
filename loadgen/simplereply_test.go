package loadgen

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

// echoed is a reply of the echo app, as its server writes it.
const echoed = "HTTP/1.1 200 OK\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\n" +
	"X-Rollcall-Node: worker\r\n" +
	"X-Rollcall-Pod: shop-v1-abc\r\n" +
	"X-Rollcall-Service: shop\r\n" +
	"X-Rollcall-Version: v1\r\n" +
	"Date: Mon, 21 Sep 2026 10:00:00 GMT\r\n" +
	"Content-Length: 15\r\n" +
	"Connection: close\r\n" +
	"\r\n" +
	"v1 shop-v1-abc\n"

func TestTheAppsReplyIsSimple(t *testing.T) {
	want := simpleReply{
		reply:  reply{status: 200, service: "shop", by: evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"}},
		header: strings.Index(echoed, "v1 shop"), body: 15, last: true,
	}
	if got, ok := parseSimple([]byte(echoed)); !ok || got != want {
		t.Errorf("got %+v, %v; want %+v", got, ok, want)
	}
	got, ok := parseSimple([]byte(strings.Replace(echoed, "Connection: close\r\n", "", 1)))
	if want.header, want.last = want.header-len("Connection: close\r\n"), false; !ok || got != want {
		t.Errorf("kept: got %+v, %v; want %+v", got, ok, want)
	}
}

func TestWhatIsNotSimple(t *testing.T) {
	tests := []struct{ sentence, old, new string }{
		{"a header that goes on", "\r\n\r\n", "\r\n"},
		{"a status without a body", "200", "204"},
		{"a status for what the client has already", "200", "304"},
		{"an interim reply", "200", "103"},
		{"an older HTTP", "HTTP/1.1", "HTTP/1.0"},
		{"no reason", " OK", ""},
		{"no length", "Content-Length: 15\r\n", ""},
		{"two lengths", "Content-Length: 15", "Content-Length: 15\r\nContent-Length: 14"},
		{"a length with a sign", "15", "+15"},
		{"a pod named twice", "X-Rollcall-Pod: ", "X-Rollcall-Pod: other\r\nX-Rollcall-Pod: "},
		{"a pod without a name", "shop-v1-abc\r\n", "\r\n"},
		{"a pod whose name goes on in the next line", "shop-v1-abc", "shop\r\n v1-abc"},
		{"space after a name", "shop-v1-abc\r\n", "shop-v1-abc \r\n"},
		{"a line that ends early", "shop-v1-abc", "shop\nX-Rollcall-Pod: other"},
		{"a header in small letters", "Content-Length", "content-length"},
		{"an unknown header", "Date", "Transfer-Encoding: chunked\r\nDate"},
		{"a connection that is kept, as HTTP/1.0 said it", "close", "keep-alive"},
	}
	for _, tt := range tests {
		text := strings.Replace(echoed, tt.old, tt.new, 1)
		if b, ok := parseSimple([]byte(text)); ok || text == echoed {
			t.Errorf("%s: %+v", tt.sentence, b)
		}
	}
}

// TestSimpleRepliesAreReadAsByNetHTTP damages the app's reply in up to three places: if it still counts as simple, net/http reads
// the same.
func TestSimpleRepliesAreReadAsByNetHTTP(t *testing.T) {
	end := strings.Index(echoed, "\r\n\r\n")
	lines := strings.SplitAfter(echoed[:end+2], "\r\n")
	pieces := append([]string{
		"\r", "\n", "\r\n", " ", "\t", ":", ": ", "0", "9", "+", "a", "X", "Z", "\x00", "\xff",
		"HTTP/1.0", "HTTP/1.1 ", "204", "304", "103", "500", "099",
		"Transfer-Encoding: chunked\r\n", "transfer-encoding: chunked\r\n", "content-length: 3\r\n", "x-rollcall-pod: other\r\n",
		"Connection: keep-alive\r\n", "Connection: Close\r\n", "Trailer: X-A\r\n", "X-Rollcall-Pod:\r\n", "Content-Length: 015\r\n",
	}, lines[:len(lines)-1]...)
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := echoed
		for range rapid.IntRange(0, 3).Draw(rt, "times") {
			from := rapid.IntRange(0, len(text)).Draw(rt, "from")
			if rapid.Bool().Draw(rt, "at a line") {
				from = strings.LastIndex(text[:from], "\n") + 1
			}
			to := min(len(text), from+rapid.IntRange(0, 3).Draw(rt, "gone"))
			text = text[:from] + rapid.SampledFrom(append(pieces, "")).Draw(rt, "piece") + text[to:]
		}
		b, ok := parseSimple([]byte(text))
		if !ok {
			return
		}
		taken++
		got, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), &http.Request{Method: http.MethodGet})
		if err != nil {
			rt.Fatalf("net/http: %v of %q", err, text)
		}
		body, err := io.ReadAll(got.Body)
		short := len(text) < b.header+b.body
		if replyOf(got) != b.reply || got.Close != b.last || short != (err != nil) {
			rt.Errorf("%+v of %q\nnet/http: %+v, close %v, %v", b, text, replyOf(got), got.Close, err)
		}
		if !short && !bytes.Equal(body, []byte(text[b.header:b.header+b.body])) {
			rt.Errorf("body of %d at %d of %q\nnet/http: %q", b.body, b.header, text, body)
		}
	})
	if taken == 0 {
		t.Error("no reply was simple")
	}
}
