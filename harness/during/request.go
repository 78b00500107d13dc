package during

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// A Request has the options for requests to a user's app, and for its good replies.
type Request struct {
	Host, Method, Body, ConnectTo                             string
	Headers                                                   []string // each NAME=VALUE
	GoodStatus, VersionHeader, VersionPointer, VersionPattern string
	Timeout                                                   string // how long clients await a reply, or the next token of a stream
	Protocol, EndMark, Longest                                string
	userapp.Secure
}

// goodStatus is the default of --good-status. A redirect leads to another host or path, which is not asked: an Ingress, say, sends clients
// to a status page while the app is away.
const goodStatus = "200-299"

// list returns the flags for any request.
func (r *Request) list() usage.List {
	return usage.List{
		{Flag: "host", Text: &r.Host, Help: "`name` in the Host header of requests to your app"},
		{Flag: "header", Texts: &r.Headers, Help: "header `NAME=VALUE` of requests to your app; VALUE may be @FILE or $VARIABLE; may be given again"},
		{Flag: "method", Text: &r.Method, Help: "`method` of requests to your app; all but GET and HEAD need --allow=writes (default GET)"},
		{Flag: "body", Text: &r.Body, Help: "`@FILE` with the body of requests to your app"},
		{Flag: "good-status", Text: &r.GoodStatus, Help: "`statuses` of good replies, such as 200-399 or 200-299,404 (default 200-299: no redirects)"},
		{Flag: "timeout", Text: &r.Timeout, Help: "`time` that clients of your app await a reply (default: ten times what its first replies before the load took, " +
			"from 2s to 30s), or the first and each further token of a stream (default 30s)"},
		{Flag: "version-header", Text: &r.VersionHeader, Help: "`header` of a reply that names its version"},
		{Flag: "version-pointer", Text: &r.VersionPointer, Help: "JSON `pointer` to the version in the body of a reply, such as /build/version"},
		{Flag: "version-pattern", Text: &r.VersionPattern, Help: "`regexp` for the body of a reply, whose first group is the version"},
	}
}

// secureList returns the flags for requests over TLS.
func (r *Request) secureList() usage.List {
	return usage.List{
		{Flag: "ca", Text: &r.CA, Help: "PEM `file` of the authorities that the certificate of the app may be of (default: for --url this host's; rollcall try accepts any on a cluster that it makes)"},
		{Flag: "server-name", Text: &r.ServerName, Help: "`name` to ask for, and to find in the certificate of the app (default: the URL's or the Service's)"},
		{Flag: "insecure", Switch: &r.Insecure, Help: "accept any certificate of the app"},
		{Flag: "tls-min", Text: &r.TLSMin, Help: "lowest `version` of TLS with the app, 1.2 or 1.3 (default 1.2)"},
		{Flag: "client-cert", Text: &r.ClientCert, Help: "PEM `file` with the certificate that clients present to the app"},
		{Flag: "client-key", Text: &r.ClientKey, Help: "PEM `file` with the key of --client-cert"},
	}
}

// urlList returns the flags for requests to a URL.
func (r *Request) urlList() usage.List {
	return usage.List{{Flag: "connect-to", Text: &r.ConnectTo, Help: "`host:port` to open connections to, in place of those of --url"}}
}

// checkMeant returns an error if an option is given that has no effect, or if TLS needs one that is missing.
func (r Request) checkMeant(service *userapp.ServiceName, target string) error {
	secure := service != nil && service.Secure() || strings.HasPrefix(target, "https:")
	for _, of := range []struct {
		means bool
		list  usage.List
		lacks string
	}{
		{service != nil || target != "", slices.Concat(r.list(), r.protocolList(), r.secureList(), r.urlList()), "give --service or --url"},
		{target != "", r.urlList(), "give --url"},
		{secure, r.secureList(), "give an https --url, or --service=https:NAMESPACE/NAME:PORT"},
	} {
		if given := of.list.Args(); !of.means && len(given) > 0 {
			name, _, _ := strings.Cut(given[0], "=") // its value may be a secret
			return usage.New(name, "it has no effect here", of.lacks)
		}
	}
	if service != nil && service.Secure() && r.CA == "" && !r.Insecure {
		return usage.New("--service="+service.String(), "clients in pods know no certificate authority", "give --ca or --insecure")
	}
	return nil
}

// timeout returns how long clients await a reply; 0 if that is not given. The load goes on for the time given, or longer.
func (r Request) timeout(load time.Duration) (time.Duration, error) {
	d, err := usage.Duration("--timeout=", r.Timeout, 0, time.Millisecond)
	if err == nil && d > load {
		err = usage.New("--timeout="+r.Timeout, fmt.Sprintf("the load may be over in %v, before a request times out", load), "give that or less")
	}
	return d, err
}

// http returns the options for clients. writes permits methods that may change something.
func (r Request) http(writes bool) (asked *loadgen.UserHTTP, err error) {
	asked = &loadgen.UserHTTP{Method: cmp.Or(r.Method, http.MethodGet), Host: r.Host, Header: r.VersionHeader, Pointer: r.VersionPointer,
		Pattern: r.VersionPattern}
	switch {
	case !slices.Contains(loadgen.Methods(), asked.Method):
		return nil, usage.New("--method="+asked.Method, "unknown method", "use one of "+strings.Join(loadgen.Methods(), ", "))
	case !slices.Contains(loadgen.Reads(), asked.Method) && !writes:
		return nil, usage.New("--method="+asked.Method, "it may change something", "allow that: --allow="+allowWrites)
	}
	for _, text := range r.Headers {
		h, err := header(text)
		if err != nil {
			return nil, err
		}
		asked.Headers = append(asked.Headers, h)
	}
	if r.Body != "" {
		name, is := strings.CutPrefix(r.Body, "@")
		if !is {
			return nil, usage.New("--body", "it is not @ and a file", "write it like @order.json") // it may be a secret
		}
		if asked.Body, err = usage.File(name); err != nil {
			return nil, usage.New("--body=@"+name, usage.OneLine(err), "name an existing file")
		}
	}
	if asked.TLS, err = r.TLS(); err != nil {
		return nil, err
	}
	if asked.Status, err = usage.Statuses("--good-status=", cmp.Or(r.GoodStatus, goodStatus)); err != nil {
		return nil, err
	}
	if err := asked.Check(); err != nil {
		return nil, usage.New("request", usage.OneLine(err), "correct the option that says so: see --help")
	}
	return asked, nil
}

// header parses a header, and reads its value from where it stands. It rejects the value of a secret one on the command line, where
// everybody can see it.
func header(text string) (h loadgen.HeaderField, err error) {
	name, value, two := strings.Cut(text, "=")
	h = loadgen.HeaderField{Name: name, Value: value}
	switch {
	case !two:
		return h, usage.New("--header", "one has no value", "write it like X-Tenant=acme, Authorization=@FILE or Authorization=$VARIABLE")
	case userapp.Exposed(h):
		return h, usage.New("--header="+name, "its value would stand in lists of processes and in the report", "write "+name+"=@FILE or "+
			name+"=$VARIABLE")
	}
	if h.Value, err = usage.Value(value); err != nil {
		return h, usage.New("--header="+text, usage.OneLine(err), "name a file or a variable with a value")
	}
	return h, nil
}

// lowerScheme returns a URL with its scheme as we compare it: schemes have no case (RFC 3986, 3.1).
func lowerScheme(text string) string {
	scheme, rest, _ := strings.Cut(text, ":")
	return strings.ToLower(scheme) + ":" + rest
}

// asHeader says how a secret is sent that must not be in a URL.
const asHeader = "send it as a header: --header='Authorization=$VARIABLE' or =@FILE"

// checkURL returns an error for a URL that a client cannot request, or that has a secret.
func (r Request) checkURL(text string) error {
	if err := userapp.CheckURL("--url", text, "https://shop.example.com/healthz", asHeader); err != nil {
		return err
	}
	if r.ConnectTo == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(r.ConnectTo)
	if err == nil && port != "" {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || host == "" || port == "" {
		return usage.New("--connect-to="+r.ConnectTo, "it is not a host and a port", "write it like 10.0.0.7:443")
	}
	return nil
}
