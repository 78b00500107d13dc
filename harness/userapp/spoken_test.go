package userapp_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/userapp"
)

func TestWhatAPortSpeaks(t *testing.T) {
	probed := func(p corev1.ProbeHandler) *corev1.PodSpec {
		return &corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Ports: []corev1.ContainerPort{{Name: "api", ContainerPort: 9000}},
			ReadinessProbe: &corev1.Probe{ProbeHandler: p}}}}
	}
	byGRPC := probed(corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 9000}})
	for _, row := range []struct {
		sentence, name, appProtocol string
		protocol                    corev1.Protocol
		pod                         *corev1.PodSpec
		want                        string // of Says; empty: HTTP
	}{
		{"nothing is said", "", "", "", nil, ""},
		{"a name that says nothing", "admin", "", "", nil, ""},
		{"HTTP, whatever the name is", "grpc", "http", "", nil, ""},
		{"gRPC for browsers is over HTTP/1.1", "grpc-web", "", "", nil, ""},
		{"its appProtocol", "api", "kubernetes.io/h2c", "", nil, "port api (9000) of Service web speaks HTTP/2, by its appProtocol"},
		{"that of a WebSocket", "", "kubernetes.io/ws", "", nil, "port 9000 of Service web speaks WebSocket, by its appProtocol"},
		{"its name", "grpc", "", "", nil, "port grpc (9000) of Service web speaks gRPC, by its name"},
		{"the first word of its name", "grpc-orders", "", "", nil, "port grpc-orders (9000) of Service web speaks gRPC, by its name"},
		{"a probe over gRPC", "api", "", "", byGRPC, "port api (9000) of Service web speaks gRPC, by its probe"},
		{"a probe over HTTP", "api", "", "", probed(corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(9000)}}), ""},
		{"HTTP/2 that carries gRPC", "grpc", "kubernetes.io/h2c", "", nil, "port grpc (9000) of Service web speaks gRPC, by its name"},
		{"the same by a probe", "api", "kubernetes.io/h2c", "", byGRPC, "port api (9000) of Service web speaks gRPC, by its probe"},
		{"what no client speaks", "cache", "redis", "", nil, "port cache (9000) of Service web speaks redis, by its appProtocol"},
		{"another transport", "dns", "", corev1.ProtocolUDP, nil, "port dns (9000) of Service web speaks UDP, by its protocol"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			port := corev1.ServicePort{Name: row.name, Port: 9000, TargetPort: intstr.FromString("api"), Protocol: row.protocol}
			if row.appProtocol != "" {
				port.AppProtocol = &row.appProtocol
			}
			spoken, says := userapp.SpokenAt(port, row.pod), ""
			if !spoken.IsHTTP() {
				says = spoken.Says(corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, port)
			}
			if says != row.want {
				t.Errorf("%q, want %q", says, row.want)
			}
		})
	}
}

// A port that nobody asks is named with what it speaks, and with its container if that ends before the one that is asked.
func TestPortsThatAreNotAsked(t *testing.T) {
	sleeps := &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 5}}}
	web := corev1.Container{Name: "web", Lifecycle: sleeps, Ports: []corev1.ContainerPort{{ContainerPort: 8080}, {ContainerPort: 8081}}}
	rpc := corev1.Container{Name: "rpc", Ports: []corev1.ContainerPort{{ContainerPort: 9000}}}
	hooked := rpc
	hooked.Lifecycle = sleeps
	asked := corev1.ServicePort{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}
	admin := corev1.ServicePort{Name: "admin", Port: 8081}
	grpc := corev1.ServicePort{Name: "grpc", Port: 9000}
	for _, row := range []struct {
		sentence string
		ports    []corev1.ServicePort
		pod      *corev1.PodSpec
		want     string
	}{
		{"another one of the same container", []corev1.ServicePort{admin}, &corev1.PodSpec{Containers: []corev1.Container{web, rpc}}, "admin (8081)"},
		{"one of a container without a hook", []corev1.ServicePort{admin, grpc}, &corev1.PodSpec{Containers: []corev1.Container{web, rpc}},
			"admin (8081), grpc (9000): gRPC (container rpc has no preStop hook)"},
		{"one of a container with a hook", []corev1.ServicePort{grpc}, &corev1.PodSpec{Containers: []corev1.Container{web, hooked}},
			"grpc (9000): gRPC"},
		{"pods that may not be read", []corev1.ServicePort{grpc}, nil, "grpc (9000): gRPC"},
	} {
		if got := userapp.NotAskedText(row.ports, asked, row.pod); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

func TestWhatIsAskedForByAProtocol(t *testing.T) {
	for _, row := range []struct {
		protocol, named, want string
		method                bool
	}{
		{"http", "", "/", false}, {"http", "/health", "/health", false}, {"sse", "/chat", "/chat", false},
		{"grpc", "", "/grpc.health.v1.Health/Check", true}, {"grpc", "/", "/grpc.health.v1.Health/Check", true},
		{"grpc", "/shop.Orders/List", "/shop.Orders/List", true}, {"grpc", "/orders", "/orders", false}, {"grpc", "/a/b/c", "/a/b/c", false},
	} {
		if got := userapp.PathOf(row.protocol, row.named); got != row.want || userapp.IsMethod(got) != row.method {
			t.Errorf("%s %q: %s, of which it is %v that it is a method", row.protocol, row.named, got, userapp.IsMethod(got))
		}
	}
}
