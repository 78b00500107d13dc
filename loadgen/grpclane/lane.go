// Package grpclane sends RPCs as lanes, by grpc-go. It is a package of its own so that other agents have the standard library alone.
//
// A lane's target is a URL: its host and port, http or https, and its path the method, such as /grpc.health.v1.Health/Check, which is
// the default. Rollcall's own app answers
//
//	/rollcall.Echo/Reply    with one message
//	/rollcall.Echo/Stream   with one at once and then one each ROLLCALL_STREAM_EVERY, until its status
//
// A message is empty, as google.protobuf.Empty is. What else replies carry is not looked at. Lane, number and whoever replied are named in
// the metadata, by the names that HTTP has.
package grpclane

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

// Link adds RPCs to the protocols that lanes of this process may have.
func Link() {
	balancer.Register(pickFirst{})
	for _, name := range []evidence.Protocol{evidence.GRPC, evidence.GRPCStream} {
		loadgen.Linked{Check: check, Open: open, Batched: name == evidence.GRPC}.Add(name)
	}
}

// Methods.
const (
	checkMethod  = "/grpc.health.v1.Health/Check"
	replyMethod  = "/rollcall.Echo/Reply"
	streamMethod = "/rollcall.Echo/Stream"
)

// channels is how many a lane has. Each has one connection, and so one pod; RPCs use them in turn. As many as lanes over HTTP keep.
const channels = 20

// check returns why a lane cannot send RPCs, or nil.
func check(l evidence.Lane, cfg loadgen.Config) error {
	target, err := url.Parse(l.Target)
	user := cfg.UserHTTP
	switch {
	case err != nil:
		return err
	case target.Scheme != "http" && target.Scheme != "https" || target.Host == "":
		return fmt.Errorf("target %q is not an http or https URL", l.Target)
	case target.Path != "" && target.Path != "/" && strings.Count(target.Path, "/") != 2:
		return fmt.Errorf("path %q is not that of a method, such as %s", target.Path, checkMethod)
	case l.Conn != evidence.Reused || l.Resends:
		return errors.New("RPCs use connections that are kept, and are not sent again")
	case l.Longest < 0:
		return fmt.Errorf("streams cannot last for %v", l.Longest)
	case user == nil:
		return nil
	case user.Pointer+user.Pattern != "":
		return errors.New("a reply to an RPC can name its version in its metadata alone")
	default:
		return user.Check()
	}
}

// A lane is an exchanger of RPCs.
type lane struct {
	evidence.Lane
	link     *loadgen.Link
	target   *url.URL
	host     string // of requests; empty: the address
	method   string
	named    string      // in requests
	header   metadata.MD // more of requests
	request  *emptypb.Empty
	service  string // whose replies are good; empty: any
	version  string // key of the metadata that has the version of a user's app; empty: none has
	users    bool   // the app is a user's
	channels []*channel
}

func open(l evidence.Lane, cfg loadgen.Config, link *loadgen.Link) (loadgen.Exchanger, error) {
	opened := &lane{Lane: l, link: link, named: l.ID + cfg.LaneSuffix, service: cfg.Service, header: metadata.MD{},
		request: &emptypb.Empty{}}
	opened.target, _ = url.Parse(l.Target) // no error: it was checked
	opened.method = opened.target.Path
	if user := cfg.UserHTTP; user != nil {
		opened.users, opened.host, opened.version = true, user.Host, user.Header
		opened.request.ProtoReflect().SetUnknown(user.Body)
		for _, h := range user.Headers {
			opened.header.Append(h.Name, h.Value)
		}
	}
	if opened.method == "" || opened.method == "/" {
		opened.method = opened.defaultMethod()
	}
	for n := range channels {
		c, err := opened.connect(n, cfg.Timeout)
		if err != nil {
			opened.Close()
			return nil, err
		}
		opened.channels = append(opened.channels, c)
	}
	return opened, nil
}

func (l *lane) defaultMethod() string {
	switch {
	case l.users:
		return checkMethod
	case l.Protocol.Streams():
		return streamMethod
	default:
		return replyMethod
	}
}

// metadata returns what the RPC with a number tells about itself.
func (l *lane) metadata(ctx context.Context, seq uint64) context.Context {
	said := l.header.Copy()
	said["x-vegeta-attack"], said["x-vegeta-seq"] = []string{l.named}, []string{strconv.FormatUint(seq, 10)}
	return metadata.NewOutgoingContext(ctx, said)
}

// server returns who replied, as the metadata of a reply name it.
func (l *lane) server(said metadata.MD) (by evidence.Server, service string) {
	value := func(key string) string { return strings.Join(said.Get(key), ", ") }
	if l.users {
		if l.version != "" {
			by.Version = value(l.version)
		}
		return by, ""
	}
	by = evidence.Server{Version: value("x-rollcall-version"), Pod: value("x-rollcall-pod"), Node: value("x-rollcall-node")}
	return by, value("x-rollcall-service")
}

// misses reports whether a reply is not by the app that is asked.
func (l *lane) misses(by evidence.Server, service string) bool {
	if l.users {
		return l.version != "" && by.Version == ""
	}
	return l.service != "" && service != l.service || slices.Contains([]string{by.Version, by.Pod, by.Node}, "")
}

// Close closes the channels.
func (l *lane) Close() {
	for _, c := range l.channels {
		_ = c.Close() // no error: it is not closed yet
	}
}
