package during

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// portOf returns a Service of one port, 9000, which leads to a port of the same number.
func portOf(name, appProtocol string) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.7",
		Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Name: name, Port: 9000}}}}
	if appProtocol != "" {
		s.Spec.Ports[0].AppProtocol = &appProtocol
	}
	return s
}

// probedByRPC returns a pod of it, with a probe over gRPC.
func probedByRPC() *corev1.Pod {
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 9000}}}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", ReadinessProbe: probe}}}}
}

// A looked is the API server of a cluster with one Service, which it shows to whoever reads it.
type looked struct {
	service *corev1.Service
	pods    []corev1.Pod
	hidden  bool // pods may not be listed

	mu    sync.Mutex
	wrote []string // requests that are no reads
}

func (l *looked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		l.wrote = append(l.wrote, r.Method+" "+r.URL.Path)
	}
	list := func(kind string, items any) {
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": kind, "items": items})
	}
	switch r.URL.Path {
	case "/version":
		fmt.Fprint(w, `{"gitVersion": "v1.37.2"}`)
	case "/api/v1/nodes":
		list("NodeList", []any{})
	case "/api/v1/namespaces/kube-system/pods":
		list("PodList", []any{})
	case "/api/v1/namespaces/shop/services/web":
		shown := *l.service
		shown.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}
		_ = json.NewEncoder(w).Encode(shown)
	case "/api/v1/namespaces/shop/pods":
		if !l.hidden {
			list("PodList", l.pods)
			return
		}
		fallthrough
	default:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"apiVersion": "v1", "kind": "Status", "reason": "Forbidden", "code": 403}`)
	}
}

// at has the options name the cluster.
func (l *looked) at(t *testing.T, o Options) Options {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	o.Kubeconfig, o.Context = filepath.Join(t.TempDir(), "config"), "staging"
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: u, user: {}}]\n"+
		"contexts: [{name: staging, context: {cluster: c, user: u}}]\n", server.URL)
	if err := os.WriteFile(o.Kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

// What the port of a Service speaks is found out before anything is created, since it says which images clients need.
func TestTheProtocolOfAServiceThatRuns(t *testing.T) {
	module(t)
	const appProtocol, health = "port api (9000) of Service web speaks gRPC, by its appProtocol", "/grpc.health.v1.Health/Check"
	for _, row := range []struct {
		sentence string
		cluster  *looked
		o        Options
		want     asking
		path     string
		refused  string
	}{
		{"its appProtocol is that of gRPC", &looked{service: portOf("api", "grpc")}, Options{},
			asking{protocol: "grpc", says: appProtocol}, health, ""},
		{"its name begins so", &looked{service: portOf("grpc-orders", "")}, Options{Service: "shop/web/shop.Orders/List"},
			asking{protocol: "grpc", says: "port grpc-orders (9000) of Service web speaks gRPC, by its name"}, "/shop.Orders/List", ""},
		{"its pods are probed over gRPC", &looked{service: portOf("api", "kubernetes.io/h2c"), pods: []corev1.Pod{*probedByRPC()}}, Options{},
			asking{protocol: "grpc", says: "port api (9000) of Service web speaks gRPC, by its probe"}, health, ""},
		{"its pods may not be read", &looked{service: portOf("api", "kubernetes.io/h2c"), hidden: true}, Options{},
			asking{protocol: "h2c", says: "port api (9000) of Service web speaks HTTP/2, by its appProtocol"}, "/", ""},
		{"nothing is said", &looked{service: portOf("api", "")}, Options{}, asking{protocol: "http"}, "/", ""},
		{"streams", &looked{service: portOf("api", "sse")}, Options{}, asking{protocol: "sse",
			streams: harness.Streams{Rate: 2, Longest: longestStream},
			says:    "port api (9000) of Service web speaks server-sent events, by its appProtocol"}, "/", ""},
		{"an option says it", &looked{service: portOf("api", "grpc")}, Options{Request: Request{Protocol: "http"}},
			asking{protocol: "http"}, "/", ""},
		{"an option says gRPC", &looked{service: portOf("api", "")}, Options{Request: Request{Protocol: "grpc"}},
			asking{protocol: "grpc"}, health, ""},
		{"images pushed before are enough", &looked{service: portOf("api", "")}, withImages(Options{}), asking{protocol: "http"}, "/", ""},
		{"those of RPCs are missing", &looked{service: portOf("api", "grpc")}, withImages(Options{}), asking{}, "",
			appProtocol + ": --images: grpcagent:dev is missing: add grpcagent:dev=REF"},
		{"they are missing for what an option says", &looked{service: portOf("api", "")},
			withImages(Options{Request: Request{Protocol: "grpc"}}), asking{}, "",
			"--images: grpcagent:dev is missing: add grpcagent:dev=REF"},
		{"a path that is no method", &looked{service: portOf("api", "grpc")}, Options{Service: "shop/web/healthz"}, asking{}, "", appProtocol +
			": --service=shop/web/healthz: over gRPC it names a method, and /healthz is none: write it like /grpc.health.v1.Health/Check, or leave it out"},
		{"an option that gRPC does not have", &looked{service: portOf("api", "grpc")}, Options{Request: Request{GoodStatus: "200"}}, asking{}, "",
			appProtocol + ": --good-status: it has no effect with --protocol=grpc: leave it out"},
		{"a URL of the same app is asked so too", &looked{service: portOf("api", "grpc")}, Options{URL: "http://127.0.0.1:1/"}, asking{}, "",
			"--url=http://127.0.0.1:1/grpc.health.v1.Health/Check: connection refused"},
		{"what no client speaks", &looked{service: portOf("api", "redis")}, Options{}, asking{}, "",
			"service shop/web: port api (9000) of Service web speaks redis, by its appProtocol, which no client of this build speaks: " +
				"name another port, or ask it over HTTP all the same: --protocol=http"},
		{"a port that it has not", &looked{service: portOf("api", "grpc")}, Options{Service: "shop/web:80"}, asking{}, "",
			"service shop/web: it has no port 80: choose one of: api (9000)"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if row.o.Service == "" {
				row.o.Service = "shop/web"
			}
			a, err := row.cluster.at(t, row.o).prepare()
			if row.refused != "" {
				if !usage.Is(err) || !strings.HasPrefix(err.Error(), row.refused) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v\nwant %s", err, row.refused)
				}
			} else if err != nil {
				t.Fatal(err)
			} else if rpcs := row.want.protocol == "grpc"; a.service.Path != row.path || a.plan.Options.RPCs != rpcs ||
				!cmp.Equal(a.asking, row.want, cmp.AllowUnexported(asking{})) {
				t.Errorf("%+v for %s, images of RPCs: %v; want %+v for %s, %v", a.asking, a.service.Path, a.plan.Options.RPCs, row.want, row.path, rpcs)
			}
			if len(row.cluster.wrote) > 0 {
				t.Errorf("written: %q", row.cluster.wrote)
			}
		})
	}
}

// withImages has the options name images that were pushed before, without those of RPCs.
func withImages(o Options) Options {
	o.Images = "agent:dev=r/a,echo:v1=r/e1,echo:v2=r/e2"
	return o
}

// On a cluster that we made or kept the Service is read once that is open: its nodes get the images of RPCs before.
func TestTheProtocolOfAServiceOnAClusterOfOurs(t *testing.T) {
	module(t)
	for _, row := range []struct {
		sentence, given string
		rpcs            bool // as far as it is known before
		service         *corev1.Service
		says            string
		asked           evidence.Protocol
	}{
		{"it speaks gRPC", "", true, portOf("grpc", ""), "port grpc (9000) of Service web speaks gRPC, by its name\n", evidence.GRPC},
		{"it speaks HTTP", "", true, portOf("api", ""), "", evidence.HTTP},
		{"an option says what it speaks", "ws", false, portOf("grpc", ""), "", evidence.WebSocket},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var said strings.Builder
			a := settings{asking: asking{protocol: row.given}, http: &loadgen.UserHTTP{},
				service: &userapp.ServiceName{Namespace: "shop", Name: "web", Path: "/"}}
			if err := a.chooseImages(); err != nil || a.plan.Options.RPCs != row.rpcs {
				t.Errorf("images of RPCs: %v, %v", a.plan.Options.RPCs, err)
			}
			m := &maintenance{settings: a, screen: &screen{terminal: &said, log: io.Discard}}
			row.service.Spec.Selector = nil // no pods are watched
			s, err := m.scenarioOn(t.Context(), fakeCluster{client: fake.NewClientset(row.service)})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.UnderLoad().Protocol; got != row.asked || !strings.HasPrefix(said.String(), row.says) {
				t.Errorf("asked by %s, said\n%s", got.Name(), &said)
			}
		})
	}
}
