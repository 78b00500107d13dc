package mutants

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
)

// A paperCluster has an API, and nodes that only look whether a script is one.
type paperCluster struct {
	cluster.Changeable
	*testing.T
	mode    string
	client  kubernetes.Interface
	mu      sync.Mutex // several damages may be done at once
	scripts []string
}

func (c *paperCluster) Name() string                 { return "rollcall-" + c.mode }
func (c *paperCluster) NodeName(name string) string  { return c.Name() + "-" + name }
func (c *paperCluster) Plane() dataplane.Plane       { return dataplane.Of(c.mode) }
func (c *paperCluster) Client() kubernetes.Interface { return c.client }

func (c *paperCluster) Exec(_ context.Context, node, script string) (string, error) {
	out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput()
	if err != nil {
		c.Errorf("on %s: %v: %s\n%s", node, err, out, script)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scripts = append(c.scripts, node+": "+script)
	return "", nil
}

// Every damage can be done: its scripts parse, and the objects that it changes in the API exist.
func TestDamagesCanBeDone(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, mode := range []string{"iptables", "nftables"} {
		for _, m := range All() {
			if m.Do == nil || !m.In(mode) {
				continue
			}
			t.Run(mode+"/"+m.ID, func(t *testing.T) {
				s, err := m.Scenario()
				if err != nil {
					t.Fatal(err)
				}
				to := fixtures.Destination{Namespace: "n"}
				pod := &corev1.Pod{Status: corev1.PodStatus{PodIP: "10.244.1.2"},
					ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p", Labels: map[string]string{fixtures.VersionLabel: "v1"}}}
				control := &corev1.Pod{ObjectMeta: s.App.ControlSet(to, nil).Spec.Template.ObjectMeta, Status: corev1.PodStatus{PodIP: "10.244.2.2"}}
				control.Namespace, control.Name = to.Namespace, "control-x"
				service := s.App.Service(fixtures.Destination{Namespace: "n"}, 0)
				service.Spec.ClusterIP = "10.96.0.7"
				c := &paperCluster{T: t, mode: mode, client: fake.NewClientset(pod, control, service, s.App.Deployment(to, "v1"),
					&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "rollcall-" + mode + "-worker"}})}
				at := evidence.Event{Kind: m.When.Event, By: evidence.Server{Version: "v1", Pod: "p", Node: "rollcall-" + mode + "-worker"}}
				if err := m.Do(ended, disruption.Stage{Cluster: c, Namespace: "n", App: s.App, Old: "v1", Event: at}); err != nil {
					t.Error(err)
				}
				for _, script := range c.scripts {
					if node, _, _ := strings.Cut(script, ":"); !slices.Contains([]string{controlPlane, worker, worker2},
						strings.TrimPrefix(node, c.Name()+"-")) {
						t.Errorf("there is no node %s", node)
					}
				}
			})
		}
	}
}
