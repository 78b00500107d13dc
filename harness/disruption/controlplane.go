package disruption

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// Programs of the control plane, as pkill knows them: by the first 15 characters of their names.
const (
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller"
	Scheduler         = "kube-scheduler"
	Etcd              = "etcd"
)

// manifests has the name of each program's manifest.
var manifests = map[string]string{
	APIServer: "kube-apiserver", ControllerManager: "kube-controller-manager", Scheduler: "kube-scheduler", Etcd: "etcd",
}

// Away ends a program of the control plane for d, by moving its manifest, and then has the kubelet start it again. d counts from the
// program's end, which is marked as a step. If this process dies meanwhile, [Repair] puts the manifest back.
func Away(program string, d time.Duration) Act {
	at := fmt.Sprintf("at=/etc/kubernetes/manifests/%[1]s.yaml parked=/etc/kubernetes/%[1]s.parked.yaml\n", manifests[program])
	take := fmt.Sprintf("mv $at $parked\nuntil ! pgrep -x %s >/dev/null; do sleep 0.1; done", program)
	putBack := fmt.Sprintf("mv $parked $at\nuntil pgrep -x %s >/dev/null; do sleep 0.2; done", program)
	return func(ctx context.Context, s Stage) error {
		_, err := s.on(ctx, ControlPlane, "set -e\n"+at+take, programTimeout)
		if err == nil {
			s.Step(ControlPlane, program+" is away")
			poll.Pause(ctx, d)
		}
		_, undo := s.on(ctx, ControlPlane, "set -e\n"+at+putBack, programTimeout)
		return errors.Join(err, undo)
	}
}

// PodDeleted deletes one pod of the old version, beside what the rollout does.
func PodDeleted(ctx context.Context, s Stage) error {
	pods := s.Cluster.Client().CoreV1().Pods(s.Namespace)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: fixtures.VersionLabel + "=" + s.Old})
	if err != nil {
		return err
	}
	if len(old.Items) == 0 {
		return errors.New("no old pod")
	}
	return pods.Delete(ctx, old.Items[0].Name, metav1.DeleteOptions{})
}

// DNSRolled replaces every pod of CoreDNS, as `kubectl rollout restart` does, and waits until that is done.
func DNSRolled(ctx context.Context, s Stage) error {
	deployments := s.Cluster.Client().AppsV1().Deployments(metav1.NamespaceSystem)
	return rollout.Restart(ctx, deployments, "coredns", time.Now().Format(time.RFC3339Nano))
}

// DNSGone deletes all pods of CoreDNS at once, without a grace period. Their Deployment makes new ones.
func DNSGone(ctx context.Context, s Stage) error {
	return s.Cluster.Client().CoreV1().Pods(metav1.NamespaceSystem).DeleteCollection(ctx,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}, metav1.ListOptions{LabelSelector: "k8s-app=kube-dns"})
}
