package observe

import (
	"cmp"
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Objects are the objects of a namespace, and the nodes, as watches last saw them: to look at them costs the API server nothing. While a
// watch is broken they are those from before.
type Objects struct {
	pods         corelisters.PodNamespaceLister
	events       corelisters.EventNamespaceLister
	deployments  appslisters.DeploymentNamespaceLister
	statefulSets appslisters.StatefulSetNamespaceLister
	nodes        corelisters.NodeLister
}

// objectsOf returns what the informers of a namespace and of the whole cluster see, once they are started.
func objectsOf(namespace string, namespaced, cluster informers.SharedInformerFactory) *Objects {
	core, apps := namespaced.Core().V1(), namespaced.Apps().V1()
	return &Objects{core.Pods().Lister().Pods(namespace), core.Events().Lister().Events(namespace),
		apps.Deployments().Lister().Deployments(namespace), apps.StatefulSets().Lister().StatefulSets(namespace),
		cluster.Core().V1().Nodes().Lister()}
}

// Follow watches a namespace until ctx ends, without a recording. It returns when it has seen all that exists and that we may read.
func Follow(ctx context.Context, client kubernetes.Interface, namespace string) *Objects {
	namespaced := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	cluster := informers.NewSharedInformerFactory(client, 0)
	seen := objectsOf(namespace, namespaced, cluster)
	core, apps := namespaced.Core().V1(), namespaced.Apps().V1()
	for _, informer := range []cache.SharedIndexInformer{core.Pods().Informer(), core.Events().Informer(), apps.Deployments().Informer(),
		apps.StatefulSets().Informer(), cluster.Core().V1().Nodes().Informer()} {
		_ = informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}) // fails only once it is started; it lists again by itself
	}
	limited, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	for _, factory := range []informers.SharedInformerFactory{namespaced, cluster} {
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(limited.Done())
	}
	return seen
}

// Pods returns the pods that a selector selects, by name. Nothing may change them, as all objects here.
func (o *Objects) Pods(selector labels.Selector) []*corev1.Pod { return byName(o.pods.List(selector)) }

// Nodes returns all nodes, by name.
func (o *Objects) Nodes() []*corev1.Node { return byName(o.nodes.List(labels.Everything())) }

// Events returns all Events, by name.
func (o *Objects) Events() []*corev1.Event { return byName(o.events.List(labels.Everything())) }

// Deployment returns a Deployment, or an error that says that there is none.
func (o *Objects) Deployment(name string) (*appsv1.Deployment, error) { return o.deployments.Get(name) }

// StatefulSet returns a StatefulSet, or an error that says that there is none.
func (o *Objects) StatefulSet(name string) (*appsv1.StatefulSet, error) {
	return o.statefulSets.Get(name)
}

// byName sorts what a lister returned, without an error since it was in memory.
func byName[T metav1.Object](objects []T, _ error) []T {
	slices.SortFunc(objects, func(a, b T) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return objects
}
