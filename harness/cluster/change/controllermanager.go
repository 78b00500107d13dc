package change

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
)

// Paths on the control plane's node: the controller manager's manifest, the original of that manifest while another is in its
// place, and the program that the other one runs.
const (
	managerManifest = "/etc/kubernetes/manifests/kube-controller-manager.yaml"
	stockManifest   = "/etc/kubernetes/kube-controller-manager.stock.yaml"
	managerFile     = "/opt/rollcall-kube-controller-manager"
)

// replaceControllerManager has the control plane run a program as its controller manager, and waits until it leads.
func replaceControllerManager(ctx context.Context, c cluster.Changeable, program []byte) error {
	node := controlPlane(c)
	if err := c.WriteFile(ctx, node, managerFile, program); err != nil {
		return err
	}
	return replaceManifest(ctx, c, useManagerFile)
}

// replaceManifest edits the manifest of the controller manager, and waits until the new controller manager leads.
func replaceManifest(ctx context.Context, c cluster.Changeable, edit func(*corev1.Pod)) error {
	node := controlPlane(c)
	text, err := c.Exec(ctx, node, fmt.Sprintf("[ -e %[2]s ] || cp %[1]s %[2]s; cat %[1]s", managerManifest, stockManifest))
	if err != nil {
		return err
	}
	changed, err := editPod(text, edit)
	if err != nil {
		return err
	}
	if err := c.WriteFile(ctx, node, stockManifest+".new", changed); err != nil {
		return err
	}
	return placeManifest(ctx, c, stockManifest+".new")
}

// editPod returns the edited manifest of a pod with one container.
func editPod(manifest string, edit func(*corev1.Pod)) ([]byte, error) {
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(manifest), &pod); err != nil {
		return nil, err
	}
	if len(pod.Spec.Containers) != 1 {
		return nil, fmt.Errorf("%s has %d containers", managerManifest, len(pod.Spec.Containers))
	}
	edit(&pod)
	return yaml.Marshal(pod)
}

// useManagerFile edits the controller manager's pod to run managerFile instead of the program of its image.
func useManagerFile(pod *corev1.Pod) {
	const volume = "rollcall-program"
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: managerFile, Type: new(corev1.HostPathFile)}}})
	container := &pod.Spec.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts,
		corev1.VolumeMount{Name: volume, MountPath: "/usr/local/bin/kube-controller-manager", ReadOnly: true})
}

// parkedManifest is where the manifest is while the controller manager is stopped.
const parkedManifest = "/etc/kubernetes/kube-controller-manager.parked.yaml"

// StopControllerManager stops the control plane's controller manager, and waits until it is gone. Start starts it again, and waits
// until it leads. If the run is killed in between, the next one starts it.
func StopControllerManager(ctx context.Context, c cluster.Changeable) (start func(context.Context) error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("not gone after %v", componentTimeout))
	defer cancel()
	start = func(ctx context.Context) error { return startControllerManager(ctx, c) }
	_, err = c.Exec(ctx, controlPlane(c), fmt.Sprintf("mv %s %s", managerManifest, parkedManifest))
	if err == nil {
		err = poll.Until(ctx, pollEvery, func() (bool, error) {
			process, err := managerProcess(ctx, c)
			return err == nil && process == "", nil
		})
	}
	if err != nil {
		return start, fmt.Errorf("cluster: stop the controller manager: %w", err)
	}
	return start, nil
}

// startControllerManager starts the controller manager again if it was stopped, and waits until it leads.
func startControllerManager(ctx context.Context, c cluster.Changeable) error {
	ctx, cancel := context.WithTimeoutCause(ctx, componentTimeout, fmt.Errorf("not leading after %v", componentTimeout))
	defer cancel()
	parked, err := c.Exec(ctx, controlPlane(c), fmt.Sprintf("if [ -e %s ]; then echo yes; fi", parkedManifest))
	if err != nil || parked == "" {
		return err
	}
	return placeManifest(ctx, c, parkedManifest)
}

// managerProcess returns the id of the controller manager's process; empty if there is none.
func managerProcess(ctx context.Context, c cluster.Changeable) (string, error) {
	return c.Exec(ctx, controlPlane(c), "pgrep --oldest --exact kube-controller || true")
}

// placeManifest moves a file to where the kubelet reads the manifest, and waits until the new controller manager leads. That would
// take until the old one's lease expires, 15 s after its end, so the lease is deleted.
func placeManifest(ctx context.Context, c cluster.Changeable, file string) error {
	node := controlPlane(c)
	was, err := managerProcess(ctx, c)
	if err != nil {
		return err
	}
	if _, err := c.Exec(ctx, node, fmt.Sprintf("mv %s %s", file, managerManifest)); err != nil {
		return err
	}
	err = poll.Until(ctx, pollEvery, func() (bool, error) {
		now, err := managerProcess(ctx, c)
		return err == nil && now != "" && now != was, nil
	})
	leases := c.Client().CoordinationV1().Leases(metav1.NamespaceSystem)
	if err == nil {
		err = ignoreNotFound(leases.Delete(ctx, string(kube.ControllerManager), metav1.DeleteOptions{}))
	}
	if err == nil {
		err = poll.Until(ctx, pollEvery, func() (bool, error) {
			lease, err := leases.Get(ctx, string(kube.ControllerManager), metav1.GetOptions{})
			return err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "", ignoreNotFound(err)
		})
	}
	if err == nil {
		err = awaitControllers(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("no new controller manager leads and does its work: %w; it said last: %s", err,
			lastLog(ctx, c, node, string(kube.ControllerManager)))
	}
	return nil
}

// awaitControllers waits until the controllers of the leading controller manager work: it deletes a ServiceAccount that no pod uses,
// and waits until the ServiceAccount controller, without which no pod of a new namespace is admitted, creates it again.
func awaitControllers(ctx context.Context, c cluster.Changeable) error {
	accounts := c.Client().CoreV1().ServiceAccounts(corev1.NamespaceNodeLease)
	if err := ignoreNotFound(accounts.Delete(ctx, "default", metav1.DeleteOptions{})); err != nil {
		return err
	}
	return poll.Until(ctx, pollEvery, func() (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, ignoreNotFound(err)
	})
}

// restoreControllerManager has the control plane run the controller manager of its image again, if it runs another.
func restoreControllerManager(ctx context.Context, c cluster.Changeable) error {
	replaced, err := c.Exec(ctx, controlPlane(c), fmt.Sprintf("if [ -e %s ]; then echo yes; fi", stockManifest))
	if err != nil || replaced == "" {
		return err
	}
	if err := placeManifest(ctx, c, stockManifest); err != nil {
		return err
	}
	_, err = c.Exec(ctx, controlPlane(c), fmt.Sprintf("rm -f %s %s.new", managerFile, stockManifest))
	return err
}
