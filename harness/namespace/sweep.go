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

// An Extent is how much a sweep deletes.
type Extent int

// Extents.
const (
	StaleRuns  Extent = iota // what runs left that are known to be dead, or whose time is over
	AllRuns                  // what any run has, also one that is under way
	Everything               // all that has our label, in a cluster that nobody else uses
)

// A Sweep deletes what runs left in a cluster: the namespaces they created, or their objects in preassigned ones.
type Sweep struct {
	Cluster     string // name, for messages
	Client      kubernetes.Interface
	Out         io.Writer
	Extent      Extent
	Stale       map[string]bool // ids of runs that are known to be dead
	Preassigned []string        // namespaces; empty: runs create theirs
	Observers   bool            // beside a preassigned namespace there is one of observers
}

// Run sweeps. Unless only stale runs are swept it returns when the namespaces are gone.
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
	if s.Extent == AllRuns {
		fmt.Fprintf(s.Out, "%s: %d namespaces of Rollcall's were deleted\n", s.Cluster, deleted)
	}
	return waitGone(ctx, s.Client, fixtures.Ours(), func(n corev1.Namespace) bool { return s.selects(n, time.Now()) })
}

// selects reports whether a namespace with our label is to be deleted. One that names no run, or no time, is somebody else's
// unless the cluster is ours alone.
func (s Sweep) selects(n corev1.Namespace, now time.Time) bool {
	run := n.Labels[fixtures.InstanceLabel]
	switch s.Extent {
	case Everything:
		return true
	case AllRuns:
		return run != ""
	case StaleRuns:
	}
	expires, err := time.Parse(time.RFC3339, n.Annotations[fixtures.ExpiresAnnotation])
	return n.DeletionTimestamp == nil && run != "" && err == nil && (s.Stale[run] || now.After(expires))
}

// preassigned deletes what of ours is in a preassigned namespace. A sweep of stale runs refuses to where another run may be
// under way: this host knows of none that died, and a pod is young enough.
func (s Sweep) preassigned(ctx context.Context, name string) error {
	pods, err := s.Client.CoreV1().Pods(name).List(ctx, fixtures.Ours())
	if err != nil {
		return usage.New("namespace "+name, err.Error(), "name one that is there and was assigned to this user")
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

// inUse refuses a namespace with a pod of ours that is too young to be one that a dead run left.
func inUse(name string, pods []corev1.Pod) error {
	for _, pod := range pods {
		if age := time.Since(pod.CreationTimestamp.Time); age < longestScenario {
			return usage.New("namespace "+name, fmt.Sprintf("another run uses it: pod %s is %s old", pod.Name, age.Round(time.Second)),
				"wait for its end; if it died, run: rollcall clean with the same --context and --namespace")
		}
	}
	return nil
}

// Leftovers describes namespaces with pods, or that nobody deletes, of other runs than a session's.
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
