package disruption

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// A saying is a cluster whose nodes print the same for every command.
type saying struct {
	*paperCluster
	says string
}

func (c saying) Exec(ctx context.Context, node, script string) (string, error) {
	_, err := c.paperCluster.Exec(ctx, node, script)
	return c.says, err
}

// What a killed run left in the kernel of a node is undone, and nothing of kube-proxy's.
func TestRepairDeletesTables(t *testing.T) {
	const stubs = `pkill() { :; }
systemctl() { :; }
nft() {
	if [ "$*" != 'list tables' ]; then echo "$*"; return; fi
	printf 'table ip nat\ntable inet rollcall-cut\ntable ip kube-proxy\ntable ip6 rollcall-others\n'
}
`
	did, err := exec.Command("sh", "-c", stubs+repair).CombinedOutput()
	if want := "delete table inet rollcall-cut\ndelete table ip6 rollcall-others\n"; err != nil || string(did) != want {
		t.Errorf("it did %q (%v), want %q", did, err, want)
	}
}

func TestLacks(t *testing.T) {
	node := func(edit func(*corev1.Node)) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "rollcall-iptables-worker"},
			Spec: corev1.NodeSpec{PodCIDRs: []string{"10.244.1.0/24"}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
				Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "172.18.0.3"}}}}
		edit(n)
		return n
	}
	lease := func(name string, edit func(*coordinationv1.Lease)) *coordinationv1.Lease {
		l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name},
			Spec: coordinationv1.LeaseSpec{RenewTime: new(metav1.NowMicro())}}
		edit(l)
		return l
	}
	asItIs, leads := func(*corev1.Node) {}, func(*coordinationv1.Lease) {}
	for _, row := range []struct {
		sentence string
		node     func(*corev1.Node)
		lease    func(*coordinationv1.Lease)
		pod      corev1.ConditionStatus
		says     string
		lacks    string
	}{
		{"a cluster that is whole", asItIs, leads, corev1.ConditionTrue, "", ""},
		{"a node is not ready", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }, leads, corev1.ConditionTrue, "",
			"node rollcall-iptables-worker is not ready"},
		{"a node is cordoned", func(n *corev1.Node) { n.Spec.Unschedulable = true }, leads, corev1.ConditionTrue, "", "is cordoned"},
		{"a node has a taint", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "node.kubernetes.io/unreachable"}} }, leads,
			corev1.ConditionTrue, "", "has taint node.kubernetes.io/unreachable"},
		{"a node has no routes to the others' pods",
			asItIs, leads, corev1.ConditionTrue, lackingRoutes, "lacks routes to the pods of other nodes"},
		{"a pod is not ready", asItIs, leads, corev1.ConditionFalse, "", "pod coredns is not ready"},
		{"no controller manager leads",
			asItIs, func(l *coordinationv1.Lease) { l.Spec.RenewTime = nil }, corev1.ConditionTrue, "", "has no leader"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dns := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "coredns"}, Status: corev1.PodStatus{
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: row.pod}}}}
			client := fake.NewClientset(node(row.node), dns, lease("kube-controller-manager", row.lease), lease("kube-scheduler", row.lease),
				&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "rollcall-iptables-worker2"}, Status: node(asItIs).Status})
			c := saying{&paperCluster{T: t, mode: "iptables", client: client}, row.says}
			if got := Lacks(t.Context(), c); !strings.Contains(got, row.lacks) || (got == "") != (row.lacks == "") {
				t.Errorf("it lacks %q, want %q", got, row.lacks)
			}
		})
	}
}
