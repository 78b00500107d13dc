package observe

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"example.com/rollcall/harness/dataplane"
)

// A watched is a kind of objects that a Watch sees.
type watched struct {
	Right
	informer func() cache.SharedIndexInformer // its factory starts it once this was called
	upsert   func(object any, existed bool)   // gets every object that exists or changes, and whether it existed when the watch began
	remove   func(object any)                 // gets every object that is deleted
}

// Whether a recording needs to see a kind.
const (
	needed   = true
	optional = false
)

// watched returns the kinds that a Watch sees, those that a recording needs first. What budgets are about is known from pods.
func (w *Watch) watched(from factories) []watched {
	core, apps := from.app.Core().V1(), from.app.Apps().V1()
	nodes, events := newNodeTracker(w.journal), newAPIEventTracker(w.journal, w.pods)
	service, system := newServiceTracker(w.journal, w.endpoints.service), newSystemPodTracker(w.journal)
	budgets, autoscalers := newBudgetTracker(w.journal, w.pods), newAutoscalerTracker(w.journal)
	return []watched{
		{Right{"", "pods", OfApp, "", needed}, core.Pods().Informer, onSight(w.pods.see), on(w.pods.lose)},
		{Right{"discovery.k8s.io", "endpointslices", OfApp, "", needed}, from.app.Discovery().V1().EndpointSlices().Informer,
			onSight(w.endpoints.see), on(w.endpoints.lose)},
		{Right{"apps", "replicasets", OfApp, "", needed}, apps.ReplicaSets().Informer, always(on(w.workloads.seeReplicaSet)), ignore},
		{Right{"apps", "deployments", OfApp, "", needed}, apps.Deployments().Informer,
			onSight(w.workloads.seeDeployment), on(w.workloads.loseDeployment)},
		{Right{"apps", "statefulsets", OfApp, "", needed}, apps.StatefulSets().Informer,
			onSight(w.workloads.seeStatefulSet), on(w.workloads.loseStatefulSet)},
		{Right{"", "nodes", OfCluster, "", needed}, from.cluster.Core().V1().Nodes().Informer, always(on(nodes.see)), on(nodes.lose)},
		{Right{"", "events", OfApp, "", needed}, core.Events().Informer, always(on(events.see)), ignore},
		{Right{"", "services", OfApp, "", optional}, core.Services().Informer, onSight(service.see), on(service.lose)},
		{Right{"policy", "poddisruptionbudgets", OfApp, "", optional}, from.app.Policy().V1().PodDisruptionBudgets().Informer,
			always(on(budgets.see)), on(budgets.lose)},
		{Right{"autoscaling", "horizontalpodautoscalers", OfApp, "", optional},
			from.app.Autoscaling().V2().HorizontalPodAutoscalers().Informer, onSight(autoscalers.see), on(autoscalers.lose)},
		{Right{"apps", "daemonsets", OfApp, "", optional}, apps.DaemonSets().Informer,
			onSight(w.workloads.seeDaemonSet), on(w.workloads.loseDaemonSet)},
		{Right{"", "configmaps", OfSystem, dataplane.KubeProxy.Name, optional}, from.proxyConfig.Core().V1().ConfigMaps().Informer,
			always(on(system.seeConfig)), on(system.loseConfig)},
		{Right{"", "pods", OfSystem, "", optional}, from.system.Core().V1().Pods().Informer, onSight(system.see), on(system.lose)},
	}
}

// factories make the informers of a Watch.
type factories struct {
	app, cluster informers.SharedInformerFactory
	system       informers.SharedInformerFactory // of systemPods
	proxyConfig  informers.SharedInformerFactory // of kube-proxy's ConfigMap
}

func newFactories(client kubernetes.Interface, namespace string) factories {
	in := func(namespace string, only func(*metav1.ListOptions)) informers.SharedInformerFactory {
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
			informers.WithTweakListOptions(only))
	}
	return factories{in(namespace, nil), in(metav1.NamespaceAll, nil),
		in(metav1.NamespaceSystem, func(o *metav1.ListOptions) { o.LabelSelector = systemPods }),
		in(metav1.NamespaceSystem, func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, dataplane.KubeProxy.Name).String()
		})}
}

func (f factories) all() []informers.SharedInformerFactory {
	return []informers.SharedInformerFactory{f.app, f.cluster, f.system, f.proxyConfig}
}

// on wraps a typed function for an informer. It unwraps deleted objects whose final state is unknown.
func on[T any](handle func(T)) func(any) {
	return func(object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		if typed, ok := object.(T); ok {
			handle(typed)
		}
	}
}

// onSight is the same for a function that has to know whether the object existed when the watch began.
func onSight[T any](handle func(object T, existed bool)) func(any, bool) {
	return func(object any, existed bool) { on(func(typed T) { handle(typed, existed) })(object) }
}

// always wraps a function that need not know that.
func always(handle func(any)) func(any, bool) { return func(object any, _ bool) { handle(object) } }

// ignore is for objects whose deletion does not matter.
func ignore(any) {}

// begin starts to watch kinds, and returns when all their existing objects have been seen, or ctx ends. An informer whose watch broke lists
// again by itself. That is noted as a gap, for it saw nothing in between, unless the recording can do without its kind.
func (w *Watch) begin(ctx context.Context, kinds []watched, until <-chan struct{}) error {
	seen := make([]cache.DoneChecker, len(kinds))
	failed := make([]chan struct{}, len(kinds)) // closed if the objects may never be seen; nil: they are needed
	for i, k := range kinds {
		informer, broke := k.informer(), w.journal.broke
		if !k.Needed {
			broke, failed[i] = w.withoutRight(k.Right)
		}
		err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { broke(err) })
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		handler, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: k.upsert, UpdateFunc: func(_, now any) { k.upsert(now, false) }, DeleteFunc: k.remove,
		})
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		seen[i] = handler.HasSyncedChecker()
	}
	for _, factory := range w.factories {
		factory.Start(until)
	}
	for i, k := range kinds {
		select {
		case <-seen[i].Done():
		case <-failed[i]:
		case <-ctx.Done():
			return fmt.Errorf("observe: list %s: %w", k.Resource, context.Cause(ctx))
		}
	}
	return nil
}
