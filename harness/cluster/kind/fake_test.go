package kind

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/sharedfile"
)

// A fakeEngine has one cluster, whose API server is in memory, and records its calls.
type fakeEngine struct {
	client *fake.Clientset
	server string           // of the kubeconfig
	fails  map[string]error // by call
	hangs  bool             // kind ends only when its containers are removed

	mu      sync.Mutex
	calls   []string
	there   bool // the cluster's containers exist
	foreign bool // the containers are not on our network
	removed chan struct{}
	begun   chan struct{} // closed once kind began
}

// newFakeEngine returns an engine whose cluster is ready as soon as it is created.
func newFakeEngine() *fakeEngine {
	client := fake.NewClientset(
		&appsv1.DaemonSet{ObjectMeta: inKubeSystem(dataplane.KubeProxy.Name), Status: appsv1.DaemonSetStatus{NumberReady: 3}},
		&appsv1.Deployment{ObjectMeta: inKubeSystem("coredns"), Status: appsv1.DeploymentStatus{ReadyReplicas: 1}},
		&corev1.ConfigMap{ObjectMeta: inKubeSystem(dataplane.KubeProxy.Name)},
	)
	for i, name := range nodeNames() {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDRs: []string{fmt.Sprintf("10.0.%d.0/24", i)}}}
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("172.18.0.%d", i+2)}}
		if i == 0 {
			node.Labels = map[string]string{"node-role.kubernetes.io/control-plane": ""}
		}
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		node.Status.NodeInfo.KubeletVersion = "v1.36.3"
		proxy := &corev1.Pod{ObjectMeta: inKubeSystem("kube-proxy-" + name), Spec: corev1.PodSpec{NodeName: name}}
		proxy.Labels, proxy.Status.Phase = map[string]string{"k8s-app": "kube-proxy"}, corev1.PodRunning
		for _, object := range []runtime.Object{node, proxy} {
			if err := client.Tracker().Add(object); err != nil {
				panic(err)
			}
		}
	}
	client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		pod := action.(k8stesting.CreateAction).GetObject().(*corev1.Pod)
		pod.Name, pod.Status.Phase = pod.GenerateName+pod.Spec.NodeName, corev1.PodSucceeded
		return false, nil, nil
	})
	return &fakeEngine{client: client, server: "https://127.0.0.1:1", fails: map[string]error{},
		removed: make(chan struct{}), begun: make(chan struct{})}
}

func inKubeSystem(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem}
}

func nodeNames() []string { return []string{"n-control-plane", "n-worker", "n-worker2"} }

// call records a call, and returns the error set for it in fails.
func (e *fakeEngine) call(format string, args ...any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	call := fmt.Sprintf(format, args...)
	e.calls = append(e.calls, call)
	return e.fails[call]
}

// index returns the index of the first call of this text; -1 if there is none.
func (e *fakeEngine) index(call string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Index(e.calls, call)
}

func (e *fakeEngine) Clusters(context.Context) ([]string, error) { return []string{"n"}, nil }

func (fakeNode) ContainerID(context.Context) (string, error) { return strings.Repeat("0", 64), nil }

func (e *fakeEngine) Containers(_ context.Context, _ string, ours bool) ([]string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.there || ours && e.foreign {
		return nil, nil
	}
	return []string{strings.Repeat("0", 64)}, nil
}

func (e *fakeEngine) Remove(context.Context, []string) error {
	err := e.call("remove containers")
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.there {
		e.there = false
		close(e.removed)
	}
	return err
}

func (e *fakeEngine) Start(context.Context, []string) error { return e.call("start nodes") }

func (e *fakeEngine) StartReaper(string, string, *sharedfile.Lock) (reaper, error) {
	return fakeReaper{e}, e.call("start reaper")
}

func (e *fakeEngine) Create(_ *v1alpha4.Cluster, kubeconfig string) error {
	err := e.call("create")
	e.mu.Lock()
	e.there, e.removed = true, make(chan struct{})
	removed := e.removed
	select {
	case <-e.begun:
	default:
		close(e.begun)
	}
	e.mu.Unlock()
	if e.hangs {
		<-removed
		return errors.New("a node is gone")
	}
	text, _ := e.Kubeconfig("")
	return errors.Join(err, os.WriteFile(kubeconfig, text, 0o600))
}

func (e *fakeEngine) Kubeconfig(string) ([]byte, error) {
	<-e.begun
	config := clientcmdapi.NewConfig()
	config.Clusters["n"] = &clientcmdapi.Cluster{Server: e.server}
	config.Contexts["n"] = &clientcmdapi.Context{Cluster: "n"}
	config.CurrentContext = "n"
	return clientcmd.Write(*config)
}

// Client returns the client, or an error if its requests would go through a proxy.
func (e *fakeEngine) Client(config *rest.Config) (kubernetes.Interface, error) {
	asked, err := http.NewRequest(http.MethodGet, config.Host, nil)
	if err != nil {
		return nil, err
	}
	if config.Proxy == nil { // then net/http uses that of the environment
		return nil, errors.New("the environment says which proxy is asked")
	}
	if proxy, err := config.Proxy(asked); proxy != nil || err != nil {
		return nil, fmt.Errorf("proxy %v is asked: %w", proxy, err)
	}
	return e.client, nil
}

func (e *fakeEngine) Nodes(string) ([]node, error) {
	var list []node
	for _, name := range nodeNames() {
		list = append(list, fakeNode{e, name})
	}
	return list, nil
}

func (e *fakeEngine) CollectLogs(string, string) error { return e.call("collect logs") }

type fakeNode struct {
	*fakeEngine
	name string
}

func (n fakeNode) String() string                        { return n.name }
func (n fakeNode) ControlPlane() (bool, error)           { return n.name == nodeNames()[0], nil }
func (n fakeNode) Address(bool) (string, error)          { return "", nil }
func (n fakeNode) Published(context.Context, int) string { return "127.0.0.1:32000" }
func (n fakeNode) CopyFile(_ context.Context, file, path string) error {
	return n.call("copy %s to %s of %s", file, path, n.name)
}

func (n fakeNode) LoadImage([]byte) error { return n.call("load image into %s", n.name) }

func (n fakeNode) SetShares(context.Context, int) error { return n.call("raise shares of %s", n.name) }

func (n fakeNode) Power(_ context.Context, do cluster.Power) error {
	return n.call("%s %s", do, n.name)
}

func (n fakeNode) Exec(_ context.Context, script, stdin string) (string, error) {
	if stdin != "" {
		return "", n.call("write conflist of %s", n.name)
	}
	if strings.Contains(script, "ip route replace") {
		return "", n.call("write routes of %s", n.name)
	}
	return "", nil
}

type fakeReaper struct{ *fakeEngine }

func (r fakeReaper) remove() error { return r.call("reaper removes") }
func (r fakeReaper) keep() error   { return r.call("reaper keeps") }

// fakeSpec returns the spec of a cluster of three nodes with our own network, whose state is in a folder of the test.
func fakeSpec(t *testing.T) Spec {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	config := filepath.Join(t.TempDir(), "kind-config.yaml")
	text := head + "networking: {disableDefaultCNI: true}\nnodes:\n" + mapped + "- role: worker\n- role: worker\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Spec{Name: "n", Mode: "nftables", Image: "i", Config: config, NodePort: 30080, Logs: "logs",
		Archives: []layout.Archive{{Ref: "echo:v1"}}}
}
