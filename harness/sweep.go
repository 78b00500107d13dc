package harness

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"rollcall/fixtures"
	"rollcall/harness/usage"
)

// sweepTarget removes what runs that died left on the target.
func (r *Rig) sweepTarget(ctx context.Context, out io.Writer) error {
	dead, err := deadRuns(r.attached.REST.Host)
	if err != nil {
		return err
	}
	if given := words(r.Namespaces); len(given) > 0 {
		for _, name := range given {
			if err := r.sweepGiven(ctx, out, name, len(dead) > 0); err != nil {
				return err
			}
		}
		return nil
	}
	left, err := r.attached.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return err
	}
	for _, n := range left.Items {
		if n.DeletionTimestamp != nil || !abandoned(n, dead, time.Now()) {
			continue
		}
		fmt.Fprintf(out, "removing namespace %s, which run %s left behind\n", n.Name, n.Labels[fixtures.InstanceLabel])
		if err := empty(ctx, r.attached.Client, n.Name); err != nil {
			return err
		}
	}
	return nil
}

// abandoned reports whether a namespace is of a run that is known to be dead, or whose time is over. One that is labelled
// like ours, but names no run or no time, is somebody else's.
func abandoned(n corev1.Namespace, dead map[string]bool, now time.Time) bool {
	run := n.Labels[fixtures.InstanceLabel]
	expires, err := time.Parse(time.RFC3339, n.Annotations[fixtures.ExpiresAnnotation])
	return run != "" && err == nil && (dead[run] || now.After(expires))
}

// scenarioLasts is longer than any scenario does: a pod in a namespace that was given to us is older only if its run died.
const scenarioLasts = 15 * time.Minute

// sweepGiven removes what of ours is in a namespace that was given to us, unless another run may be at work there: this
// host knows of none that died, and a pod is young enough to be a live one's.
func (r *Rig) sweepGiven(ctx context.Context, out io.Writer, name string, died bool) error {
	pods, err := r.attached.Client.CoreV1().Pods(name).List(ctx, fixtures.Ours())
	if err != nil {
		return usage.New("namespace "+name, err.Error(), "name one that is there and was given to this user")
	}
	for _, pod := range pods.Items {
		if age := time.Since(pod.CreationTimestamp.Time); !died && age < scenarioLasts {
			return usage.New("namespace "+name, fmt.Sprintf("another run is at work there: pod %s is %s old", pod.Name, age.Round(time.Second)),
				"wait for its end; if it died, run: conformance cleanup with the same -context and -namespace")
		}
	}
	if len(pods.Items) > 0 {
		fmt.Fprintf(out, "removing %d pods and what belongs to them from namespace %s, which a run left behind\n", len(pods.Items), name)
	}
	return r.emptyGiven(ctx, name)
}

// emptyGiven takes what is ours out of a namespace that was given to us, and of the one for observers beside it.
func (r *Rig) emptyGiven(ctx context.Context, name string) error {
	sp := space{name, true}
	if err := sp.leave(ctx, r.attached.Client, sp.name); err != nil || r.attached.Observable() != "" {
		return err
	}
	return sp.leave(ctx, r.attached.Client, sp.observers())
}

// Vacate removes everything that runs of Rollcall made on the target, also of one that is still under way.
func (r *Rig) Vacate(ctx context.Context, out io.Writer) error {
	if given := words(r.Namespaces); len(given) > 0 {
		for _, name := range given {
			fmt.Fprintf(out, "emptying namespace %s of what is Rollcall's\n", name)
			if err := r.emptyGiven(ctx, name); err != nil {
				return err
			}
		}
		return nil
	}
	left, err := r.attached.Client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return usage.New("context "+r.attached.Name, err.Error(), "name the namespaces that were given: -namespace=NAME; or bind the ClusterRole of fixtures/staging/generated")
	}
	removed := 0
	for _, n := range left.Items {
		if n.Labels[fixtures.InstanceLabel] == "" {
			continue // labelled like ours, but of no run
		}
		fmt.Fprintf(out, "removing namespace %s of run %s\n", n.Name, n.Labels[fixtures.InstanceLabel])
		if err := empty(ctx, r.attached.Client, n.Name); err != nil {
			return err
		}
		removed++
	}
	fmt.Fprintf(out, "%d namespaces of Rollcall's were on %s\n", removed, r.attached.Name)
	return vacated(ctx, r.attached.Client, fixtures.Ours())
}
