package during

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// lastOf returns the error of a client's request to a server.
func lastOf(t *testing.T, address string, limit time.Duration) loadgen.NoReplyError {
	t.Helper()
	_, err := userapp.Existing("/", &loadgen.UserHTTP{}, evidence.UserApp{}).HTTP().Request("http://"+address, "", limit)
	none, is := err.(*loadgen.NoReplyError) //nolint:errorlint // as it is
	if !is {
		t.Fatalf("error %v", err)
	}
	return *none
}

// patient is a timeout that only a hung test reaches.
const patient = 30 * time.Second

// refusing returns an address that refuses connections: it is a client's, so that nobody can listen there.
func refusing(t *testing.T) string {
	t.Helper()
	client, err := net.Dial("tcp", silent(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client.LocalAddr().String()
}

// silent returns an address that never replies: its connections stay in the kernel's queue.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().String()
}

// accepting calls a function for each connection.
func accepting(t *testing.T, serve func(*net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn.(*net.TCPConn))
		}
	}()
	return listener.Addr().String()
}

// An obstacleRow is why clients of shop/web get no good reply, and what is said of it.
type obstacleRow struct {
	sentence string
	last     loadgen.NoReplyError
	from     string
	policies string
	sidecar  string
	want     string
}

// Where clients are, and which NetworkPolicies there are.
const (
	fromPod, fromHere, fromBoth         = "pod", "here", "both"
	noPolicy, onePolicy, unreadPolicies = "", "one", "unread"
)

// replying returns the error of a client's request that is answered with a status.
func replying(t *testing.T, status int) loadgen.NoReplyError {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer server.Close()
	return lastOf(t, server.Listener.Addr().String(), patient)
}

// overTLS returns that of one to a port that speaks TLS.
func overTLS(t *testing.T) loadgen.NoReplyError {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	return lastOf(t, server.Listener.Addr().String(), patient)
}

func checkObstacles(t *testing.T, rows []obstacleRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			app := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", Labels: map[string]string{"app": "web"}},
				Spec: corev1.PodSpec{Containers: []corev1.Container{
					{Name: "web", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}}}},
				Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
			if row.sidecar != "" {
				app.Spec.InitContainers = []corev1.Container{{Name: row.sidecar}}
			}
			objects := []runtime.Object{app}
			if row.policies == onePolicy {
				objects = append(objects, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default-deny"}})
			}
			client := fake.NewClientset(objects...)
			if row.policies == unreadPolicies {
				client.PrependReactor("list", "networkpolicies", func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
				})
			}
			to := &harness.Existing{URL: "http://shop.example.com/", Pods: &observe.App{Namespace: "shop", Selector: labels.Everything()},
				Service: &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
					Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}}}
			var without []harness.Unanswered
			for _, node := range map[string][]string{fromPod: {"a"}, fromBoth: {"a", "b"}}[row.from] {
				without = append(without, harness.Unanswered{Last: row.last, Pod: &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{Namespace: "rollcall", Name: "agent-" + node}, Spec: corev1.PodSpec{NodeName: node}}})
			}
			if row.from != fromPod {
				without = append(without, harness.Unanswered{Target: to.URL, Last: row.last})
			}
			err := obstacles{client, to, "/healthz", "HTTP"}.explain(t.Context(), without)
			if !usage.Is(err) || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v\nwant %s", err, row.want)
			}
		})
	}
}

func TestWhatIsInTheWayOfAPod(t *testing.T) {
	refused, tls := lastOf(t, refusing(t), patient), overTLS(t)
	reset := lastOf(t, accepting(t, func(c *net.TCPConn) { _ = c.SetLinger(0); c.Close() }), patient)
	slow := lastOf(t, silent(t), loadgen.DefaultTimeout)
	speaksOther := lastOf(t, accepting(t, func(c *net.TCPConn) { _, _ = c.Write([]byte("-ERR unknown command\r\n")); c.Close() }), patient)
	dropped := loadgen.NoReplyError{Fault: evidence.Timeout}
	checkObstacles(t, []obstacleRow{
		{"the app does not listen where its Service says", refused, fromPod, noPolicy, "",
			"service shop/web: asked for /healthz at port 80 from a pod on a: connection refused: nothing listens on port 8080 of pod web-1, which is targetPort http: have the app listen there"},
		{"a NetworkPolicy keeps us out", dropped, fromPod, onePolicy, "",
			"service shop/web: asked for /healthz at port 80 from a pod on a: no connection in 2s: NetworkPolicy default-deny selects pod web-1, and may keep out pods of namespace rollcall: " +
				"let pods of namespace rollcall through to it"},
		{"a NetworkPolicy whose plugin rejects connections",
			refused, fromPod, onePolicy, "", "connection refused: NetworkPolicy default-deny selects pod web-1"},
		{"a NetworkPolicy that we may not read",
			dropped, fromPod, unreadPolicies, "", "no connection in 2s: something drops it, such as a NetworkPolicy: let pods"},
		{"something else drops it", dropped, fromPod, noPolicy, "",
			"no connection in 2s: something drops it, and no NetworkPolicy of namespace shop does: "},
		{"a policy is not to blame for what the app says", replying(t, 503), fromPod, onePolicy, "",
			"from a pod on a: status 503 Service Unavailable: name another path"},
		{"the port speaks TLS", tls, fromPod, noPolicy, "", "from a pod on a: the port speaks TLS: ask over it: --service="},
		{"a mesh wants mTLS", reset, fromPod, noPolicy, "istio-proxy", "it resets the connection: pod web-1 has the sidecar istio-proxy, " +
			"whose mesh may only accept mTLS: have the mesh take plain HTTP from namespace rollcall"},
		{"a mesh that replies with 403",
			replying(t, 403), fromPod, noPolicy, "linkerd-proxy", "status 403 Forbidden: pod web-1 has the sidecar linkerd-proxy, "},
		{"a mesh is there, but the path is wrong", replying(t, 404), fromPod, noPolicy, "istio-proxy",
			"from a pod on a: status 404 Not Found: name another path"},
		{"no mesh is there", reset, fromPod, noPolicy, "", "from a pod on a: it resets the connection: name a port"},
		{"another protocol", speaksOther, fromPod, noPolicy, "",
			"from a pod on a: it closes the connection without a reply over HTTP: name a port"},
		{"a certificate of another name", loadgen.NoReplyError{Fault: evidence.CertWrongName, Opened: true}, fromPod, noPolicy, "",
			"from a pod on a: its certificate is for another name: give that name: --server-name=NAME, or --insecure"},
		{"a certificate of an authority nobody named", loadgen.NoReplyError{Fault: evidence.CertUnknownAuthority, Opened: true}, fromPod, noPolicy, "",
			"from a pod on a: its certificate is of an authority that is not trusted: give that: --ca=FILE"},
		{"an app that takes its time", slow, fromPod, noPolicy, "",
			"from a pod on a: it takes the connection, and gives no reply in 30s: name a path"},
		{"the path leads elsewhere", replying(t, 301), fromPod, noPolicy, "",
			"from a pod on a: status 301 Moved Permanently: name the host and path that it leads to, or give --good-status=200-299,301"},
	})
}

func TestWhatIsInTheWayToAURL(t *testing.T) {
	checkObstacles(t, []obstacleRow{
		{"nobody listens at the URL", lastOf(t, refusing(t), patient), fromHere, noPolicy, "",
			"url http://shop.example.com/: asked for http://shop.example.com/ from here: " +
				"connection refused: see that it can be reached"},
		{"nothing comes back from the URL", loadgen.NoReplyError{Fault: evidence.Timeout}, fromHere, noPolicy, "",
			"from here: no connection in 2s: something on the way drops it, such as a firewall: "},
		{"the URL is one of HTTPS", overTLS(t), fromHere, noPolicy, "", "from here: its port speaks TLS: write https://"},
		{"the URL has no such path", replying(t, 404), fromHere, noPolicy, "", "from here: status 404 Not Found: name another path"},
		{"the URL is of an app that answers to other names", replying(t, 400), fromHere, noPolicy, "",
			"from here: status 400 Bad Request: name the host that it answers to with --host"},
		{"clients inside and outside; two pods have the same obstacle", replying(t, 404), fromBoth, noPolicy, "",
			"service shop/web: asked for /healthz at port 80 from a pod on a and on b: status 404 Not Found; asked for http://shop.example.com/ from here: status 404 Not Found: name another path, or give --good-status"},
	})
}

// Without the rights to read pods it is not known which are ready.
func TestRefusedByPodsThatMayNotBeRead(t *testing.T) {
	to := &harness.Existing{Service: &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}}}}
	err := obstacles{fake.NewClientset(), to, "/", "HTTP"}.explain(t.Context(), []harness.Unanswered{{Pod: &corev1.Pod{},
		Last: loadgen.NoReplyError{Fault: evidence.Refused}}})
	if err == nil || !strings.Contains(err.Error(), "connection refused: no app listens on targetPort 8080, or no endpoint is ready: ") {
		t.Error(err)
	}
}

// Of the pods that a Service selects only those with a port of its targetPort's name get its connections.
func TestRefusedByPodsOfTwoKinds(t *testing.T) {
	pod := func(name, port string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
			Spec:   corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: port, ContainerPort: 8080}}}}},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
	}
	to := &harness.Existing{Pods: &observe.App{Namespace: "shop", Selector: labels.Everything()},
		Service: &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}}}
	err := obstacles{fake.NewClientset(pod("web-0", "metrics"), pod("web-1", "http")), to, "/", "HTTP"}.explain(t.Context(),
		[]harness.Unanswered{{Pod: &corev1.Pod{}, Last: loadgen.NoReplyError{Fault: evidence.Refused}}})
	if err == nil || !strings.Contains(err.Error(), "nothing listens on port 8080 of pod web-1, which is targetPort http: ") {
		t.Error(err)
	}
}

func TestWhichPoliciesMayKeepUsOut(t *testing.T) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Labels: map[string]string{"app": "web"}}}
	const web = "podSelector: {matchLabels: {app: web}}, "
	for _, row := range []struct {
		sentence string
		specs    []string // of policies p0, p1, ...
		want     string   // names
	}{
		{"no policy", nil, ""},
		{"one for other pods", []string{"{podSelector: {matchLabels: {app: db}}}"}, ""},
		{"one for egress", []string{"{podSelector: {}, policyTypes: [Egress]}"}, ""},
		{"one that admits nobody", []string{"{podSelector: {}, policyTypes: [Ingress]}"}, "p0"},
		{"one without a type is for ingress", []string{"{podSelector: {}}"}, "p0"},
		{"one that admits everybody", []string{"{podSelector: {}, ingress: [{}]}"}, ""},
		{"traffic that one policy admits is admitted", []string{"{podSelector: {}}", "{" + web + "ingress: [{}]}"}, ""},
		{"two that admit nobody", []string{"{podSelector: {}}", "{" + web + "}"}, "p0 and p1"},
		{"one that admits some pods", []string{"{" + web + "ingress: [{from: [{podSelector: {}}]}]}"}, "p0"},
		{"one that admits some port", []string{"{" + web + "ingress: [{ports: [{port: 9000}]}]}"}, "p0"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var policies []networkingv1.NetworkPolicy
			for i, spec := range row.specs {
				p := networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: []string{"p0", "p1"}[i]}}
				if err := yaml.UnmarshalStrict([]byte(spec), &p.Spec); err != nil {
					t.Fatal(err)
				}
				policies = append(policies, p)
			}
			want := ""
			if row.want != "" {
				want = "NetworkPolicy " + row.want + " selects pod web-1, and may keep out pods of namespace rollcall"
			}
			if got := keptOut(policies, []corev1.Pod{pod}, "rollcall"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
