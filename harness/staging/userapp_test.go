package staging

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// A fakeCluster has only an API server.
type fakeCluster struct {
	cluster.Cluster
	client kubernetes.Interface
}

func (f fakeCluster) Client() kubernetes.Interface { return f.client }
func (fakeCluster) Door() cluster.Door             { return cluster.NoDoor("it is a fake") }

// The error of an app that does not get ready says why, and comes sooner when an image cannot be pulled.
func TestAwaitApp(t *testing.T) {
	app, err := userapp.Read("../../suites/own/testdata/nginx/app.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pod := func(name string, state corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{userapp.VersionLabel: "blue"}},
			Spec:       corev1.PodSpec{NodeName: "a"},
			Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "nginx", Image: "nginx:1", State: state}}},
		}
	}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "back-off"}}
	}
	for _, row := range []struct {
		sentence string
		objects  []runtime.Object
		says     string
		after    time.Duration
	}{
		{"an image that cannot be pulled", []runtime.Object{pod("1", waiting("ImagePullBackOff"))},
			"node a: container nginx, image nginx:1: ImagePullBackOff: back-off, for 50s: ", imageTimeout},
		{"a program that ends", []runtime.Object{pod("1", waiting("CrashLoopBackOff"))},
			"node a: container nginx, image nginx:1: CrashLoopBackOff: back-off, for 2m0s: ", 2 * time.Minute},
		{"pods that may not be made",
			[]runtime.Object{&corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "1"}, Type: corev1.EventTypeWarning,
				Reason: "FailedCreate", Message: "violates\nPodSecurity"}},
			"0 of 3 pods were made, for 2m0s; FailedCreate: violates PodSecurity: ", 2 * time.Minute},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := Preflight{App: app, AppFile: "app.yaml", Cluster: fakeCluster{client: fake.NewClientset(row.objects...)}}
				began := time.Now()
				_, err := p.awaitApp(t.Context(), "ns")
				if !usage.Is(err) || !strings.Contains(err.Error(), "--app=app.yaml: Deployment nginx does not get ready as version blue: "+row.says) {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took < row.after || took > row.after+time.Second {
					t.Errorf("after %v, want %v", took, row.after)
				}
			})
		})
	}
}

// The error of a port that gives no reply over HTTP says what the owner can name instead.
func TestAPortThatSpeaksNoHTTP(t *testing.T) {
	app, err := userapp.Read("../../suites/own/testdata/nginx/app.yaml")
	if err != nil {
		t.Fatal(err)
	}
	listen := func(serve func(net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				serve(conn)
				conn.Close()
			}
		}()
		return l.Addr().String()
	}
	nats := listen(func(c net.Conn) { _, _ = c.Write([]byte(`INFO {"server_id":"a"}` + "\r\n")) })
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	first, others := corev1.ServicePort{Name: "client", Port: 4222}, []corev1.ServicePort{{Name: "monitor", Port: 8222}, {Port: 6222}}
	for _, row := range []struct {
		sentence, at string
		ports        []corev1.ServicePort
		says         string
	}{
		{"another protocol", nats, append([]corev1.ServicePort{first}, others...),
			"--app=app.yaml: port client (4222) of Service nats gives no " +
				"reply over HTTP: malformed HTTP"},
		{"another protocol, and the Service's other ports are named", nats, append([]corev1.ServicePort{first}, others...),
			"; it also has monitor (8222), 6222: name the one of HTTP: service: nats:PORT"},
		{"it is the only one", nats, []corev1.ServicePort{first}, ": have it answer there over HTTP"},
		{"TLS", secure.Listener.Addr().String(), []corev1.ServicePort{first},
			"port client (4222) of Service nats speaks TLS: ask over it: service: https:nats:4222"},
		{"HTTP, and another path", missing.Listener.Addr().String(), []corev1.ServicePort{first}, "asked for /, and 404 Not Found: fix request"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "nats"}, Spec: corev1.ServiceSpec{Ports: row.ports}}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // after the first try
			p := Preflight{App: app, AppFile: "app.yaml", Cluster: fakeCluster{}}
			if err := p.ask(ctx, service, "http://"+row.at+"/", ""); !usage.Is(err) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestPortOf(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "web",
		ContainerPort: 8080}}}}}}
	for _, row := range []struct {
		sentence string
		target   intstr.IntOrString
		want     int
	}{
		{"a number", intstr.FromInt32(81), 81},
		{"a name", intstr.FromString("web"), 8080},
		{"none: the Service's own", intstr.IntOrString{}, 80},
	} {
		service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: row.target}}}}
		if got := PortOf(service, pod); got != row.want {
			t.Errorf("%s: %d, want %d", row.sentence, got, row.want)
		}
	}
}
