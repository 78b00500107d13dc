package loadgen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// A UserHTTP is how to send requests to an app of the user's, and what its replies look like. At most one of Header, Pointer and
// Pattern says where a reply names its version; without one, nobody knows which version answered.
//
// Requests may carry secrets: whoever stores a UserHTTP has to encrypt it, as spools do.
type UserHTTP struct {
	Method  string        `json:"method,omitempty"`  // empty: GET
	Host    string        `json:"host,omitempty"`    // of the Host header; empty: the target's
	Headers []HeaderField `json:"headers,omitempty"` // further ones
	Body    []byte        `json:"body,omitempty"`
	TLS     *TLS          `json:"tls,omitempty"`     // of https targets; nil: as usual
	Status  []int         `json:"status,omitempty"`  // of a good reply; empty: 200 to 299
	Header  string        `json:"header,omitempty"`  // whose value is the version
	Pointer string        `json:"pointer,omitempty"` // to the version in a JSON body, by RFC 6901
	Pattern string        `json:"pattern,omitempty"` // that the body matches, whose first group is the version
}

// A HeaderField is a header of a request.
type HeaderField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// OfControl returns how a control URL is asked: by a GET, over TLS with the same authorities, and without what the app alone is sent, which
// may be secret.
func (p *UserHTTP) OfControl() *UserHTTP {
	if p.tls() == nil {
		return &UserHTTP{}
	}
	return &UserHTTP{TLS: &TLS{CA: p.TLS.CA, Insecure: p.TLS.Insecure, MinVersion: p.TLS.MinVersion}}
}

// Methods returns the methods that requests may have: Reads, then those that write.
func Methods() []string {
	return append(Reads(), http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete)
}

// Reads returns the methods that change nothing (RFC 9110, 9.2.1).
func Reads() []string { return []string{http.MethodGet, http.MethodHead} }

// writes reports whether a request may change something.
func (p *UserHTTP) writes() bool { return p.Method != "" && !slices.Contains(Reads(), p.Method) }

// MostBody bounds the body of a request, in bytes: it is part of a startRequest, which is bounded too.
const MostBody = 512 << 10

// bodyLimit is how much of a body is searched for a version, in bytes.
const bodyLimit = 1 << 20

// Check returns an error for settings that are invalid or contradict each other.
func (p *UserHTTP) Check() error {
	named := 0
	for _, place := range []string{p.Header, p.Pointer, p.Pattern} {
		if place != "" {
			named++
		}
	}
	switch {
	case p.Method != "" && !slices.Contains(Methods(), p.Method):
		return fmt.Errorf("method %q: use one of %s", p.Method, strings.Join(Methods(), ", "))
	case len(p.Body) > MostBody:
		return fmt.Errorf("body: it is longer than %d bytes", MostBody)
	case named > 1:
		return errors.New("version: give only one of header, pointer and pattern")
	case p.Pointer != "" && !strings.HasPrefix(p.Pointer, "/"):
		return fmt.Errorf("pointer %q: it begins with /, see RFC 6901", p.Pointer)
	case p.Method == http.MethodHead && p.Pointer+p.Pattern != "":
		return errors.New("a reply to HEAD has no body to find a version in")
	}
	for _, status := range p.Status {
		if status < 100 || status > 599 {
			return fmt.Errorf("status %d: it is not an HTTP status (100 to 599)", status)
		}
	}
	if !validHost(p.Host) {
		return fmt.Errorf("host %q: it is not a name, with a port or without", p.Host)
	}
	for _, h := range p.Headers {
		if err := h.check(); err != nil {
			return err
		}
	}
	if _, err := p.TLS.config(""); err != nil {
		return err
	}
	if p.Pattern == "" {
		return nil
	}
	pattern, err := regexp.Compile(p.Pattern)
	if err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if pattern.NumSubexp() < 1 {
		return fmt.Errorf("pattern %q: put what is the version into ( )", p.Pattern)
	}
	return nil
}

// validHost reports whether net/http would send a Host header as it is given; it leaves out what follows a slash or a space
// (net/http, cleanHost). An empty host is that of the URL.
func validHost(host string) bool {
	ascii, err := httpguts.PunycodeHostPort(host)
	return err == nil && httpguts.ValidHostHeader(ascii) && !strings.ContainsAny(host, "/ ?#@\t")
}

// Names reports whether replies name their version.
func (p *UserHTTP) Names() bool { return p.Header+p.Pointer+p.Pattern != "" }

// method returns the method of requests.
func (p *UserHTTP) method() string { return cmp.Or(p.Method, http.MethodGet) }

// good reports whether a status is that of a good reply.
func (p *UserHTTP) good(status int) bool {
	if len(p.Status) == 0 {
		return status >= 200 && status <= 299
	}
	return slices.Contains(p.Status, status)
}

// tls returns the settings for TLS; nil if there are none.
func (p *UserHTTP) tls() *TLS {
	if p == nil {
		return nil
	}
	return p.TLS
}

// check returns an error for an invalid header, or for one that is not the user's to set. It does not show the value.
func (h HeaderField) check() error {
	ours := []string{"Connection", "Content-Length", "Host", "Trailer", "Transfer-Encoding", "Upgrade", laneHeader, seqHeader}
	switch {
	case !httpguts.ValidHeaderFieldName(h.Name):
		return fmt.Errorf("header %q: it is not a valid header name", h.Name)
	case slices.Contains(ours, http.CanonicalHeaderKey(h.Name)):
		return fmt.Errorf("header %s: Rollcall sets this header itself", h.Name)
	case !httpguts.ValidHeaderFieldValue(h.Value):
		return fmt.Errorf("header %s: its value has invalid characters", h.Name)
	default:
		return nil
	}
}

// applyTo turns a request into one to the userapp.
func (p *UserHTTP) applyTo(req *http.Request) {
	req.Method, req.Host = p.method(), cmp.Or(p.Host, req.Host)
	for _, h := range p.Headers {
		req.Header.Add(h.Name, h.Value)
	}
	if len(p.Body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(p.Body)), int64(len(p.Body))
	}
}

// A replyReader finds the version in replies.
type replyReader struct {
	*UserHTTP
	requested http.Request // the request that replies answer
	pattern   *regexp.Regexp
}

// newReplyReader returns the reader for a UserHTTP that was checked; nil for nil.
func newReplyReader(p *UserHTTP) *replyReader {
	if p == nil {
		return nil
	}
	r := &replyReader{UserHTTP: p, requested: http.Request{Method: p.method()}}
	if p.Pattern != "" {
		r.pattern = regexp.MustCompile(p.Pattern)
	}
	return r
}

// read reads a reply to its end and returns the version that it names; empty if it names none.
func (r *replyReader) read(reply *http.Response) (version string, err error) {
	if r.Pointer == "" && r.pattern == nil {
		_, err = io.Copy(io.Discard, reply.Body)
		return reply.Header.Get(r.Header), err
	}
	body, err := io.ReadAll(io.LimitReader(reply.Body, bodyLimit))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		return "", err
	}
	if r.Pointer != "" {
		return at(body, r.Pointer), nil
	}
	if found := r.pattern.FindSubmatch(body); found != nil {
		return string(found[1]), nil
	}
	return "", nil
}

// at returns the text at an RFC 6901 pointer in a JSON document; empty if there is none. A number or a boolean is as JSON writes
// it.
func at(document []byte, pointer string) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return ""
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[unescape.Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return ""
			}
			value = v[i]
		default:
			return ""
		}
	}
	switch v := value.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	default:
		return ""
	}
}
