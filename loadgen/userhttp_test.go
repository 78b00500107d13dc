package loadgen

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

func TestUserHTTPReads(t *testing.T) {
	for _, row := range []struct {
		sentence string
		asked    UserHTTP
		header   string
		body     string
		want     string
	}{
		{"a header", UserHTTP{Header: "X-Version"}, "1.4", "", "1.4"},
		{"a header that is not there", UserHTTP{Header: "Version"}, "1.4", "", ""},
		{"a text in JSON", UserHTTP{Pointer: "/build/version"}, "", `{"build":{"version":"1.4"}}`, "1.4"},
		{"a number in JSON", UserHTTP{Pointer: "/n"}, "", `{"n":1.40}`, "1.40"},
		{"an element of a list", UserHTTP{Pointer: "/tags/1"}, "", `{"tags":["a","b"]}`, "b"},
		{"names with slashes and tildes", UserHTTP{Pointer: "/a~1b/c~0d"}, "", `{"a/b":{"c~d":"x"}}`, "x"},
		{"a pointer past the end", UserHTTP{Pointer: "/tags/2"}, "", `{"tags":["a","b"]}`, ""},
		{"an object is not a version", UserHTTP{Pointer: "/build"}, "", `{"build":{}}`, ""},
		{"a body that is not JSON", UserHTTP{Pointer: "/build"}, "", `<html>`, ""},
		{"a pattern", UserHTTP{Pattern: `release ([^<]+)<`}, "", `<p>release 1.4</p>`, "1.4"},
		{"a pattern that does not match", UserHTTP{Pattern: `release ([^<]+)<`}, "", `<p>1.4</p>`, ""},
		{"nothing is asked for", UserHTTP{}, "1.4", "1.4", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if err := row.asked.Check(); err != nil {
				t.Fatal(err)
			}
			r := newReplyReader(&row.asked)
			body := strings.NewReader(row.body)
			got, err := r.read(&http.Response{Header: http.Header{"X-Version": {row.header}}, Body: io.NopCloser(body)})
			if got != row.want || err != nil || body.Len() > 0 {
				t.Errorf("%q, %v, and %d bytes were left", got, err, body.Len())
			}
		})
	}
}

func TestUserHTTPCheck(t *testing.T) {
	for _, row := range []struct {
		sentence string
		asked    UserHTTP
		says     string
	}{
		{"no settings", UserHTTP{}, ""},
		{"a method that is not allowed", UserHTTP{Method: "TRACE"}, `method "TRACE": use one of GET, HEAD, POST, PUT, PATCH, DELETE`},
		{"an invalid header name", UserHTTP{Headers: []HeaderField{{"a b", "c"}}}, `header "a b": it is not a valid header name`},
		{"a host with a port", UserHTTP{Host: "shop.test:8443"}, ""},
		{"a host that is written with umlauts", UserHTTP{Host: "bücher.test"}, ""},
		{"a host of IPv6", UserHTTP{Host: "[::1]:80"}, ""},
		{"a URL in place of a host", UserHTTP{Host: "https://shop.test"}, `host "https://shop.test": it is not a name, with a port or without`},
		{"a host with a space", UserHTTP{Host: "a b"}, `host "a b": it is not a name`},
		{"a host that is not a name in any script", UserHTTP{Host: "xn--a\u0378.test"}, `host "xn--a`},
		{"a header that Rollcall sets", UserHTTP{Headers: []HeaderField{{"host", "c"}}}, "header host: Rollcall sets this header itself"},
		{"an invalid header value", UserHTTP{Headers: []HeaderField{{"a", "b\nc"}}}, "header a: its value has invalid characters"},
		{"a body that is too long", UserHTTP{Body: make([]byte, MostBody+1)}, "body: it is longer than 524288 bytes"},
		{"an invalid CA certificate", UserHTTP{TLS: &TLS{CA: []byte("x")}}, "CA: no certificate in PEM"},
		{"a key that is missing", UserHTTP{TLS: &TLS{Certificate: []byte("x")}}, "certificate of the client: tls: "},
		{"two places", UserHTTP{Header: "a", Pointer: "/b"}, "version: give only one of header, pointer and pattern"},
		{"an invalid pointer", UserHTTP{Pointer: "version"}, `pointer "version": it begins with /`},
		{"a pattern for the body of a reply to HEAD", UserHTTP{Method: "HEAD", Pattern: "(a)"}, "a reply to HEAD has no body"},
		{"an invalid status", UserHTTP{Status: []int{20}}, "status 20: it is not an HTTP status (100 to 599)"},
		{"an invalid pattern", UserHTTP{Pattern: "("}, "pattern: error parsing regexp"},
		{"a pattern without a group", UserHTTP{Pattern: "v1"}, `pattern "v1": put what is the version into ( )`},
	} {
		err := row.asked.Check()
		if (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}

// A userapp gets the requests that it expects, and what follows its reply is the next reply.
func TestUserHTTPIsSent(t *testing.T) {
	for _, method := range Methods() {
		t.Run(method, func(t *testing.T) {
			app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("X-Seen", strings.Join([]string{r.Method, r.Host, r.Header.Get("X-Tenant"), string(body)}, " "))
				io.WriteString(w, "a body")
			}))
			defer app.Close()
			c := clientOf(lane(evidence.Reused, app.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient,
				UserHTTP: &UserHTTP{Method: method, Host: "shop.test", Headers: []HeaderField{{"X-Tenant", "acme"}}, Body: []byte("order"),
					Header: "X-Seen"}})
			defer c.close()
			for i, turn := range []uint64{0, reusedConns} {
				if hit, trouble := c.ask(turn, turn); hit.By.Version != method+" shop.test acme order" || hit.Failed() || trouble != nil ||
					hit.Reused != (i == 1) {
					t.Errorf("%+v, %v", hit, trouble)
				}
			}
		})
	}
}
