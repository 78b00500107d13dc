package harness

import (
	"context"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// Steps are what a scenario without load uses: it calls the API in a namespace of its own, beside other recordings, while everything in
// the namespace is watched. It notes what it learns from the API as facts, and requests that it sends itself from outside are recorded
// ([Steps.Requests]); rules judge both. Steps are written like a test: the first call that fails ends them, in [Check], [Must] and in
// the methods of Steps that return no error.
type Steps struct {
	Client    kubernetes.Interface
	Namespace string
	Into      fixtures.Destination // the namespace, for functions that make pods
	Outside   string               // URL of the app from outside the cluster, once exposed; empty unless Observed or Outside is set

	by   StepsConfig
	undo []func(context.Context) error
}

// StepsConfig is what package record gives to the steps of a scenario.
type StepsConfig struct {
	Client   kubernetes.Interface
	Into     fixtures.Destination
	Watch    *observe.Watch
	Cluster  cluster.Cluster
	Exposes  bool                                        // the app can be reached from outside
	Reach    func(ctx context.Context, url string) error // waits until the app answers at a URL
	Requests RequestConfig
}

// NewSteps returns the steps for a recording; only package record calls it.
func NewSteps(c StepsConfig) *Steps {
	return &Steps{Client: c.Client, Namespace: c.Into.Namespace, Into: c.Into, by: c}
}

// Note records a fact: a name, and what was found out, such as a number, a duration or a word.
func (s *Steps) Note(name string, value any) {
	s.by.Watch.Note(evidence.Event{Kind: evidence.Fact, Object: name, Detail: fmt.Sprint(value)})
}

// Mark records a mark of the rollout, now.
func (s *Steps) Mark(kind evidence.EventKind) { s.by.Watch.Mark(kind) }

// Events returns the Events of the API with a reason about an object, found by its UID: an earlier object of its name does not count.
func (s *Steps) Events(ctx context.Context, about metav1.Object, reason string) []corev1.Event {
	return Must(s.Client.CoreV1().Events(s.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.uid": string(about.GetUID()), "reason": reason}.String(),
	})).Items
}

// Until waits until the condition holds for what has been seen. The condition is evaluated after changes, once for those that
// arrive together.
func (s *Steps) Until(ctx context.Context, holds func(observe.State) bool) {
	Check(s.by.Watch.Until(ctx, holds))
}

// Within reports whether the condition held within the limit.
func (s *Steps) Within(ctx context.Context, limit time.Duration, holds func(observe.State) bool) bool {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := s.by.Watch.Until(limited, holds)
	Check(context.Cause(ctx))
	return err == nil
}

// Steadily waits until the condition has held for d without a break.
func (s *Steps) Steadily(ctx context.Context, d time.Duration, holds func(observe.State) bool) {
	s.Until(ctx, holds)
	for s.Within(ctx, d, func(seen observe.State) bool { return !holds(seen) }) {
		s.Until(ctx, holds)
	}
}

// Pause lasts for d.
func (s *Steps) Pause(ctx context.Context, d time.Duration) {
	poll.Pause(ctx, d)
	Check(context.Cause(ctx))
}

// Expose creates the app's Service, with changes. One with a port for datagrams is not opened to the outside.
func (s *Steps) Expose(ctx context.Context, app fixtures.App, changes ...func(*corev1.Service)) {
	port, opens := int32(0), s.by.Exposes && !app.UDP
	if opens {
		port = s.by.Cluster.Door().NodePort
	}
	service := app.Service(s.Into, port)
	for _, change := range changes {
		change(service)
	}
	service = Must(s.Client.CoreV1().Services(s.Namespace).Create(ctx, service, metav1.CreateOptions{}))
	if opens {
		s.Outside = Must(s.by.Cluster.Door().Open(ctx, service))
	}
}

// Deploy creates the app's Service and Deployment and waits until every replica is ready.
func (s *Steps) Deploy(ctx context.Context, app fixtures.App, version string) {
	s.Expose(ctx, app)
	deployment := Must(s.Client.AppsV1().Deployments(s.Namespace).Create(ctx, app.Deployment(s.Into, version), metav1.CreateOptions{}))
	s.Until(ctx, func(seen observe.State) bool {
		d := seen.Deployments[deployment.Name]
		return d != nil && rollout.Complete(d) && seen.Available(version) == int(app.Replicas) // from another watch than d
	})
}

// Describe returns what `kubectl describe deployment` prints of a Deployment.
func (s *Steps) Describe(name string) string {
	return Must(rollout.Describe(s.by.Cluster.REST(), s.Namespace, name))
}

// Get returns what `kubectl get` prints of a resource of the group apps, without the ages: the columns, and a row for each object.
func (s *Steps) Get(ctx context.Context, resource string) (columns []string, rows [][]string) {
	columns, rows, err := rollout.Get(ctx, s.Client.AppsV1().RESTClient(), s.Namespace, resource)
	Check(err)
	return columns, rows
}

// Workers returns the names of the nodes that may carry load.
func (s *Steps) Workers(ctx context.Context) []string { return Must(s.by.Cluster.Workers(ctx)) }

// Changeable returns the cluster for steps that change its nodes, or [cluster.Unsupported] if Rollcall did not create it.
func (s *Steps) Changeable() (cluster.Changeable, error) { return cluster.Ours(s.by.Cluster) }

// Pods lists the app's pods.
func (s *Steps) Pods(ctx context.Context) []corev1.Pod {
	return Must(s.Client.CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: fixtures.VersionLabel})).Items
}

// StayingPods returns the UIDs of the app's pods that are not terminating.
func (s *Steps) StayingPods(ctx context.Context) sets.Set[types.UID] {
	staying := sets.New[types.UID]()
	for _, p := range s.Pods(ctx) {
		if p.DeletionTimestamp == nil {
			staying.Insert(p.UID)
		}
	}
	return staying
}

// Scale sets how many replicas a Deployment has, as an autoscaler and `kubectl scale` do.
func (s *Steps) Scale(ctx context.Context, deployment string, replicas int32) {
	Must(s.Client.AppsV1().Deployments(s.Namespace).UpdateScale(ctx, deployment, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: deployment}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas},
	}, metav1.UpdateOptions{}))
}

// Reach waits until the app answers from outside.
func (s *Steps) Reach(ctx context.Context) { Check(s.by.Reach(ctx, s.Outside)) }

// RollOut makes the strategy's write and waits until the API server says that the rollout is done and until every
// old pod is gone, from the endpoints too. It records the marks of a rollout.
func (s *Steps) RollOut(ctx context.Context, app fixtures.App, strategy rollout.Strategy) {
	s.Mark(evidence.RolloutBegun) // before the write, whose effects may be seen before it returns
	Check(strategy.Begin(ctx, s.Client, s.Into, app))
	s.Until(ctx, func(seen observe.State) bool { return strategy.Settled(seen, app) })
	s.Mark(evidence.StatusDone)
	old, _ := strategy.Versions()
	s.Until(ctx, func(seen observe.State) bool { return seen.Count(old) == 0 })
	s.Mark(evidence.OldGone)
	s.Until(ctx, func(seen observe.State) bool { return strategy.Over(seen, app) })
	s.Mark(evidence.Barrier)
}
