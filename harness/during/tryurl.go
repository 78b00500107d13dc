package during

import (
	"errors"
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
	if none.TLS {
		return usage.New("url "+a.url, "its port speaks TLS", "write https://")
	}
	const reach = "see that it can be reached from here, or give --connect-to=HOST:PORT"
	reason, remedy := "", reach
	switch none.Fault {
	case evidence.CertExpired:
		reason, remedy = "its certificate has expired or is not valid yet", "renew it, or give --insecure"
	case evidence.CertUnknownAuthority:
		reason, remedy = "its certificate is of an authority that is not trusted", "give that: --ca=FILE, or --insecure"
	case evidence.CertWrongName:
		reason, remedy = "its certificate is of another name", "give that: --server-name=NAME, or --insecure"
	case evidence.PlainHTTP:
		reason, remedy = "its port speaks plain HTTP", "write http:// or another port"
	case evidence.HandshakeFailed:
		reason, remedy = "the TLS handshake failed", "see --client-cert, --server-name and --tls-min"
	case evidence.Timeout:
		reason = "it is silent"
	case evidence.Refused:
		reason = "nothing listens there"
	case evidence.Unreachable:
		reason = "there is no way to it"
	case evidence.Unresolved:
		reason, remedy = "this host cannot resolve its name", "see to this host's resolver, or give --connect-to=HOST:PORT"
	case evidence.NoLocalPort:
		reason, remedy = "this host has no local port left", "see who has opened so many connections: ss -s"
	case evidence.NoRoute:
		reason, remedy = "this host has no route to it", "see to this host's routes, or give --connect-to=HOST:PORT"
	case evidence.Closed, evidence.Reset:
		reason = "it ends connections without a reply"
	case evidence.WrongServer:
		reason, remedy = "its reply is good, and not what was said of it", "mend --version-header, --version-pointer or --version-pattern"
	case evidence.NoFault, evidence.BadStatus:
		return nil
	}
	if a.proxy != "" {
		reason += ", straight and not by the proxy of " + a.proxy
	}
	return usage.New("url "+a.url, reason+" ("+usage.JoinLines(strings.TrimPrefix(none.Because, "loadgen: ask "+a.url+": "))+")", remedy)
}
