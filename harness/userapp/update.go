package userapp

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
)

// Update returns the strategy that updates the app from its old version to the new one, as `kubectl apply` does.
func (a *App) Update() rollout.Strategy { return update{a, a.document.Old, a.document.New} }

// Back returns the strategy that brings the app from its new version to the old one.
func (a *App) Back() rollout.Strategy { return update{a, a.document.New, a.document.Old} }

// An update ignores the fixtures.App of its methods, which is Rollcall's own app.
type update struct {
	app      *App
	old, new Version
}

func (u update) Versions() (string, string) { return u.old.Name, u.new.Name }

func (u update) Deploy(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, _ fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	service, workload := u.app.service.DeepCopy(), u.app.workload.DeepCopyObject()
	fixtures.OpenOnNodes(service, nodePort)
	*templateOf(workload) = u.templateIn(to, u.old)
	to.Run.Own(service)
	objects := []runtime.Object{}
	for _, object := range append(slices.Clone(u.app.objects), workload) {
		object = object.DeepCopyObject()
		to.Run.Own(object.(metav1.Object)) // all kinds that are kept are
		objects = append(objects, object)
	}
	return rollout.Deploy(ctx, client, to.Namespace, service, objects...)
}

// templateIn returns the pod template at a version, for pods that belong to the run of a destination.
func (u update) templateIn(to fixtures.Destination, v Version) corev1.PodTemplateSpec {
	template := u.app.templateAt(v)
	to.Run.Own(&template)
	return template
}

func (u update) Deployed(s observe.State, _ fixtures.App) bool {
	replicas, _, there := u.rollout(s, u.old)
	return there && replicas > 0 && s.Available(u.old.Name) == replicas && !s.Leaving()
}

func (u update) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, _ fixtures.App) error {
	next, name, apps := u.templateIn(to, u.new), u.app.document.Workload.Name, client.AppsV1()
	var err error
	if _, is := u.app.workload.(*appsv1.Deployment); is {
		_, err = rollout.Edit(ctx, apps.Deployments(to.Namespace), name, func(live *appsv1.Deployment) { live.Spec.Template = next })
	} else {
		_, err = rollout.Edit(ctx, apps.StatefulSets(to.Namespace), name, func(live *appsv1.StatefulSet) { live.Spec.Template = next })
	}
	if err != nil {
		return fmt.Errorf("userapp: update %s: %w", u.app.Name(), err)
	}
	return nil
}

func (u update) Settled(s observe.State, _ fixtures.App) bool {
	_, complete, there := u.rollout(s, u.new)
	return there && complete
}

func (u update) Over(s observe.State, _ fixtures.App) bool { return rollout.Barrier(s, u.old.Name) }

// rollout returns the workload's replicas and whether kubectl calls its rollout done. there reports whether its template is of the version.
func (u update) rollout(s observe.State, v Version) (replicas int, complete, there bool) {
	name := u.app.document.Workload.Name
	if d := s.Deployments[name]; d != nil && d.Spec.Template.Labels[VersionLabel] == v.Name {
		return int(ptr.Deref(d.Spec.Replicas, 1)), rollout.Complete(d), true
	}
	if set := s.StatefulSets[name]; set != nil && set.Spec.Template.Labels[VersionLabel] == v.Name {
		return int(ptr.Deref(set.Spec.Replicas, 1)), rollout.Complete(set), true
	}
	return 0, false, false
}
