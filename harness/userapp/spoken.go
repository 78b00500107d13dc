package userapp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Names of the protocols of --protocol, as [evidence.Protocol.Name] has them.
const (
	HTTP      = "http"
	SSE       = "sse"
	WebSocket = "ws"
	H2        = "h2"
	H2C       = "h2c"
	GRPC      = "grpc"
)

// titles has the protocols that a user may name, as messages have them.
var titles = map[string]string{HTTP: "HTTP", SSE: "server-sent events", WebSocket: "WebSocket", H2: "HTTP/2 over TLS",
	H2C: "HTTP/2", GRPC: "gRPC"}

// Title returns a protocol as messages have it: of one that no client speaks, its name.
func Title(protocol string) string { return cmp.Or(titles[protocol], protocol) }

// ProtocolNames lists what a user may name.
func ProtocolNames() []string { return []string{HTTP, SSE, WebSocket, H2, H2C, GRPC} }

// A Spoken is what a port of a Service speaks, as far as its owner says. The zero value says nothing.
type Spoken struct {
	Protocol string // its name
	By       string // what says so: appProtocol, name or probe
}

// IsHTTP reports whether clients of HTTP/1.1 may ask it.
func (s Spoken) IsHTTP() bool { return s.Protocol == "" || s.Protocol == HTTP }

// byAppProtocol has what well-known values of appProtocol mean: those of KEP-3726, and those of meshes.
var byAppProtocol = map[string]string{
	"kubernetes.io/h2c": H2C, "kubernetes.io/ws": WebSocket, "kubernetes.io/wss": WebSocket, "http": HTTP, "https": HTTP,
	"grpc": GRPC, "kubernetes.io/grpc": GRPC, "grpc-web": HTTP, "http2": H2C, "h2c": H2C, "ws": WebSocket, "wss": WebSocket,
	"http/1.1": HTTP, "http1": HTTP,
}

// byName has what the name of a port means, or the first of its words.
var byName = map[string]string{"grpc": GRPC, "h2c": H2C, "http2": H2C, "ws": WebSocket, "wss": WebSocket}

// SpokenAt returns what a port of a Service speaks. pod is nil if it is not known: a probe over gRPC then says nothing. HTTP/2 may carry
// gRPC, so that what says gRPC counts more.
func SpokenAt(port corev1.ServicePort, pod *corev1.PodSpec) (spoken Spoken) {
	if port.Protocol == corev1.ProtocolUDP || port.Protocol == corev1.ProtocolSCTP {
		return Spoken{string(port.Protocol), "protocol"}
	}
	if port.AppProtocol != nil && *port.AppProtocol != "" {
		named := strings.ToLower(*port.AppProtocol)
		spoken = Spoken{cmp.Or(byAppProtocol[named], named), "appProtocol"}
	}
	first, _, _ := strings.Cut(port.Name, "-")
	if named := byName[first]; named != "" && port.Name != "grpc-web" && !strings.HasPrefix(port.Name, "grpc-web-") {
		spoken = spoken.or(Spoken{named, "name"})
	}
	if pod != nil && probedByGRPC(*pod, PortNumber(*pod, TargetOf(port))) {
		spoken = spoken.or(Spoken{GRPC, "probe"})
	}
	return spoken
}

// or returns what else says: it counts where nothing was said before, or HTTP/2 and now gRPC.
func (s Spoken) or(other Spoken) Spoken {
	if s.Protocol == "" || s.Protocol == H2C && other.Protocol == GRPC {
		return other
	}
	return s
}

func probedByGRPC(pod corev1.PodSpec, port int32) bool {
	asks := func(p *corev1.Probe) bool { return p != nil && p.GRPC != nil && p.GRPC.Port == port }
	return slices.ContainsFunc(Serving(pod), func(c corev1.Container) bool {
		return asks(c.ReadinessProbe) || asks(c.LivenessProbe) || asks(c.StartupProbe)
	})
}

// Says says in a clause what a port of a Service speaks, such as "port grpc (9000) of Service web speaks gRPC, by its appProtocol".
func (s Spoken) Says(service corev1.Service, port corev1.ServicePort) string {
	return fmt.Sprintf("port %s of Service %s speaks %s, by its %s", PortText(port), service.Name, Title(s.Protocol), s.By)
}

// NotAskedText returns a list of ports that nobody asks, beside the one that is: what each speaks if that is not HTTP, and its container if
// that is another one, without a preStop hook. pod is nil if it is not known.
func NotAskedText(ports []corev1.ServicePort, asked corev1.ServicePort, pod *corev1.PodSpec) string {
	var all []string
	for _, p := range ports {
		text := PortText(p)
		if spoken := SpokenAt(p, pod); !spoken.IsHTTP() {
			text += ": " + Title(spoken.Protocol)
		}
		if pod != nil {
			of := Answers(*pod, p)
			its := slices.ContainsFunc(of.Ports, func(at corev1.ContainerPort) bool { return at.ContainerPort == PortNumber(*pod, TargetOf(p)) })
			if its && of.Name != Answers(*pod, asked).Name && PreStop(of) == nil && !IsSidecar(of) {
				text += fmt.Sprintf(" (container %s has no preStop hook)", of.Name)
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// healthMethod is the method of gRPC's health service, which every server may have (grpc.health.v1).
const healthMethod = "/grpc.health.v1.Health/Check"

// PathOf returns what is asked for by a protocol, where a user names a path, or none: of gRPC the method.
func PathOf(protocol, named string) string {
	if protocol == GRPC && (named == "" || named == "/") {
		return healthMethod
	}
	return cmp.Or(named, "/")
}

// IsMethod reports whether a path names a method of gRPC: /package.Service/Method.
func IsMethod(path string) bool {
	service, method, both := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return both && strings.HasPrefix(path, "/") && service != "" && method != "" && !strings.ContainsAny(method, "/?")
}

// ProbeBy returns the handler of a probe that asks by a protocol as clients do, as [ProbeHandler] does by HTTP. Kubelets ask by no other
// protocol than gRPC's health service.
func ProbeBy(protocol string, pod corev1.PodSpec, port corev1.ServicePort) map[string]any {
	number := PortNumber(pod, TargetOf(port))
	if protocol == GRPC {
		return map[string]any{"grpc": map[string]any{"port": int64(number)}}
	}
	return map[string]any{"tcpSocket": map[string]any{"port": int64(number)}}
}
