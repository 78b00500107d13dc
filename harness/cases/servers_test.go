package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A moduleServer is a server of a Go module, which nobody here wrote. It is compiled for the cases that need it.
type moduleServer struct {
	module, version string
	source          string // of its program, in the module
	program         string // its name beside rollcall, and that of its image
}

var (
	caddy   = &moduleServer{"github.com/caddyserver/caddy/v2", "v2.11.9", "./cmd/caddy", "caddy"}
	interop = &moduleServer{"google.golang.org/grpc", "v1.83.2", "./interop/server", "interop"}
	gorilla = &moduleServer{"github.com/gorilla/websocket", "v1.5.3", "examples/echo/server.go", "gorilla"}
)

// Servers of others that speak what lasts longer than a request. Those that tell their clients nothing lose what is in flight when a pod
// exits: of requests that are answered in 1 to 5 ms, one in some runs.
var serverCases = []userCase{
	{name: "caddy", file: "caddy", server: caddy, sentence: "Caddy says GOAWAY once nodes know that its pod ends", service: "caddy:80/",
		cluster: &onCluster{exit: "0", may: "RC3006 " + coldStart, says: "speaks HTTP/2, by its name"}},
	{name: "caddy-unhooked", file: "caddy", server: caddy, sentence: "without the sleep it stops listening before nodes know",
		service: "caddy:80/", edits: []string{"        lifecycle: " + hook + "\n", ""},
		cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3011 RC3016 " + coldStart}},
	{name: "caddy-tls", file: "caddy-tls", server: caddy, sentence: "Caddy says GOAWAY over TLS, too", service: "https:caddy:443/",
		flags: securely, before: certifyCaddy,
		cluster: &onCluster{exit: "0", may: "RC3006 " + coldStart, says: "were told before", never: "and 0 were told before"}},
	{name: "caddy-tls-unhooked", file: "caddy-tls", server: caddy, sentence: "without the sleep it stops listening over TLS, too",
		service: "https:caddy:443/", flags: securely, before: certifyCaddy, edits: []string{"        lifecycle: " + hook + "\n", ""},
		cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3011 RC3016 " + coldStart}},
	{name: "caddy-tls-plain", file: "caddy-tls", server: caddy, sentence: "a server whose TLS offers no HTTP/2 is named before the load",
		service: "https:caddy:443/", flags: securely, before: certifyCaddy, edits: []string{"protocols h1 h2", "protocols h1"},
		cluster: &onCluster{exit: "2", says: `its TLS handshake ended without HTTP/2, with "http/1.1"`}},
	{name: "interop", file: "interop", server: interop, sentence: "a server that never says GOAWAY loses only RPCs in flight at its exit",
		service: "interop:80/grpc.testing.TestService/EmptyCall", flags: []string{"--protocol=grpc"},
		cluster: &onCluster{exit: "0 1", may: "RC3006 RC3042 " + coldStart, says: "and 0 were told before"}},
	{name: "interop-unhooked", file: "interop", server: interop, sentence: "without the sleep they are sent to pods that have ended",
		service: "interop:80/grpc.testing.TestService/EmptyCall",
		edits:   []string{"        lifecycle: " + hook + "\n", "", ", appProtocol: grpc", ""},
		cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3011 RC3016 RC3042 " + coldStart, says: "speaks gRPC, by its name"}},
	{name: "interop-unasked", file: "interop", server: interop, sentence: "a server without the health service has to be asked for a method",
		service: "interop:80/", flags: []string{"--protocol=grpc"},
		cluster: &onCluster{exit: "2", says: "unknown service grpc.health.v1.Health"}},
	{name: "m3", file: "m3", sentence: "gRPC is found by the probe, and asked for its health", service: "web:9000",
		cluster: &onCluster{exit: "0", may: "RC3006 " + coldStart, says: "speaks gRPC, by its probe"}},
	{name: "m3-unhooked", file: "m3", sentence: "without the sleep it stops listening before nodes know", service: "web:9000",
		edits:   []string{"        lifecycle: " + hook + "\n", "", "value: 1s", "value: 0s"},
		cluster: &onCluster{exit: "1", advice: "RC3006", may: "RC3011 RC3016 " + coldStart}},
	{name: "gorilla", file: "gorilla", server: gorilla,
		sentence: "a server that closes no WebSocket loses only messages in flight at its exit",
		service:  "gorilla:80/echo", cluster: &onCluster{exit: "0 1", may: "RC3006 RC3042 " + coldStart, says: "and 0 were told before"}},
	{name: "gorilla-path", file: "gorilla", server: gorilla, sentence: "a path without WebSockets is named before the load",
		service: "gorilla:80/", cluster: &onCluster{exit: "2", says: "where a WebSocket begins with 101"}},
}

// Servers that run already, and whose Service says what they speak.
var runningCases = []userCase{
	{name: "interop-running", file: "interop", server: interop, sentence: "what a Service that runs speaks says which clients ask it",
		service: "{}/interop:80/grpc.testing.TestService/EmptyCall",
		script:  "kubectl rollout restart deployment/interop; kubectl rollout status deployment/interop --timeout=2m",
		cluster: &onCluster{exit: "0 1", may: "RC3006 RC3042 " + coldStart, says: "speaks gRPC, by its appProtocol"}},
}

// securely are the flags of clients of a server that [certifyCaddy] gives a certificate, which they ask over HTTP/2.
var securely = []string{"--protocol=h2", "--filename={}/certificate.yaml", "--ca={}/ca.pem"}

// certifyCaddy writes certificate.yaml, which has the Secret of caddy-tls.yaml, and ca.pem, for clients.
func certifyCaddy(t *testing.T, f folder) {
	t.Helper()
	one := issue(t, "caddy."+f.namespace+".svc")
	f.write(t, "certificate.yaml", one.secret(t, f.namespace, "tls"))
	f.write(t, "ca.pem", one.authority)
}

// load gives the image of the server to this host's Docker. It skips the test unless the program is beside rollcall.
func (p moduleServer) load(t *testing.T, f folder) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(f.programs, p.program)); err != nil {
		t.Skipf(`it needs %[1]s: go mod download %[2]s@%[3]s && CGO_ENABLED=0 go build -C "$(go env GOMODCACHE)/%[2]s@%[3]s" -o %[1]s %[4]s`,
			filepath.Join(f.programs, p.program), p.module, p.version, p.source)
	}
	f.sh(t, fmt.Sprintf(`tar -C %[1]s -c %[2]s | docker import --change 'ENTRYPOINT ["/%[2]s"]' - %[3]s`, f.programs, p.program, p.image()))
}

func (p moduleServer) image() string { return "rollcall.local/" + p.program + ":" + p.version }
