package loadgen

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestDialectReads(t *testing.T) {
	for _, row := range []struct {
		sentence string
		dialect  Dialect
		header   string
		body     string
		want     string
	}{
		{"a header", Dialect{Header: "X-Version"}, "1.4", "", "1.4"},
		{"a header that is not there", Dialect{Header: "Version"}, "1.4", "", ""},
		{"a text in JSON", Dialect{Pointer: "/build/version"}, "", `{"build":{"version":"1.4"}}`, "1.4"},
		{"a number in JSON", Dialect{Pointer: "/n"}, "", `{"n":1.40}`, "1.40"},
		{"an element of a list", Dialect{Pointer: "/tags/1"}, "", `{"tags":["a","b"]}`, "b"},
		{"names with slashes and tildes", Dialect{Pointer: "/a~1b/c~0d"}, "", `{"a/b":{"c~d":"x"}}`, "x"},
		{"a pointer past the end", Dialect{Pointer: "/tags/2"}, "", `{"tags":["a","b"]}`, ""},
		{"an object is no version", Dialect{Pointer: "/build"}, "", `{"build":{}}`, ""},
		{"what is no JSON", Dialect{Pointer: "/build"}, "", `<html>`, ""},
		{"a pattern", Dialect{Pattern: `release ([^<]+)<`}, "", `<p>release 1.4</p>`, "1.4"},
		{"a pattern that is not there", Dialect{Pattern: `release ([^<]+)<`}, "", `<p>1.4</p>`, ""},
		{"nothing is asked for", Dialect{}, "1.4", "1.4", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if err := row.dialect.Check(); err != nil {
				t.Fatal(err)
			}
			r := newReader(&row.dialect)
			body := strings.NewReader(row.body)
			got, err := r.read(&http.Response{Header: http.Header{"X-Version": {row.header}}, Body: io.NopCloser(body)})
			if got != row.want || err != nil || body.Len() > 0 {
				t.Errorf("%q, %v, and %d bytes were left", got, err, body.Len())
			}
		})
	}
}

func TestDialectCheck(t *testing.T) {
	for _, row := range []struct {
		sentence string
		dialect  Dialect
		says     string
	}{
		{"nothing is said", Dialect{}, ""},
		{"a method that changes things", Dialect{Method: "DELETE"}, `method "DELETE": use GET, HEAD or POST`},
		{"two places", Dialect{Header: "a", Pointer: "/b"}, "the version stands in one place"},
		{"a pointer that is none", Dialect{Pointer: "version"}, `pointer "version": it begins with /`},
		{"a body that HEAD does not have", Dialect{Method: "HEAD", Pattern: "(a)"}, "a reply to HEAD has no body"},
		{"a status that is none", Dialect{Status: []int{20}}, "status 20: there is none"},
		{"a pattern that is none", Dialect{Pattern: "("}, "pattern: error parsing regexp"},
		{"a pattern without a group", Dialect{Pattern: "v1"}, `pattern "v1": put what is the version into ( )`},
	} {
		err := row.dialect.Check()
		if (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
