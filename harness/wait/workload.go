package wait

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"

	"example.com/rollcall/harness/rollout"
)

// A workload is a Deployment, StatefulSet or DaemonSet as the API server has it now.
type workload struct {
	kind, name string
	selector   labels.Selector
	template   labels.Set // labels of its pods
	label      string     // that has the revision of a pod
	revision   string     // the current one, as pods have it; empty: there is none yet
	rollsOut   string     // what kubectl rollout status says is still to do; empty: nothing
	kept       string     // why it leaves pods of other revisions as they are; empty: it replaces them
	stuck      error      // why its rollout does not go on by itself
}

// String returns a text such as "Deployment web".
func (w workload) String() string { return w.kind + " " + w.name }

// An appsReader lists the workloads of a namespace.
type appsReader struct {
	appsclient.AppsV1Interface
	namespace string
}

// workloads lists all Deployments, StatefulSets and DaemonSets.
func (r appsReader) workloads(ctx context.Context) (all []workload, err error) {
	deployments, err := r.Deployments(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	statefulSets, err := r.StatefulSets(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	daemonSets, err := r.DaemonSets(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	replicaSets, err := r.ReplicaSets(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	revisions, err := r.ControllerRevisions(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, d := range deployments.Items {
		all = append(all, ofDeployment(&d, replicaSets.Items))
	}
	for _, s := range statefulSets.Items {
		all = append(all, ofStatefulSet(&s))
	}
	for _, d := range daemonSets.Items {
		all = append(all, ofDaemonSet(&d, revisions.Items))
	}
	return all, nil
}

func newWorkload(kind, name string, selector *metav1.LabelSelector, template corev1.PodTemplateSpec) workload {
	w := workload{kind: kind, name: name, template: template.Labels, label: appsv1.ControllerRevisionHashLabelKey}
	w.selector, w.stuck = metav1.LabelSelectorAsSelector(selector)
	return w
}

// status takes in what kubectl rollout status says of the object.
func status[T rollout.Workload](w *workload, object T) {
	said, done, err := rollout.Status(object, 0)
	switch {
	case err != nil:
		w.stuck = errors.Join(w.stuck, err)
	case !done:
		w.rollsOut = strings.TrimSuffix(strings.TrimSpace(said), "...")
	}
}

func ofDeployment(d *appsv1.Deployment, sets []appsv1.ReplicaSet) workload {
	w := newWorkload("Deployment", d.Name, d.Spec.Selector, d.Spec.Template)
	w.label = appsv1.DefaultDeploymentUniqueLabelKey
	for _, s := range sets {
		template := s.Spec.Template.DeepCopy()
		delete(template.Labels, w.label)
		if metav1.IsControlledBy(&s, d) && equality.Semantic.DeepEqual(*template, d.Spec.Template) {
			w.revision = s.Labels[w.label]
		}
	}
	if status(&w, d); d.Spec.Paused {
		w.kept = "it is paused"
	}
	return w
}

func ofStatefulSet(s *appsv1.StatefulSet) workload {
	w := newWorkload("StatefulSet", s.Name, s.Spec.Selector, s.Spec.Template)
	w.revision = s.Status.UpdateRevision
	update := s.Spec.UpdateStrategy
	switch {
	case s.Status.ObservedGeneration < s.Generation:
		w.rollsOut = unobserved(w)
	case update.Type == appsv1.OnDeleteStatefulSetStrategyType: // of which kubectl rollout status says nothing
	default:
		status(&w, s)
		if r := update.RollingUpdate; r != nil && r.Partition != nil && *r.Partition > 0 {
			w.kept = fmt.Sprintf("its partition is %d", *r.Partition)
		}
	}
	return w
}

func ofDaemonSet(d *appsv1.DaemonSet, revisions []appsv1.ControllerRevision) workload {
	w := newWorkload("DaemonSet", d.Name, d.Spec.Selector, d.Spec.Template)
	last := int64(-1)
	for _, r := range revisions {
		if metav1.IsControlledBy(&r, d) && r.Revision > last {
			w.revision, last = r.Labels[w.label], r.Revision
		}
	}
	switch {
	case d.Status.ObservedGeneration < d.Generation:
		w.rollsOut = unobserved(w)
	case d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType:
	default:
		status(&w, d)
	}
	return w
}

func unobserved(w workload) string {
	return "Waiting for " + strings.ToLower(w.kind) + " spec update to be observed"
}

// behind returns the workloads of the pods that a Service selects, now or by their templates: labels may be added to running pods.
func behind(selector labels.Selector, all []workload, pods []corev1.Pod) []workload {
	return slices.DeleteFunc(slices.Clone(all), func(w workload) bool {
		return !selector.Matches(w.template) && !slices.ContainsFunc(pods, func(p corev1.Pod) bool {
			return selector.Matches(labels.Set(p.Labels)) && w.selector.Matches(labels.Set(p.Labels))
		})
	})
}
