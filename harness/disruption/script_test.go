package disruption

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
)

// A deadCluster answers nothing.
type deadCluster struct{ cluster.Changeable }

func (deadCluster) Name() string                { return "rollcall-iptables" }
func (deadCluster) NodeName(name string) string { return "rollcall-iptables-" + name }

func (deadCluster) Client() kubernetes.Interface {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("no answer") })
	return client
}

// A paperCluster has an API, and nodes that only look whether a script is one.
type paperCluster struct {
	cluster.Changeable
	*testing.T
	mode   string
	client kubernetes.Interface
	did    []string
}

func (c *paperCluster) Name() string                 { return "rollcall-" + c.mode }
func (c *paperCluster) NodeName(name string) string  { return c.Name() + "-" + name }
func (c *paperCluster) Plane() dataplane.Plane       { return dataplane.Of(c.mode) }
func (c *paperCluster) Client() kubernetes.Interface { return c.client }

func (c *paperCluster) Exec(_ context.Context, node, script string) (string, error) {
	if out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput(); err != nil {
		c.Errorf("on %s: %v: %s\n%s", node, err, out, script)
	}
	c.did = append(c.did, strings.TrimPrefix(node, c.Name()+"-")+": "+script)
	return "", nil
}

func (c *paperCluster) Power(_ context.Context, node string, do cluster.Power) error {
	c.did = append(c.did, strings.TrimPrefix(node, c.Name()+"-")+": "+string(do))
	return nil
}

// A disruption runs on the right node, undoes itself, and its script parses.
func TestActsOnNodes(t *testing.T) {
	for _, row := range []struct {
		sentence string
		act      Act
		did      []string // parts of what was done, in order
	}{
		{"a program that is stopped goes on", Stopped(Worker, "kube-proxy", time.Millisecond),
			[]string{"worker: ", "-CONT -x kube-proxy", "-STOP -x kube-proxy"}},
		{"a program that is killed", Killed(Worker, "kube-proxy"), []string{"worker: ", "pkill -KILL -x kube-proxy"}},
		{"a node that is cut off", Cut(Worker2, time.Millisecond),
			[]string{"worker2: ", "nft delete table inet rollcall-cut", "iifname \"eth0\" drop"}},
		{"a node that does not reach the API server", CutFromAPI(Worker, time.Millisecond), []string{"worker: ", "tcp dport 6443 drop"}},
		{"a node that is frozen is thawed", Frozen(Worker, time.Millisecond), []string{"worker: pause", "worker: unpause"}},
		{"a node that is off is switched on", Off(Worker, time.Millisecond), []string{"worker: kill", "worker: start"}},
		{"a node that is rebooted", Rebooted(Worker), []string{"worker: restart"}},
		{"a program of the control plane is away, and its manifest back", Away(ControllerManager, time.Millisecond),
			[]string{"control-plane: ", "kube-controller-manager.parked.yaml", "mv $at $parked", "until ! pgrep -x kube-controller",
				"step: kube-controller is away", "control-plane: ", "mv $parked $at", "until pgrep -x kube-controller"}},
		{"a program that is stopped, which is marked as soon as it is", StoppedMarked(ControlPlane, Etcd, time.Millisecond),
			[]string{"control-plane: ", "-STOP -x etcd", "step: etcd is stopped", "-CONT -x etcd"}},
		{"the app's processes are counted", AppsCounted(Worker), []string{"worker: ", "pgrep -x echo", "fact: 0"}},
		{"a program is looked for before and after its restart", Restarting(Worker, "kubelet", Script(Worker, "systemctl restart kubelet")),
			[]string{"worker: ", "pgrep -n -x kubelet", "systemctl restart kubelet", "pgrep -n -x kubelet", "fact: false"}},
		{"connections are forgotten", ConntrackFlushed(Worker), []string{"worker: ", "conntrack --flush"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			for _, mode := range []string{"iptables", "nftables"} {
				c := &paperCluster{T: t, mode: mode, client: fake.NewClientset()}
				note := func(e evidence.Event) { c.did = append(c.did, string(e.Kind)+": "+e.Detail) }
				if err := row.act(t.Context(), Stage{Cluster: c, Note: note}); err != nil {
					t.Fatal(err)
				}
				all := strings.Join(c.did, "\n")
				rest, found := all, false
				for _, part := range row.did {
					if _, rest, found = strings.Cut(rest, part); !found {
						t.Errorf("in %s nothing is %q in its turn:\n%s", mode, part, all)
					}
				}
			}
		})
	}
}

// A hereCluster runs scripts on this host: what lasts begins once somebody has tried in vain to end it, which the pipe tells.
type hereCluster struct {
	cluster.Changeable
	pipe string
}

func (hereCluster) NodeName(name string) string { return name }

func (c hereCluster) Exec(ctx context.Context, _, script string) (string, error) {
	if strings.Contains(script, "pkill") {
		script = fmt.Sprintf("pkill() { command pkill \"$@\" && return; if [ -p %[1]s ]; then echo >%[1]s; rm %[1]s; fi; false; }\n%[2]s",
			c.pipe, script)
	} else if _, err := os.ReadFile(c.pipe); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "sh", "-c", script).Output()
	return string(out), err
}

// What lasts is undone soon after the end of the recording, even if that comes while it begins.
func TestLastingEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	pipe, undone := filepath.Join(dir, "pipe"), filepath.Join(dir, "undone")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	const lasts = 47123 * time.Millisecond // no other process of this host sleeps as long
	err := Lasting(lasts, Worker, "true", "touch "+undone)(ctx, Stage{Cluster: hereCluster{pipe: pipe}})
	if _, lacks := os.Stat(undone); lacks != nil || err == nil || !strings.Contains(err.Error(), "143") {
		t.Errorf("its sleep was not ended, or it was not undone: %v, %v", err, lacks)
	}
}

// A script that deletes rules names the Service's address, or is about no Service.
func TestRulesLostAreScripts(t *testing.T) {
	app := fixtures.App{Replicas: 1}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: app.ResourceName()},
		Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.7", Ports: []corev1.ServicePort{{Port: 80}}}}
	for _, mode := range []string{"iptables", "nftables"} {
		for name, lose := range map[string]func(Stage) (string, error){"all": AllRules, "service": ServiceRules, "canary": Canary} {
			c := &paperCluster{T: t, mode: mode, client: fake.NewClientset(service)}
			script, err := lose(Stage{Cluster: c, Namespace: "n", App: app})
			var lack *cluster.Unsupported
			if none := errors.As(err, &lack); none != (name == "canary" && mode == "nftables") {
				t.Errorf("in %s there is nothing to lose of %s: %v", mode, name, err)
			}
			if lack != nil {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput(); err != nil {
				t.Errorf("%s in %s: %v: %s", name, mode, err, out)
			}
			if name == "service" && !strings.Contains(script, "10.96.0.7") {
				t.Errorf("in %s it is about no Service: %s", mode, script)
			}
		}
	}
}
