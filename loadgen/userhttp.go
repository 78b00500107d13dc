package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A UserHTTP is how an app that is not Rollcall's own is asked, and what its replies look like. At most one of Header,
// Pointer and Pattern says where a reply names its version; without any, nobody knows which version answered.
type UserHTTP struct {
	Method  string `json:"method,omitempty"`  // GET or HEAD, or POST with an empty body; empty: GET
	Status  []int  `json:"status,omitempty"`  // of a good reply; empty: 200 to 299
	Header  string `json:"header,omitempty"`  // whose value is the version
	Pointer string `json:"pointer,omitempty"` // to the version in a JSON body, by RFC 6901
	Pattern string `json:"pattern,omitempty"` // that the body matches, whose first group is the version
}

// bodyLimit is how much of a body is searched for a version, in bytes.
const bodyLimit = 1 << 20

// Check finds what cannot be meant.
func (p *UserHTTP) Check() error {
	named := 0
	for _, place := range []string{p.Header, p.Pointer, p.Pattern} {
		if place != "" {
			named++
		}
	}
	switch {
	case !slices.Contains([]string{"", http.MethodGet, http.MethodHead, http.MethodPost}, p.Method):
		return fmt.Errorf("method %q: use GET, HEAD or POST", p.Method)
	case named > 1:
		return errors.New("the version stands in one place: name a header, a pointer or a pattern")
	case p.Pointer != "" && !strings.HasPrefix(p.Pointer, "/"):
		return fmt.Errorf("pointer %q: it begins with /, see RFC 6901", p.Pointer)
	case p.Method == http.MethodHead && p.Pointer+p.Pattern != "":
		return errors.New("a reply to HEAD has no body to find a version in")
	}
	for _, status := range p.Status {
		if status < 100 || status > 599 {
			return fmt.Errorf("status %d: there is none", status)
		}
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

// Names reports whether replies name their version.
func (p *UserHTTP) Names() bool { return p.Header+p.Pointer+p.Pattern != "" }

// method is what requests are sent with.
func (p *UserHTTP) method() string {
	if p.Method == "" {
		return http.MethodGet
	}
	return p.Method
}

// good reports whether a status is that of a good reply.
func (p *UserHTTP) good(status int) bool {
	if len(p.Status) == 0 {
		return status >= 200 && status <= 299
	}
	return slices.Contains(p.Status, status)
}

// A replyReader finds the version in replies.
type replyReader struct {
	*UserHTTP
	pattern *regexp.Regexp
}

// newReplyReader takes one that was checked; nil makes none.
func newReplyReader(p *UserHTTP) *replyReader {
	if p == nil {
		return nil
	}
	r := &replyReader{UserHTTP: p}
	if p.Pattern != "" {
		r.pattern = regexp.MustCompile(p.Pattern)
	}
	return r
}

// read reads a reply to its end and gives the version that it names; empty if it names none.
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

// at is the text at an RFC 6901 pointer in a JSON document; empty if there is none. A number or a boolean is as JSON
// writes it.
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
