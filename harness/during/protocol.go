package during

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// Defaults and limits of streams. The help texts of [Request.protocolList] repeat the defaults.
const (
	streamRate    = 2 // a second and lane: a language model streams for many seconds
	mostStreams   = 1000
	longestStream = time.Minute
)

// protocolList returns the flags that say by what protocol an app is asked, and what its streams are.
func (r *Request) protocolList() usage.List {
	return usage.List{
		{Flag: "protocol", Text: &r.Protocol, Values: userapp.ProtocolNames(),
			Help: "`protocol` by which clients ask your app: " + strings.Join(userapp.ProtocolNames(), ", ") + " (default: what appProtocol, name or " +
				"probe of the Service's port says, else http). The path of grpc is the method (default: that of the health service)"},
		{Flag: "end-mark", Text: &r.EndMark,
			Help: "with --protocol=sse: `data` of the event that ends a whole stream, such as [DONE] (default: the end of the reply does)"},
		{Flag: "longest", Text: &r.Longest, Help: "with --protocol=sse: longest `time` that a whole stream may take (default 1m)"},
	}
}

// An asking is how clients ask a user's app, beside what is the same for any request.
type asking struct {
	protocol string // its name; empty: the Service's port says it, and was not read yet
	streams  harness.Streams
	says     string // what the port speaks, and by what; empty: nothing but HTTP, or an option says it
}

// by returns the protocol that was chosen so far.
func (a asking) by() evidence.Protocol {
	if a.protocol == "" {
		return evidence.HTTP
	}
	return evidence.ProtocolNamed(a.protocol)
}

// readAsking reads how the app is asked, and what depends on that: the timeout, the path, and the rate of lanes that ask something else.
func (a *settings) readAsking(o *Options) (err error) {
	var secure []bool
	if a.service != nil {
		secure = append(secure, a.service.Secure())
	}
	if a.url != "" {
		secure = append(secure, strings.HasPrefix(a.url, "https:"))
	}
	if a.asking, err = o.asking(secure); err != nil {
		return err
	}
	if a.by().Streams() {
		o.Rate = ""
		a.timeout, err = a.streamTimeout(o.Request.Timeout)
	} else {
		a.timeout, err = o.Request.timeout(harness.Steady + a.lasts + a.settle)
	}
	if err == nil && a.service != nil && a.protocol != "" {
		a.service.Path = userapp.PathOf(a.protocol, a.service.Path)
		err = checkMethod("--service="+o.Service, a.protocol, a.service.Path)
	}
	if at, _ := url.Parse(a.url); err == nil && a.url != "" && a.protocol == userapp.GRPC { // no error: it was checked
		at.Path = userapp.PathOf(a.protocol, at.Path)
		a.url, err = at.String(), checkMethod("--url="+a.url, a.protocol, at.Path)
	}
	return err
}

// asking reads the options about the protocol, and checks those that do not go with it. secure says for each target whether it is asked
// over TLS.
func (o Options) asking(secure []bool) (a asking, err error) {
	a = asking{protocol: o.Request.Protocol}
	switch name := a.protocol; {
	case name == "":
	case !slices.Contains(userapp.ProtocolNames(), name):
		return a, usage.New("--protocol="+name, "unknown protocol", "use one of "+strings.Join(userapp.ProtocolNames(), ", ")+
			usage.Meant(name, userapp.ProtocolNames()...))
	case !spoken(name):
		return a, usage.New("--protocol="+name, "no client of this build speaks "+userapp.Title(name), "use "+strings.Join(clients(), " or "))
	}
	if err := o.fits(a.protocol, secure); err != nil || !a.by().Streams() {
		return a, err
	}
	a.streams = harness.Streams{Rate: streamRate, EndMark: o.Request.EndMark}
	if a.streams.Longest, err = usage.Duration("--longest=", o.Request.Longest, longestStream, time.Second); err != nil || o.Rate == "" {
		return a, err
	}
	n, err := strconv.Atoi(o.Rate)
	if err != nil || n < 1 || n > mostStreams {
		return a, usage.New("--rate="+o.Rate, "it is not a whole number of streams", fmt.Sprintf("use 1 to %d", mostStreams))
	}
	a.streams.Rate = n
	return a, nil
}

// laneTo returns a lane that asks a URL by the protocol.
func (a asking) laneTo(target, address string) evidence.Lane {
	lane := evidence.KindsOf(a.by())[0].Lane("ask")
	lane.Target, lane.Address, lane.Longest, lane.EndMark = target, address, a.streams.Longest, a.streams.EndMark
	return lane
}

func clients() []string {
	return slices.DeleteFunc(userapp.ProtocolNames(), func(name string) bool { return !spoken(name) })
}

// fits returns an error for an option that has no effect on requests by a protocol, or contradicts it.
func (o Options) fits(protocol string, secure []bool) error {
	r := o.Request
	flag := "--protocol=" + protocol
	streams, plain := evidence.ProtocolNamed(protocol).Streams(), protocol == userapp.WebSocket || protocol == userapp.GRPC
	inBody := r.VersionPointer + r.VersionPattern
	for _, of := range []struct {
		wrong                bool
		option, why, because string
	}{
		{r.EndMark != "" && !streams, "--end-mark", "only streams have one", "give --protocol=sse"},
		{r.Longest != "" && !streams, "--longest", "only streams last", "give --protocol=sse"},
		{streams && strings.EqualFold(r.Method, "HEAD"), "--method=HEAD", "a reply to it is no stream", "leave it out"},
		{streams && inBody != "", "--version-pointer and --version-pattern", "a stream is not searched for its version", "give --version-header"},
		{streams && o.MaxLatency != "", "--max-latency", "a stream takes as long as it likes",
			"leave it out: the report has the times of first tokens, and of gaps"},
		{streams && o.MaxOutage != "", "--max-outage", "a stream that is cut had begun before", "give --max-failed, which counts it"},
		{plain && r.Method != "", "--method", "it has no effect with " + flag, "leave it out"},
		{plain && r.Body != "", "--body", "it has no effect with " + flag, "leave it out"},
		{plain && r.GoodStatus != "", "--good-status", "it has no effect with " + flag, "leave it out"},
		{plain && inBody != "", "--version-pointer and --version-pattern", "they have no effect with " + flag, "give --version-header"},
		{protocol == userapp.H2 && slices.Contains(secure, false), flag, "it is over TLS",
			"give an https --url and --service=https:NAMESPACE/NAME:PORT, or --protocol=h2c"},
		{protocol == userapp.H2C && slices.Contains(secure, true), flag, "it is without TLS", "give --protocol=h2"},
	} {
		if of.wrong {
			return usage.New(of.option, of.why, of.because)
		}
	}
	return nil
}

// streamTimeout reads --timeout as the longest time that a stream may be without a token.
func (a asking) streamTimeout(text string) (time.Duration, error) {
	d, err := usage.Duration("--timeout=", text, min(loadgen.Patience, a.streams.Longest), time.Millisecond)
	if err == nil && d > a.streams.Longest {
		err = usage.New("--timeout="+text, fmt.Sprintf("it is longer than a whole stream may take, %v", a.streams.Longest),
			"give a longer --longest=TIME")
	}
	return d, err
}

// checkMethod returns an error for what is asked for over gRPC and names no method.
func checkMethod(flag, protocol, path string) error {
	if protocol != userapp.GRPC || userapp.IsMethod(path) {
		return nil
	}
	return usage.New(flag, "over gRPC it names a method, and "+path+" is none", "write it like /grpc.health.v1.Health/Check, or leave it out")
}
