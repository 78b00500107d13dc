package loadgen

import (
	"io"
	"net/http"
	"strings"
	"testing"
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
		{"an object is no version", UserHTTP{Pointer: "/build"}, "", `{"build":{}}`, ""},
		{"what is no JSON", UserHTTP{Pointer: "/build"}, "", `<html>`, ""},
		{"a pattern", UserHTTP{Pattern: `release ([^<]+)<`}, "", `<p>release 1.4</p>`, "1.4"},
		{"a pattern that is not there", UserHTTP{Pattern: `release ([^<]+)<`}, "", `<p>1.4</p>`, ""},
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
		{"nothing is said", UserHTTP{}, ""},
		{"a method that changes things", UserHTTP{Method: "DELETE"}, `method "DELETE": use GET, HEAD or POST`},
		{"two places", UserHTTP{Header: "a", Pointer: "/b"}, "the version stands in one place"},
		{"a pointer that is none", UserHTTP{Pointer: "version"}, `pointer "version": it begins with /`},
		{"a body that HEAD does not have", UserHTTP{Method: "HEAD", Pattern: "(a)"}, "a reply to HEAD has no body"},
		{"a status that is none", UserHTTP{Status: []int{20}}, "status 20: there is none"},
		{"a pattern that is none", UserHTTP{Pattern: "("}, "pattern: error parsing regexp"},
		{"a pattern without a group", UserHTTP{Pattern: "v1"}, `pattern "v1": put what is the version into ( )`},
	} {
		err := row.asked.Check()
		if (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
