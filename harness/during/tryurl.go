package during

import (
	"errors"
	"fmt"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/usage"
	"rollcall/loadgen"
)

// tryURL asks the URL once, and refuses one that no request gets through to. What is then a bad reply may be a good one later.
func (a asked) tryURL() error {
	if a.url == "" {
		return nil
	}
	_, err := a.http.Ask(a.url, a.connectTo, loadgen.DefaultTimeout)
	var none *loadgen.NoReplyError
	if !errors.As(err, &none) {
		return err
	}
	found := atURL(*none)
	if found.met == "" {
		return nil
	}
	if a.proxy != "" {
		found.met += ", straight and not by the proxy of " + a.proxy
	}
	because := usage.JoinLines(strings.TrimPrefix(none.Because, "loadgen: ask "+a.url+": "))
	return usage.New("url "+a.url, fmt.Sprintf("%s (%s)", found.met, because), found.remedy)
}

// atURL is what a client of this host meets at a URL, and what mends it; nothing if the request got through, whatever the reply.
func atURL(none loadgen.NoReplyError) obstacle {
	const reach = "see that it can be reached from here, or give --connect-to=HOST:PORT"
	if none.TLS {
		return obstacle{"its port speaks TLS", "write https://"}
	}
	switch none.Fault {
	case evidence.CertExpired:
		return obstacle{"its certificate has expired or is not valid yet", "renew it, or give --insecure"}
	case evidence.CertUnknownAuthority:
		return obstacle{"its certificate is of an authority that is not trusted", "give that: --ca=FILE, or --insecure"}
	case evidence.CertWrongName:
		return obstacle{"its certificate is of another name", "give that: --server-name=NAME, or --insecure"}
	case evidence.PlainHTTP:
		return obstacle{"its port speaks plain HTTP", "write http:// or another port"}
	case evidence.HandshakeFailed:
		return obstacle{"the TLS handshake failed", "see --client-cert, --server-name and --tls-min"}
	case evidence.Timeout:
		if !none.Opened {
			return obstacle{fmt.Sprintf("no connection in %v: something on the way drops it, such as a firewall", loadgen.DefaultTimeout), reach}
		}
		return obstacle{plain(none), reach}
	case evidence.Unreachable:
		return obstacle{"there is no way to it", reach}
	case evidence.Unresolved:
		return obstacle{"this host cannot resolve its name", "see to this host's resolver, or give --connect-to=HOST:PORT"}
	case evidence.NoLocalPort:
		return obstacle{"this host has no local port left", "see who has opened so many connections: ss -s"}
	case evidence.NoRoute:
		return obstacle{"this host has no route to it", "see to this host's routes, or give --connect-to=HOST:PORT"}
	case evidence.WrongServer:
		return obstacle{"its reply is good, and not what was said of it", "mend --version-header, --version-pointer or --version-pattern"}
	case evidence.Refused, evidence.Closed, evidence.Reset:
		return obstacle{plain(none), reach}
	case evidence.NoFault, evidence.BadStatus:
	}
	return obstacle{}
}
