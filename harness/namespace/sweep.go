package namespace

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// An Extent says what a sweep deletes.
type Extent int

// Extents.
const (
	StaleRuns Extent = iota // of runs that are known to be dead, or whose namespace has expired
	AllRuns                 // of all runs, even of one that is still running
)

// A Sweep deletes what runs left in a cluster: the namespaces that they created, or their objects in preassigned ones.
type Sweep struct {
	Cluster     string // name, for messages
	Client      kubernetes.Interface
	Out         io.Writer
	Extent      Extent
	Stale       map[string]bool // ids of runs that are known to be dead
	Preassigned []string        // namespaces; empty: runs create their own
	Observers   bool            // each preassigned namespace has one for observers
}

// Run sweeps. Unless it sweeps only stale runs it waits until the namespaces are gone.
func (s Sweep) Run(ctx context.Context) error {
	if len(s.Preassigned) > 0 {
		for _, name := range s.Preassigned {
			if err := s.preassigned(ctx, name); err != nil {
				return err
			}
		}
		return nil
	}
	list, err := s.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil && s.Extent == AllRuns {
		return usage.New("context "+s.Cluster, err.Error(),
			"name the preassigned namespaces: --namespace=NAME; or bind the ClusterRole of fixtures/staging/generated")
	}
	if err != nil {
		return err
	}
	deleted := 0
	for _, n := range list.Items {
		if !s.selects(n, time.Now()) {
			continue
		}
		fmt.Fprintf(s.Out, "%s: deleting namespace %s, which run %s left behind\n", s.Cluster, n.Name, n.Labels[fixtures.InstanceLabel])
		if err := (Lease{Name: n.Name}).Cleanup(ctx, s.Client, false); err != nil {
			return err
		}
		deleted++
	}
	if s.Extent == StaleRuns {
		return nil
	}
	fmt.Fprintf(s.Out, "%s: %d namespaces of Rollcall's were deleted\n", s.Cluster, deleted)
	return waitGone(ctx, s.Client, fixtures.Ours(), func(n corev1.Namespace) bool { return s.selects(n, time.Now()) })
}

// selects reports whether to delete a namespace with our label. A namespace that names no run or no expiry is not ours.
func (s Sweep) selects(n corev1.Namespace, now time.Time) bool {
	run := n.Labels[fixtures.InstanceLabel]
	if s.Extent == AllRuns {
		return run != ""
	}
	expires, err := time.Parse(time.RFC3339, n.Annotations[fixtures.ExpiresAnnotation])
	return n.DeletionTimestamp == nil && run != "" && err == nil && (s.Stale[run] || now.After(expires))
}

// preassigned deletes our objects in a preassigned namespace. A sweep of stale runs is an error if another run may be using it: this
// host knows of no dead run, and a pod is younger than longestScenario.
func (s Sweep) preassigned(ctx context.Context, name string) error {
	pods, err := s.Client.CoreV1().Pods(name).List(ctx, fixtures.Ours())
	if err != nil {
		return usage.New("namespace "+name, err.Error(), "choose a namespace that exists and was assigned to this user: --namespace=NAME")
	}
	if s.Extent == StaleRuns && len(s.Stale) == 0 {
		if err := inUse(name, pods.Items); err != nil {
			return err
		}
	}
	if len(pods.Items) > 0 || s.Extent == AllRuns {
		fmt.Fprintf(s.Out, "namespace %s: deleting %d pods of Rollcall's and what belongs to them\n", name, len(pods.Items))
	}
	return Lease{Name: name, Preassigned: true}.Cleanup(ctx, s.Client, s.Observers)
}

// inUse returns an error if a pod is too young to be from a dead run.
func inUse(name string, pods []corev1.Pod) error {
	for _, pod := range pods {
		if age := time.Since(pod.CreationTimestamp.Time); age < longestScenario {
			return usage.New("namespace "+name, fmt.Sprintf("another run uses it: pod %s is %s old", pod.Name, age.Round(time.Second)),
				"wait for its end; if it died, run: rollcall clean with the same --context and --namespace")
		}
	}
	return nil
}

// Leftovers returns a sentence for each namespace of another session that has pods or is not being deleted.
func Leftovers(ctx context.Context, client kubernetes.Interface, session string) (found []string, err error) {
	list, err := client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return nil, err
	}
	for _, n := range list.Items {
		if n.Labels[fixtures.InstanceLabel] == session {
			continue
		}
		pods, err := client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		if len(pods.Items) > 0 || n.DeletionTimestamp == nil {
			found = append(found, fmt.Sprintf("namespace %s of another run was still there, with %d pods", n.Name, len(pods.Items)))
		}
	}
	return found, nil
}
