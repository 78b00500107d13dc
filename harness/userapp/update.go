package userapp

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
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
	for _, object := range u.app.objects {
		if err := create(ctx, client, to.Namespace, object.DeepCopyObject()); err != nil {
			return nil, fmt.Errorf("userapp: deploy: %w", err)
		}
	}
	service := u.app.service.DeepCopy()
	if nodePort != 0 {
		service.Spec.Type = corev1.ServiceTypeNodePort
	}
	if nodePort > 0 {
		fixtures.HTTPPort(service).NodePort = nodePort
	}
	service, err := client.CoreV1().Services(to.Namespace).Create(ctx, service, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("userapp: deploy: %w", err)
	}
	workload := u.app.workload.DeepCopyObject()
	template := templateOf(workload)
	*template = u.app.templateAt(u.old)
	if err := create(ctx, client, to.Namespace, workload); err != nil {
		return nil, fmt.Errorf("userapp: deploy: %w", err)
	}
	return service, nil
}

func (u update) Deployed(s observe.State, _ fixtures.App) bool {
	replicas, _, there := u.rollout(s, u.old)
	return there && replicas > 0 && s.Available(u.old.Name) == replicas && !s.Leaving()
}

func (u update) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, _ fixtures.App) error {
	next, name, apps := u.app.templateAt(u.new), u.app.document.Workload.Name, client.AppsV1()
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
		return int(ptr.Deref(set.Spec.Replicas, 1)), rollout.CompleteSet(set), true
	}
	return 0, false, false
}

// create creates an object of a kind that Read keeps.
func create(ctx context.Context, client kubernetes.Interface, namespace string, object runtime.Object) (err error) {
	options := metav1.CreateOptions{}
	switch o := object.(type) {
	case *appsv1.Deployment:
		_, err = client.AppsV1().Deployments(namespace).Create(ctx, o, options)
	case *appsv1.StatefulSet:
		_, err = client.AppsV1().StatefulSets(namespace).Create(ctx, o, options)
	case *corev1.Service:
		_, err = client.CoreV1().Services(namespace).Create(ctx, o, options)
	case *corev1.ConfigMap:
		_, err = client.CoreV1().ConfigMaps(namespace).Create(ctx, o, options)
	case *corev1.Secret:
		_, err = client.CoreV1().Secrets(namespace).Create(ctx, o, options)
	case *corev1.ServiceAccount:
		_, err = client.CoreV1().ServiceAccounts(namespace).Create(ctx, o, options)
	case *policyv1.PodDisruptionBudget:
		_, err = client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, o, options)
	case *autoscalingv2.HorizontalPodAutoscaler:
		_, err = client.AutoscalingV2().HorizontalPodAutoscalers(namespace).Create(ctx, o, options)
	default:
		err = fmt.Errorf("%T is no kind that is copied", object)
	}
	return err
}
