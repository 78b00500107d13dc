package during

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// A userApp is a user's app behind a Service: its pods, and the workloads that make them.
type userApp struct {
	client     kubernetes.Interface
	namespace  string
	selector   labels.Selector
	service    string   // its name
	rolls      Workload // that a change of ours rolls out; zero: a command may roll out any
	workloads  []workload
	seen       *observe.Objects       // of its namespace; nil before the recording
	standstill *standstill.Standstill // once seen is set
	underWay   string                 // what its rollout lacked before the load; empty: it was over
}

// watchApp has the pods behind the Service of the scenario watched, if we may read them, and sets the app.
func (m *maintenance) watchApp(ctx context.Context, c cluster.Cluster, s *harness.Scenario) error {
	load := s.UnderLoad()
	service := load.Existing.Service
	thing := thingOf(service)
	if len(service.Spec.Selector) == 0 {
		m.screen.say(thing + ": its pods are not watched, nor is their rollout waited for: it has no selector")
		return nil
	}
	lacks, err := staging.MissingToRead(ctx, c.Client(), service.Namespace)
	if err != nil {
		return err
	}
	if lacks != "" {
		m.screen.say(thing + ": its pods are not watched, nor is their rollout waited for: " + lacks)
		return nil
	}
	a := &userApp{client: c.Client(), namespace: service.Namespace, service: service.Name,
		selector: labels.SelectorFromSet(service.Spec.Selector)}
	if m.change != nil {
		a.rolls = m.change.Rolls
	}
	pods, err := a.pods(ctx)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		if none := a.scaledToZero(ctx); none != "" {
			return usage.New(thing, none+" has 0 replicas, so nothing would answer", "give it one or more")
		}
		return usage.New(thing, fmt.Sprintf("its selector %s matches no pod%s", a.selector, a.nearest(ctx, service.Spec.Selector)),
			"correct the selector, or start the app")
	}
	if why, remedy := a.unserved(ctx, service, pods); why != "" {
		return usage.New(thing, why, remedy)
	}
	if a.workloads, err = workloadsOf(ctx, c, service.Namespace, pods, m.screen.say); err != nil {
		return err
	}
	m.screen.say(fmt.Sprintf("%s: %s of %s", thing, phrase.Count(len(pods), "pod"), a.madeBy(pods)))
	rolled := a.rolled(pods)
	old := commonest(rolled)
	spec, port := ofVersion(rolled, old).Spec, *fixtures.HTTPPort(service)
	s.Limits = slices.DeleteFunc(s.Limits, func(l evidence.Limit) bool { return l.ID == evidence.PortsNotAsked })
	s.Limits = slices.Concat(s.Limits, portsNotAsked(service, load.Existing.NotAsked, &spec), probeAlone(spec, port, m.service.Path))
	if because := c.CannotListen(); because != "" {
		m.screen.say("which pod each connection goes to is not recorded: " + because)
	}
	if m.change == nil { // a change of ours is waited for, also where the one before did not come to its end
		a.underWay = a.lacks(ctx)
	}
	if a.underWay != "" {
		m.screen.say(thing + ": its rollout is not waited for, since one is under way: " + a.underWay)
	}
	m.app = a
	load.Existing.Pods = &observe.App{Namespace: a.namespace, Selector: a.selector, Rolled: a.isRolled}
	load.Rollout = rollout.Untouched(old, service)
	is := a.facts(ctx, port, rolled)
	is.Affinity = service.Spec.SessionAffinity == corev1.ServiceAffinityClientIP
	is.PublishesUnready = service.Spec.PublishNotReadyAddresses
	is.NodeLocal = ptr.Deref(service.Spec.InternalTrafficPolicy, "") == corev1.ServiceInternalTrafficPolicyLocal
	is.Request = userapp.ProbeHandler(m.service.Path, port, m.service.Secure(), m.http)
	if m.by() != evidence.HTTP {
		is.Request = userapp.ProbeBy(m.protocol, spec, port)
	}
	if m.change != nil { // Prepare may have changed the workload in the cluster
		is.Workload, is.Autoscaled = userapp.Advisable(m.change.Manifest), m.change.Autoscaled
	}
	load.UserApp = userapp.Existing(m.service.Path, m.http, is)
	s.Kind = load
	return nil
}

// scaledToZero returns the Deployment of the app if it has 0 replicas; empty if it has some, or we may not read it.
func (a *userApp) scaledToZero(ctx context.Context) string {
	list, err := a.client.AppsV1().Deployments(a.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	for _, d := range list.Items {
		if ptr.Deref(d.Spec.Replicas, 1) == 0 && a.selector.Matches(labels.Set(d.Spec.Template.Labels)) {
			return "Deployment " + d.Name
		}
	}
	return ""
}

func (a *userApp) pods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := a.client.CoreV1().Pods(a.namespace).List(ctx, metav1.ListOptions{LabelSelector: a.selector.String()})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// madeBy names the workloads of the app's pods, and "no workload" if some pods have none or we may read none.
func (a *userApp) madeBy(pods []corev1.Pod) string {
	var names []string
	for _, w := range a.workloads {
		names = append(names, w.String())
	}
	bare := func(p corev1.Pod) bool { return metav1.GetControllerOf(&p) == nil }
	if len(names) == 0 || slices.ContainsFunc(pods, bare) {
		names = append(names, "no workload")
	}
	return strings.Join(names, " and ")
}

// follow looks at the app through a watch from now on, which has to be before the rollout.
func (a *userApp) follow(seen *observe.Objects) {
	var names []string
	for _, w := range a.workloads {
		names = append(names, w.name)
	}
	a.seen, a.standstill = seen, standstill.New(seen, a.selector, names...)
}

// lacks says what the app's rollout still has to do; empty when it is over. The API server is asked only if a watch, which may be broken,
// shows nothing: the app may have thousands of pods.
func (a *userApp) lacks(ctx context.Context) string {
	if lacks := a.seenLacking(); lacks != "" {
		return lacks
	}
	for _, w := range a.workloads {
		if lacks := w.lacks(ctx); lacks != "" {
			return lacks
		}
	}
	pods, err := a.pods(ctx)
	if err != nil {
		return silence(err)
	}
	for _, pod := range pods {
		if lacks := podLacks(&pod); lacks != "" {
			return lacks
		}
	}
	return ""
}

// seenLacking is lacks by what a watch has seen; empty without one.
func (a *userApp) seenLacking() string {
	if a.seen == nil {
		return ""
	}
	for _, w := range a.workloads {
		if lacks := w.seenLacking(a.seen); lacks != "" {
			return lacks
		}
	}
	for _, pod := range a.seen.Pods(a.selector) {
		if lacks := podLacks(pod); lacks != "" {
			return lacks
		}
	}
	return ""
}

func podLacks(pod *corev1.Pod) string {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch {
	case pod.DeletionTimestamp != nil:
		return "pod " + pod.Name + " is terminating"
	case !ended && !observe.Ready(pod):
		return notReady(pod.Name)
	default:
		return ""
	}
}

func notReady(pod string) string { return "pod " + pod + " is not ready" }

// facts returns what advice needs to know of the pods that may be rolled out, as those have it that most have.
func (a *userApp) facts(ctx context.Context, port corev1.ServicePort, rolled []corev1.Pod) evidence.UserApp {
	is := userapp.FactsOf(ofVersion(rolled, commonest(rolled)).Spec, port)
	is.Watched, is.Replicas, is.Selected = true, len(rolled), len(rolled)
	if w, known := a.workload(); known {
		if object, err := w.api.Get(ctx, w.name, metav1.GetOptions{}); err == nil {
			userapp.AddWorkload(&is, object.Object)
		}
	}
	return is
}
