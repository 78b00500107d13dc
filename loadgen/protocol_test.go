package loadgen

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestProtocolReads(t *testing.T) {
	for _, row := range []struct {
		sentence string
		protocol Protocol
		header   string
		body     string
		want     string
	}{
		{"a header", Protocol{Header: "X-Version"}, "1.4", "", "1.4"},
		{"a header that is not there", Protocol{Header: "Version"}, "1.4", "", ""},
		{"a text in JSON", Protocol{Pointer: "/build/version"}, "", `{"build":{"version":"1.4"}}`, "1.4"},
		{"a number in JSON", Protocol{Pointer: "/n"}, "", `{"n":1.40}`, "1.40"},
		{"an element of a list", Protocol{Pointer: "/tags/1"}, "", `{"tags":["a","b"]}`, "b"},
		{"names with slashes and tildes", Protocol{Pointer: "/a~1b/c~0d"}, "", `{"a/b":{"c~d":"x"}}`, "x"},
		{"a pointer past the end", Protocol{Pointer: "/tags/2"}, "", `{"tags":["a","b"]}`, ""},
		{"an object is no version", Protocol{Pointer: "/build"}, "", `{"build":{}}`, ""},
		{"what is no JSON", Protocol{Pointer: "/build"}, "", `<html>`, ""},
		{"a pattern", Protocol{Pattern: `release ([^<]+)<`}, "", `<p>release 1.4</p>`, "1.4"},
		{"a pattern that is not there", Protocol{Pattern: `release ([^<]+)<`}, "", `<p>1.4</p>`, ""},
		{"nothing is asked for", Protocol{}, "1.4", "1.4", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if err := row.protocol.Check(); err != nil {
				t.Fatal(err)
			}
			r := newReplyReader(&row.protocol)
			body := strings.NewReader(row.body)
			got, err := r.read(&http.Response{Header: http.Header{"X-Version": {row.header}}, Body: io.NopCloser(body)})
			if got != row.want || err != nil || body.Len() > 0 {
				t.Errorf("%q, %v, and %d bytes were left", got, err, body.Len())
			}
		})
	}
}

func TestProtocolCheck(t *testing.T) {
	for _, row := range []struct {
		sentence string
		protocol Protocol
		says     string
	}{
		{"nothing is said", Protocol{}, ""},
		{"a method that changes things", Protocol{Method: "DELETE"}, `method "DELETE": use GET, HEAD or POST`},
		{"two places", Protocol{Header: "a", Pointer: "/b"}, "the version stands in one place"},
		{"a pointer that is none", Protocol{Pointer: "version"}, `pointer "version": it begins with /`},
		{"a body that HEAD does not have", Protocol{Method: "HEAD", Pattern: "(a)"}, "a reply to HEAD has no body"},
		{"a status that is none", Protocol{Status: []int{20}}, "status 20: there is none"},
		{"a pattern that is none", Protocol{Pattern: "("}, "pattern: error parsing regexp"},
		{"a pattern without a group", Protocol{Pattern: "v1"}, `pattern "v1": put what is the version into ( )`},
	} {
		err := row.protocol.Check()
		if (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
