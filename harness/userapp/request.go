package userapp

import (
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

// A Request describes what clients send.
type Request struct {
	Path   string `json:"path,omitempty"`   // empty: /
	Method string `json:"method,omitempty"` // empty: GET
	Host   string `json:"host,omitempty"`   // the Host header; empty: the Service's address
	// Headers are other headers, by name. A value of @FILE or $VARIABLE is read from there.
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"` // file, relative to this one; empty: none
	Secure  `json:",inline"`
}

// Exposed reports whether a header has what may be a secret where others read it, rather than in a file or a variable.
func Exposed(h loadgen.HeaderField) bool {
	return !usage.Refers(h.Value) && (secret.Named(h.Name) || secret.URLs(h.Value) != h.Value)
}

// HTTP returns the request for clients, with headers in this order, and the place of the version in replies. Names of files are relative
// to the folder.
func (q Request) HTTP(folder string, headers []loadgen.HeaderField, version Place) (asked *loadgen.UserHTTP, err error) {
	asked = &loadgen.UserHTTP{Method: q.Method, Host: q.Host, Header: version.Header, Pointer: version.Pointer, Pattern: version.Pattern}
	for _, h := range headers {
		from := h.Value
		if h.Value, err = usage.Value(folder, from); err != nil {
			return nil, usage.New("header "+h.Name+"="+from, usage.OneLine(err), "name a file or a variable with a value")
		}
		asked.Headers = append(asked.Headers, h)
	}
	if q.Body != "" {
		if asked.Body, err = usage.File(folder, q.Body); err != nil {
			return nil, usage.New("body "+q.Body, usage.OneLine(err), "name an existing file")
		}
	}
	asked.TLS, err = q.TLS(folder)
	return asked, err
}
