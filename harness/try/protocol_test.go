package try

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// rpcBeside is an app with a container for HTTP, and one for gRPC that nobody keeps from ending.
const rpcBeside = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: localhost/web:1
        ports: [{containerPort: 8080}]
        lifecycle: {preStop: {sleep: {seconds: 5}}}
      - name: rpc
        image: localhost/rpc:1
        ports: [{containerPort: 9000}]
        readinessProbe: {grpc: {port: 9000}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80, targetPort: 8080}
  - {name: api, port: 9000, appProtocol: kubernetes.io/h2c}
  - {name: cache, port: 6379, appProtocol: redis}
`

// What each port speaks is found in the manifests, and said.
func TestWhatPortsSpeak(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		want     []string // lines
		refused  string
	}{
		{"one is asked over HTTP, and the others are named", []string{"--service=web:http/"}, []string{
			"Service:   web port 80, which leads to port 8080 of the pods; not asked: api (9000): gRPC (container rpc has no preStop hook), cache (6379): redis", "requests:  GET /"}, ""},
		{"streams", []string{"--service=web:http/chat", "--protocol=sse"}, []string{"requests:  GET /chat, by server-sent events"}, ""},
		{"HTTP/2 over TLS, which is said once", []string{"--service=https:web:http/", "--protocol=h2", "--insecure"},
			[]string{"requests:  GET /, by HTTP/2 over TLS"}, ""},
		{"what no client speaks", []string{"--service=web:cache"}, nil,
			"Service web: port cache (6379) of Service web speaks redis, by its appProtocol, which no client of this build speaks: "},
		{"the same, asked all the same", []string{"--service=web:cache", "--protocol=http"}, []string{"requests:  GET /"}, ""},
		{"an option that does not go with streams", []string{"--service=web:http/chat", "--protocol=sse", "--max-outage=5s"}, nil,
			"--max-outage: a stream that is cut had begun before"},
	} {
		t.Run(row.sentence, func(t *testing.T) { checkSaid(t, row.args, row.want, row.refused) })
	}
}

// A port of gRPC is found by its probe, though its appProtocol says no more than HTTP/2.
func TestAPortOfGRPC(t *testing.T) {
	const says = "port api (9000) of Service web speaks gRPC, by its probe"
	if len(evidence.KindsOf(evidence.ProtocolNamed(userapp.GRPC))) == 0 {
		checkSaid(t, []string{"--service=web:api"}, nil, "Service web: "+says+", which no client of this build speaks: ")
		return
	}
	checkSaid(t, []string{"--service=web:api"}, []string{"protocol:  " + says, "requests:  /grpc.health.v1.Health/Check, by gRPC"}, "")
}

func checkSaid(t *testing.T, args, want []string, refused string) {
	t.Helper()
	said, err := tried(t, rpcBeside, args...)
	if refused == "" && err != nil || refused != "" && (!usage.Is(err) || !strings.HasPrefix(err.Error(), refused)) {
		t.Fatalf("%v, want %q", err, refused)
	}
	for _, line := range want {
		if !strings.Contains("\n"+said, "\n"+line+"\n") {
			t.Errorf("%q is not in\n%s", line, said)
		}
	}
}
