package during

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
)

// A system is what runs the cluster: maintenance of it that no node shows is known by its pods and by the API server's version.
func TestWhatOfTheSystemWasChanged(t *testing.T) {
	for _, row := range []struct {
		sentence string
		does     func(t *testing.T, client *fake.Clientset)
		want     string
	}{
		{"nothing was done", func(*testing.T, *fake.Clientset) {}, ""},
		{"kube-proxy of a node was started again by its kubelet", func(t *testing.T, client *fake.Clientset) {
			pod := systemPod("DaemonSet", "kube-proxy", "kube-proxy-abc", "worker")
			pod.Status.ContainerStatuses[0].RestartCount = 1
			replace(t, client, pod)
		}, "kube-proxy on worker"},
		{"the DaemonSet replaced the pod of a node", func(t *testing.T, client *fake.Clientset) {
			drop(t, client, "kube-proxy-abc")
			create(t, client, systemPod("DaemonSet", "kube-proxy", "kube-proxy-xyz", "worker"))
		}, "kube-proxy on worker"},
		{"a static pod has another manifest", func(t *testing.T, client *fake.Clientset) {
			pod := systemPod("Node", "control-plane", "kube-apiserver-control-plane", "control-plane")
			pod.UID = "of the other manifest"
			replace(t, client, pod)
		}, "kube-apiserver on control-plane"},
		{"the provider upgraded the API server, whose pods are not in the cluster", func(_ *testing.T, client *fake.Clientset) {
			client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.37.1"}
		}, "the API server's version"},
		{"a node joined, with a kube-proxy of its own", func(t *testing.T, client *fake.Clientset) {
			create(t, client, systemPod("DaemonSet", "kube-proxy", "kube-proxy-new", "worker9"))
		}, ""},
		{"a pod of a Deployment was replaced, as a drain of any node does", func(t *testing.T, client *fake.Clientset) {
			drop(t, client, "coredns-1")
			create(t, client, systemPod("ReplicaSet", "coredns", "coredns-2", "worker"))
		}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset(
				systemPod("DaemonSet", "kube-proxy", "kube-proxy-abc", "worker"),
				systemPod("Node", "control-plane", "kube-apiserver-control-plane", "control-plane"),
				systemPod("ReplicaSet", "coredns", "coredns-1", "worker"))
			client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.37.0"}
			before := systemOf(t.Context(), client)
			row.does(t, client)
			if got := before.changed(systemOf(t.Context(), client)); got != row.want {
				t.Errorf("changed %q, want %q", got, row.want)
			}
		})
	}
}

func systemPod(ownerKind, owner, name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: name, UID: types.UID("of " + name),
			OwnerReferences: []metav1.OwnerReference{{Kind: ownerKind, Name: owner, Controller: new(true)}}},
		Spec:   corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: owner, ContainerID: "containerd://1"}}},
	}
}

func replace(t *testing.T, client *fake.Clientset, pod *corev1.Pod) {
	t.Helper()
	if _, err := client.CoreV1().Pods(pod.Namespace).Update(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, client *fake.Clientset, pod *corev1.Pod) {
	t.Helper()
	if _, err := client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func drop(t *testing.T, client *fake.Clientset, name string) {
	t.Helper()
	if err := client.CoreV1().Pods(metav1.NamespaceSystem).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
