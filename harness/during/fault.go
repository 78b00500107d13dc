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
	switch found := spokenObstacle(last); {
	case found.met != "":
		return found
	case last.TLS:
		return obstacle{"its port speaks TLS", "write https://"}
	case last.Fault == evidence.Timeout && !last.Opened:
		return obstacle{fmt.Sprintf("no connection in %v: something on the way drops it, such as a firewall", loadgen.DefaultTimeout), reach}
	}
	return byFault[last.Fault]
}

// spokenObstacle returns the obstacle of a port that does not speak what it is asked by, or whose streams are none that clients can await;
// empty if there is none.
func spokenObstacle(last loadgen.NoReplyError) (found obstacle) {
	tokens := phrase.Count(last.Tokens, "token")
	switch {
	case last.Unspoken != "":
		return obstacle{phrase.Printable(last.Unspoken), "name a port and path that answer so, or another --protocol"}
	case last.Begun:
		return obstacle{fmt.Sprintf("its reply begins, and does not end in %v", loadgen.Patience),
			"name a path whose reply ends, or ask for a stream: --protocol=sse"}
	case last.Endless:
		return obstacle{fmt.Sprintf("its stream had %s and no end when it had lasted as long as any may", tokens),
			"ask for one that ends, or give a longer --longest=TIME"}
	case last.Fault == evidence.Truncated:
		return obstacle{fmt.Sprintf("its stream had %s and ended without the end mark", tokens), "correct --end-mark, or leave it out"}
	case last.Tokens > 0 && last.Fault == evidence.Timeout:
		return obstacle{fmt.Sprintf("its stream had %s, and no further one came in %v", tokens, loadgen.Patience),
			"ask for one whose tokens come sooner"}
	case last.Tokens > 0:
		return obstacle{fmt.Sprintf("its stream was cut after %s", tokens), "see in the log of the app why it ended that"}
	default:
		return found
	}
}

// faultText says what happened to a request without a reply.
func faultText(last loadgen.NoReplyError) string {
	if found, known := byFault[last.Fault]; known {
		return found.met
	}
	return strings.TrimPrefix(phrase.Printable(last.Because), "loadgen: request: ")
}
