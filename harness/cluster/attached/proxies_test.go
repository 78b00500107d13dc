package attached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/usage"
)

func TestDetectProxies(t *testing.T) {
	pod := func(app, node string, args ...string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: app + "-" + node, Namespace: "kube-system", Labels: map[string]string{"k8s-app": app}},
			Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Command: args}}},
		}
	}
	labelled := func(p *corev1.Pod, labels map[string]string) *corev1.Pod {
		p.Labels = labels
		return p
	}
	ofComponent := map[string]string{"component": "kube-proxy", "tier": "node"}
	configured := func(name, key, text string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-system"}, Data: map[string]string{key: text}}
	}
	k3s := node("k3s", func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = "v1.36.3+k3s1" })
	rke2 := node("rke2", func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = "v1.36.3+rke2r1" })
	for _, row := range []struct {
		sentence string
		pods     []*corev1.Pod
		config   *corev1.ConfigMap
		want     map[string]string // kinds, of the nodes that there are
	}{
		{"kubeadm's",
			[]*corev1.Pod{pod("kube-proxy", "a"), pod("kube-proxy", "b")},
			configured("kube-proxy", "config.conf", "mode: nftables"), map[string]string{"a": "nftables", "b": "nftables"}},
		{"a default",
			[]*corev1.Pod{pod("kube-proxy", "a"), pod("kube-proxy", "b")},
			configured("kube-proxy", "config.conf", `mode: ""`), map[string]string{"a": "iptables", "b": "iptables"}},
		{"a vendor's",
			[]*corev1.Pod{pod("kube-proxy", "a"), pod("kube-proxy", "b")},
			configured("kube-proxy-config", "config", "mode: ipvs"), map[string]string{"a": "ipvs", "b": "ipvs"}},
		{"a flag before the configuration",
			[]*corev1.Pod{pod("kube-proxy", "a", "sh", "-c", "kube-proxy --proxy-mode=ipvs"), pod("kube-proxy", "b")},
			configured("kube-proxy", "config.conf", "mode: iptables"), map[string]string{"a": "ipvs", "b": "iptables"}},
		{"a configuration we may not read",
			[]*corev1.Pod{pod("kube-proxy", "a"), pod("kube-proxy", "b")}, nil, map[string]string{"a": "unknown", "b": "unknown"}},
		{"replaced on all nodes",
			[]*corev1.Pod{pod("cilium", "a"), pod("cilium", "b")}, nil, map[string]string{"a": "none", "b": "none"}},
		{"beside a network that could replace it",
			[]*corev1.Pod{pod("kube-proxy", "a"), pod("calico-node", "a"), pod("calico-node", "b")},
			configured("kube-proxy", "config.conf", "mode: iptables"), map[string]string{"a": "iptables", "b": "none"}},
		{"nothing at all", nil, nil, map[string]string{"a": "none", "b": "none"}},
		{"RKE2's, which the node starts",
			[]*corev1.Pod{labelled(pod("kube-proxy", "rke2", "kube-proxy", "--proxy-mode=iptables"), ofComponent)}, nil,
			map[string]string{"rke2": "iptables", "b": "none"}},
		{"GKE's, which names no mode", []*corev1.Pod{labelled(pod("kube-proxy", "a"), ofComponent)}, nil, map[string]string{"a": "unknown"}},
		{"k3s's, in its own process", nil, nil, map[string]string{"k3s": "unknown"}},
		{"k3s with a network that could replace kube-proxy", []*corev1.Pod{pod("cilium", "k3s")}, nil, map[string]string{"k3s": "unknown"}},
		{"k3s with kubeadm's", []*corev1.Pod{pod("kube-proxy", "k3s")}, configured("kube-proxy", "config.conf", "mode: ipvs"),
			map[string]string{"k3s": "ipvs"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset()
			for _, p := range row.pods {
				if err := client.Tracker().Add(p); err != nil {
					t.Fatal(err)
				}
			}
			if row.config != nil {
				if err := client.Tracker().Add(row.config); err != nil {
					t.Fatal(err)
				}
			}
			var nodes []corev1.Node
			for _, n := range []corev1.Node{node("a"), node("b"), k3s, rke2} {
				if _, has := row.want[n.Name]; has {
					nodes = append(nodes, n)
				}
			}
			kinds := map[string]string{}
			for name, p := range detectProxies(t.Context(), client, nodes) {
				if kinds[name] = p.Kind; p.Because == "" {
					t.Errorf("%s: nobody knows how that is known", name)
				}
			}
			if diff := cmp.Diff(row.want, kinds); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestModeOf(t *testing.T) {
	all := func(kinds ...string) map[string]Proxy {
		m := map[string]Proxy{}
		for i, kind := range kinds {
			m[string(rune('a'+i))] = Proxy{Kind: kind}
		}
		return m
	}
	for _, row := range []struct {
		sentence string
		proxies  map[string]Proxy
		asked    string
		want     string
		refused  bool
	}{
		{"all alike", all("nftables", "nftables"), "", "nftables", false},
		{"as the owner says", all("nftables"), "nftables", "nftables", false},
		{"not as the owner says", all("nftables"), "ipvs", "", true},
		{"nobody can tell", all("unknown"), "", "unknown", false},
		{"the owner can", all("unknown", "unknown"), "ipvs", "ipvs", false},
		{"one node is enough to tell", all("unknown", "iptables"), "", "iptables", false},
		{"not the same everywhere", all("iptables", "none"), "", "mixed", false},
		{"no kube-proxy", all("none"), "", "none", false},
	} {
		got, err := modeOf(row.proxies, row.asked)
		if got != row.want || usage.Is(err) != row.refused {
			t.Errorf("%s: %q, %v", row.sentence, got, err)
		}
	}
}
