//go:build unix

package loadgen

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// BenchmarkToken measures a token of a stream that sends one each 100 µs. The lane's processor time may be 1.3 times as much.
func BenchmarkToken(b *testing.B) {
	const tokens = 1000
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		nameApp(w.Header())
		w.Header().Set("Content-Type", eventStream)
		for range tokens {
			time.Sleep(100 * time.Microsecond)
			_, _ = io.WriteString(w, "id: 1000\ndata: token 1000\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	b.Cleanup(app.Close)
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	TimesPlain(b, 1, tokens, "token", func() { readPlainly(b, plain, app.URL, tokens) }, streamLane(app.URL, patient))
}

// readPlainly reads a stream as a program does that only wants its tokens.
func readPlainly(b *testing.B, client *http.Client, url string, tokens int) {
	b.Helper()
	got, err := client.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer got.Body.Close()
	n := 0
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is && data != evidence.DoneMark {
			n++
		}
	}
	if n != tokens {
		b.Fatalf("%d tokens, want %d", n, tokens)
	}
}
