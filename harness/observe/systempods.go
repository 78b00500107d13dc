package observe

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
)

// systemLabel is the label of pods of kube-system whose values components translates, and systemPods selects those pods. The names are
// kubeadm's (cmd/kubeadm/app/phases/addons, v1.37).
const (
	systemLabel = "k8s-app"
	systemPods  = systemLabel + " in (kube-proxy, kube-dns)"
)

var components = map[string]string{"kube-proxy": dataplane.KubeProxy.Name, "kube-dns": "coredns"}

// A systemPodTracker notes when pods of kube-proxy and CoreDNS are deleted, and when new ones are ready.
type systemPodTracker struct {
	*journal
	pods map[types.UID]systemPod // those in the API
	mode string                  // that a kube-proxy gets at its start; empty: it cannot be read
}

// A systemPod says what was noted of a pod.
type systemPod struct{ ready, deleting bool }

func newSystemPodTracker(j *journal) *systemPodTracker {
	return &systemPodTracker{journal: j, pods: map[types.UID]systemPod{}}
}

func (t *systemPodTracker) see(p *corev1.Pod, existed bool) {
	t.change(func() {
		is, known := t.pods[p.UID]
		if !known {
			is.ready = existed
		}
		if p.DeletionTimestamp != nil && !is.deleting {
			is.deleting = true
			t.noteOf(p, evidence.SystemPodDeleting, "")
		}
		if Ready(p) && !is.ready {
			is.ready = true
			detail := ""
			if p.Labels[systemLabel] == dataplane.KubeProxy.Name {
				detail = t.mode
			}
			t.noteOf(p, evidence.SystemPodReady, detail)
		}
		t.pods[p.UID] = is
	})
}

// lose takes in that a pod has left the API, perhaps at once, without a deletionTimestamp before.
func (t *systemPodTracker) lose(p *corev1.Pod) {
	t.change(func() {
		if !t.pods[p.UID].deleting {
			t.noteOf(p, evidence.SystemPodDeleting, "")
		}
		delete(t.pods, p.UID)
	})
}

func (t *systemPodTracker) noteOf(p *corev1.Pod, kind evidence.EventKind, detail string) {
	t.note(evidence.Event{Kind: kind, By: evidence.Server{Pod: p.Name, Node: p.Spec.NodeName}, Object: components[p.Labels[systemLabel]],
		Detail: detail})
}

// seeConfig takes in kube-proxy's ConfigMap.
func (t *systemPodTracker) seeConfig(c *corev1.ConfigMap) {
	mode := configuredMode(c.Data[dataplane.ConfigKey])
	t.change(func() { t.mode = mode })
}

func (t *systemPodTracker) loseConfig(*corev1.ConfigMap) { t.change(func() { t.mode = "" }) }

// configuredMode returns the mode in a KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1), or nothing if it cannot be read. On Linux
// no mode means iptables (platformApplyDefaults in cmd/kube-proxy/app/server_linux.go, v1.37).
func configuredMode(text string) string {
	var config struct {
		Kind string `json:"kind"`
		Mode string `json:"mode"`
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil || config.Kind != "KubeProxyConfiguration" {
		return ""
	}
	if config.Mode == "" {
		return dataplane.IPTables.Name
	}
	return config.Mode
}
