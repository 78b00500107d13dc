package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
)

// A fakeCluster has one node, and creates a new kube-proxy pod for one that is deleted, as the DaemonSet controller does.
type fakeCluster struct {
	cluster.Changeable
	client  *fake.Clientset
	cgroups int // how often kube-proxy was moved
}

func (c *fakeCluster) Client() kubernetes.Interface                            { return c.client }
func (c *fakeCluster) Plane() dataplane.Plane                                  { return dataplane.NFTables }
func (c *fakeCluster) Nodes() []string                                         { return []string{"worker"} }
func (c *fakeCluster) Exec(context.Context, string, string) (string, error)    { return "", nil }
func (c *fakeCluster) Output() io.Writer                                       { return io.Discard }
func (c *fakeCluster) WriteFile(context.Context, string, string, []byte) error { return nil }
func (c *fakeCluster) LoadImage(context.Context, string, []byte) error         { return nil }
func (c *fakeCluster) ProxiesLeaveCPUCgroup(context.Context) error             { c.cgroups++; return nil }

const before = "mode: nftables\nnftables:\n  minSyncPeriod: 1s\n  syncPeriod: 30s\n"

func newFakeCluster(t *testing.T, annotations map[string]string, config string) *fakeCluster {
	t.Helper()
	inKubeSystem := metav1.ObjectMeta{Name: dataplane.KubeProxy.Name, Namespace: metav1.NamespaceSystem}
	configMap := &corev1.ConfigMap{ObjectMeta: inKubeSystem, Data: map[string]string{dataplane.ConfigKey: config}}
	configMap.Annotations = annotations
	client := fake.NewClientset(configMap, &appsv1.DaemonSet{ObjectMeta: inKubeSystem}, proxy(0))
	made := 0
	client.PrependReactor("delete", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		made++
		return false, nil, client.Tracker().Add(proxy(made))
	})
	return &fakeCluster{client: client}
}

func proxy(n int) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "worker"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	pod.Name, pod.Namespace, pod.UID = fmt.Sprintf("kube-proxy-%d", n), metav1.NamespaceSystem, types.UID(fmt.Sprint(n))
	pod.Labels = map[string]string{"k8s-app": "kube-proxy"}
	return pod
}

// state returns kube-proxy's configuration, the one from before a change if it is kept, and the names of its pods.
func (c *fakeCluster) state(t *testing.T) (config, noted, pods string) {
	t.Helper()
	configMap, err := c.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(t.Context(), dataplane.KubeProxy.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.client.CoreV1().Pods(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range list.Items {
		pods += pod.Name
	}
	return configMap.Data[dataplane.ConfigKey], configMap.Annotations[annotationBefore], pods
}

func TestMinSyncIsUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster(t, nil, before)
		undo, err := MinSync(10*time.Second).Make(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		config, noted, pods := c.state(t)
		if !strings.Contains(config, "minSyncPeriod: 10s") || noted != before || pods != "kube-proxy-1" || c.cgroups != 1 {
			t.Errorf("changed: pods %s, moved %d times, before it was %q, now\n%s", pods, c.cgroups, noted, config)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		config, noted, pods = c.state(t)
		if config != before || noted != "" || pods != "kube-proxy-2" || c.cgroups != 2 {
			t.Errorf("undone: pods %s, moved %d times, before it was %q, now\n%s", pods, c.cgroups, noted, config)
		}
	})
}

func TestRestoreProxyConfig(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		annotations map[string]string
		pods        string
	}{
		{"the change of a killed run is undone", map[string]string{annotationBefore: before}, "kube-proxy-1"},
		{"without a change no kube-proxy is restarted", nil, "kube-proxy-0"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := before
				if row.annotations != nil {
					config = "mode: nftables\nnftables:\n  minSyncPeriod: 10s\n"
				}
				c := newFakeCluster(t, row.annotations, config)
				if err := restoreProxyConfig(t.Context(), c, c.Nodes()); err != nil {
					t.Fatal(err)
				}
				if config, noted, pods := c.state(t); config != before || noted != "" || pods != row.pods {
					t.Errorf("pods %s, noted %q, configuration\n%s", pods, noted, config)
				}
			})
		})
	}
}

func TestMakeOnAnAttachedCluster(t *testing.T) {
	_, err := cluster.Make(t.Context(), attachedCluster{}, NoProxy())
	var unsupported *cluster.Unsupported
	if !errors.As(err, &unsupported) || unsupported.Because == "" {
		t.Errorf("error %v, want a reason to skip", err)
	}
}

type attachedCluster struct{ cluster.Cluster }
