package disruption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/kube"
)

const next = "v1.36.3"

// A fakeCluster is upgraded at once.
type fakeCluster struct {
	cluster.Changeable
	client *fake.Clientset
	did    []string
	fails  string // scripts with this in them
	asleep string // node whose kubelet receives no changes
	asked  int    // how often kube-proxies' changes were read; each time there are more
}

func newFake(t *testing.T) *fakeCluster {
	t.Helper()
	c := &fakeCluster{}
	var objects []runtime.Object
	for _, name := range c.Nodes() {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		node.Status.NodeInfo.KubeletVersion = "v1.35.4"
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		objects = append(objects, node)
	}
	for _, name := range []string{"echo", "another"} { // of which the first is the app's
		objects = append(objects, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ours", Name: name,
			Labels:          fixtures.Destination{}.Object(name).Labels,
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Controller: new(true)}}}})
	}
	objects = append(objects, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "theirs", Name: "another", // with the name of the app's
		Labels:          fixtures.Destination{}.Object("echo").Labels,
		OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Controller: new(true)}}}})
	proxies := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: dataplane.KubeProxy.Name}}
	proxies.Spec.Template.Spec.Containers = []corev1.Container{{Image: "registry.k8s.io/kube-proxy:" + next}}
	dns := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "coredns"}}
	dns.Spec.Replicas = new(int32(0))
	c.client = fake.NewClientset(append(objects, proxies, dns)...)
	c.client.PrependReactor("create", "services", func(action k8stesting.Action) (bool, runtime.Object, error) {
		service := action.(k8stesting.CreateAction).GetObject().(*corev1.Service)
		slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: action.GetNamespace(), Name: service.Name,
			Labels: map[string]string{discoveryv1.LabelServiceName: service.Name}}}
		return false, nil, c.client.Tracker().Add(slice)
	})
	c.client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		pod := action.(k8stesting.CreateAction).GetObject().(*corev1.Pod)
		if pod.Spec.NodeName != c.asleep {
			pod.Status.StartTime = new(metav1.Now())
		}
		return false, nil, nil
	})
	c.client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: next}
	return c
}

func (c *fakeCluster) Name() string                                { return "n" }
func (c *fakeCluster) NodeName(name string) string                 { return "n-" + name }
func (c *fakeCluster) Nodes() []string                             { return []string{"n-control-plane", "n-worker", "n-worker2"} }
func (c *fakeCluster) Plane() dataplane.Plane                      { return dataplane.IPTables }
func (c *fakeCluster) Client() kubernetes.Interface                { return c.client }
func (c *fakeCluster) ProxiesLeaveCPUCgroup(context.Context) error { return nil }

func (c *fakeCluster) Workers(context.Context) ([]string, error) { return c.Nodes()[1:], nil }

func (c *fakeCluster) CopyFile(context.Context, string, string, string) error { return nil }

func (c *fakeCluster) Exec(ctx context.Context, name, script string) (string, error) {
	if c.fails != "" && strings.Contains(script, c.fails) {
		return "", errors.New("exit status 1: etcd is not healthy")
	}
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if script == dataplane.KubeProxy.Changes {
		c.asked++
		return fmt.Sprint(c.asked), nil
	}
	first, _, _ := strings.Cut(script, " &&")
	if strings.HasPrefix(first, "chmod") {
		return "", nil
	}
	c.did = append(c.did, fmt.Sprintf("%s: %s, cordoned %v", name, first, node.Spec.Unschedulable))
	if strings.HasPrefix(script, "systemctl restart kubelet") {
		node.Status.NodeInfo.KubeletVersion = next
		_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	}
	return "", err
}

// stage returns a stage, and the marks as they come.
func (c *fakeCluster) stage() (s Stage, marks *[]string) {
	marks = &[]string{}
	return Stage{Cluster: c, Namespace: "ours", App: fixtures.App{Replicas: 1}, Note: func(e evidence.Event) {
		if e.Kind == evidence.Step {
			*marks = append(*marks, strings.TrimSpace(e.Object+" "+e.Detail))
		}
	}}, marks
}

// take runs all steps without that of the images, which no fake has.
func (c *fakeCluster) take(t *testing.T, s Stage) error {
	t.Helper()
	steps, err := UpgradePath{Drain: Drain{Deletes: true}}.steps(t.Context(),
		upgrade{Changeable: c, stage: s, to: kube.Upgrade{Version: next}})
	if err != nil {
		t.Fatal(err)
	}
	return runSteps(t.Context(), s, steps[1:])
}

// The control plane goes first, kubeadm before the kubelet, and a worker's kubelet is replaced while no pod is on it.
func TestUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		s, marks := c.stage()
		if err := c.take(t, s); err != nil {
			t.Fatal(err)
		}
		const restart = "systemctl restart kubelet"
		want := []string{
			"n-control-plane: kubeadm upgrade apply v1.36.3 --yes " + ignored + ", cordoned false",
			"n-control-plane: " + restart + ", cordoned false",
			"n-worker: kubeadm upgrade node " + ignored + ", cordoned false", "n-worker: " + restart + ", cordoned true",
			"n-worker2: kubeadm upgrade node " + ignored + ", cordoned false", "n-worker2: " + restart + ", cordoned true",
		}
		if diff := cmp.Diff(want, c.did); diff != "" {
			t.Errorf("done (-want +got):\n%s", diff)
		}
		want = []string{
			"n-control-plane kubeadm upgrade apply v1.36.3", "kube-proxy v1.36.3", "n-control-plane kubelet v1.36.3",
			"n-worker kubeadm upgrade node v1.36.3", "n-worker cordon", "n-worker drain", "n-worker kubelet v1.36.3", "n-worker uncordon",
			"n-worker2 kubeadm upgrade node v1.36.3", "n-worker2 cordon", "n-worker2 drain", "n-worker2 kubelet v1.36.3", "n-worker2 uncordon",
			"v1.36.3 everywhere",
		}
		if diff := cmp.Diff(want, *marks); diff != "" {
			t.Errorf("marks (-want +got):\n%s", diff)
		}
		nodes, err := c.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		if err != nil || slices.ContainsFunc(nodes.Items, func(n corev1.Node) bool { return n.Spec.Unschedulable }) {
			t.Errorf("a node is left cordoned, or %v", err)
		}
		pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(pods.Items) != 2 || pods.Items[0].Name != "another" || pods.Items[1].Name != "another" {
			t.Errorf("pods that are left: %+v, %v", pods.Items, err)
		}
	})
}

// The error of a failed step says which, where and why, and no other step runs.
func TestUpgradeFails(t *testing.T) {
	for _, row := range []struct{ sentence, fails, says, last string }{
		{"kubeadm fails", "upgrade apply",
			`step "kubeadm upgrade apply v1.36.3" on n-control-plane: exit status 1: etcd is not healthy`,
			"n-control-plane kubeadm upgrade apply v1.36.3"},
		{"a kubelet does not start", "restart kubelet", `step "kubelet v1.36.3" on n-control-plane: exit status 1: etcd is not healthy`,
			"n-control-plane kubelet v1.36.3"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c := newFake(t)
			c.fails = row.fails
			s, marks := c.stage()
			if err := c.take(t, s); err == nil || err.Error() != row.says {
				t.Errorf("error %v, want %s", err, row.says)
			}
			if got := (*marks)[len(*marks)-1]; got != row.last {
				t.Errorf("the last step is %q, want %q", got, row.last)
			}
		})
	}
}

// If something is never as it should be, the error says how it is instead.
func TestAKubeletThatStaysIsNotWaitedForWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		u := upgrade{Changeable: c, to: kube.Upgrade{Version: next}}
		err := step{do: func(ctx context.Context) error { return u.awaitNode(ctx, "n-worker") }}.take(t.Context())
		if want := "not done after 5m0s: its kubelet is v1.35.4"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

// No node is drained while a kube-proxy receives no changes.
func TestADeafProxyIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		s, _ := c.stage()
		u := upgrade{Changeable: deaf{c}, stage: s, to: kube.Upgrade{Version: next}}
		err := step{do: u.awaitWatches}.take(t.Context())
		if want := "not done after 5m0s: no change is heard of by kube-proxy of n-worker2"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		left, err := c.client.CoreV1().Services("ours").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(left.Items) > 0 {
			t.Errorf("Services that are left: %+v, %v", left.Items, err)
		}
	})
}

// With Hurries no kube-proxy and no kubelet is waited for.
func TestWhoHurriesGoesOnWhenTheAPIAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		c.asleep = "n-worker2"
		s, _ := c.stage()
		u := upgrade{Changeable: deaf{c}, stage: s, to: kube.Upgrade{Version: next}, hurries: true}
		if err := (step{do: u.awaitWatches}).take(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestADeafKubeletIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		c.asleep = "n-worker2"
		s, _ := c.stage()
		u := upgrade{Changeable: c, stage: s, to: kube.Upgrade{Version: next}}
		err := step{do: u.awaitWatches}.take(t.Context())
		if want := "kubelet of n-worker2: not done after 5m0s: it has not heard of a pod"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		left, err := c.client.CoreV1().Pods("ours").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(left.Items) != 2 { // the app's, and another
			t.Errorf("pods that are left: %+v, %v", left.Items, err)
		}
	})
}

// In a deaf cluster kube-proxy of worker2 receives no changes.
type deaf struct{ *fakeCluster }

func (c deaf) Exec(ctx context.Context, node, script string) (string, error) {
	if node == "n-worker2" && script == dataplane.KubeProxy.Changes {
		return "7", nil
	}
	return c.fakeCluster.Exec(ctx, node, script)
}
