package during

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/loadgen"
)

// reach is the remedy if nothing answers at a URL.
const reach = "see that it can be reached from here, or give --connect-to=HOST:PORT"

// byFault has the obstacle for each fault, with its remedy for a URL. With other faults the request got through.
var byFault = map[evidence.Fault]obstacle{
	evidence.Refused:              {"connection refused", reach},
	evidence.Timeout:              {fmt.Sprintf("it takes the connection, and gives no reply in %v", loadgen.Patience), reach},
	evidence.Reset:                {"it resets the connection", reach},
	evidence.Closed:               {"it closes the connection without a reply over HTTP", reach},
	evidence.Unreachable:          {"host unreachable", reach},
	evidence.Unresolved:           {"this host cannot resolve its name", "fix this host's DNS resolver, or give --connect-to=HOST:PORT"},
	evidence.NoLocalPort:          {"this host has no local port left", "see who has opened so many connections: ss -s"},
	evidence.NoRoute:              {"this host has no route to it", "fix this host's routes, or give --connect-to=HOST:PORT"},
	evidence.PlainHTTP:            {"its port speaks plain HTTP", "ask over http, or at another port"},
	evidence.HandshakeFailed:      {"the TLS handshake failed", "see --client-cert, --server-name and --tls-min"},
	evidence.CertExpired:          {"its certificate has expired or is not valid yet", "renew it, or give --insecure"},
	evidence.CertUnknownAuthority: {"its certificate is of an authority that is not trusted", "give that: --ca=FILE, or --insecure"},
	evidence.CertWrongName:        {"its certificate is for another name", "give that name: --server-name=NAME, or --insecure"},
	evidence.WrongServer:          {"its good reply names no version", "fix --version-header, --version-pointer or --version-pattern"},
}

// urlObstacle returns the obstacle between a client on this host and a URL; empty if the request got through, whatever the reply.
func urlObstacle(last loadgen.NoReplyError) obstacle {
	switch {
	case last.TLS:
		return obstacle{"its port speaks TLS", "write https://"}
	case last.Fault == evidence.Timeout && !last.Opened:
		return obstacle{fmt.Sprintf("no connection in %v: something on the way drops it, such as a firewall", loadgen.DefaultTimeout), reach}
	}
	return byFault[last.Fault]
}

// faultText says what happened to a request without a reply.
func faultText(last loadgen.NoReplyError) string {
	if found, known := byFault[last.Fault]; known {
		return found.met
	}
	return strings.TrimPrefix(phrase.Printable(last.Because), "loadgen: request: ")
}
