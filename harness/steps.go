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
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/rollout"
)

// Steps are what a scenario without load does: it calls the API in a namespace of its own, beside others, while everything in
// the namespace is watched. What it finds out it notes as facts, which rules judge.
type Steps struct {
	Client    kubernetes.Interface
	Namespace string
	Into      fixtures.Destination // that namespace, for what makes pods
	Outside   string               // URL of the app from outside the cluster, once exposed; empty unless the scenario is Observed

	watch   *observe.Watch
	cluster cluster.Cluster
	exposes bool // a way to the app from outside
	reach   func(ctx context.Context, url string) error
}

// StepsConfig is what the recorder gives to the steps of a scenario.
type StepsConfig struct {
	Client  kubernetes.Interface
	Into    fixtures.Destination
	Watch   *observe.Watch
	Cluster cluster.Cluster
	Exposes bool                                        // a way to the app from outside
	Reach   func(ctx context.Context, url string) error // returns when the app answers at a URL
}

// NewSteps is for the recorder.
func NewSteps(c StepsConfig) *Steps {
	return &Steps{Client: c.Client, Namespace: c.Into.Namespace, Into: c.Into, watch: c.Watch, cluster: c.Cluster, exposes: c.Exposes,
		reach: c.Reach}
}

// Note notes a fact: what was found out under a name, such as a number, a duration or a word.
func (s *Steps) Note(name string, value any) {
	s.watch.Note(evidence.Event{Kind: evidence.Fact, Object: name, Detail: fmt.Sprint(value)})
}

// Mark notes a step of the rollout, now.
func (s *Steps) Mark(kind evidence.EventKind) { s.watch.Mark(kind) }

// Events are those of the API with a reason about one object, and not about an earlier one of its name.
func (s *Steps) Events(ctx context.Context, about metav1.Object, reason string) ([]corev1.Event, error) {
	list, err := s.Client.CoreV1().Events(s.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.uid": string(about.GetUID()), "reason": reason}.String(),
	})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Until returns when the condition holds for what has been seen. It is asked again after changes; those that come
// together it sees together. The error is the cause of ctx.
func (s *Steps) Until(ctx context.Context, holds func(observe.State) bool) error {
	return s.watch.Until(ctx, holds)
}

// Steadily returns when the condition has held for so long.
func (s *Steps) Steadily(ctx context.Context, d time.Duration, holds func(observe.State) bool) error {
	for {
		if err := s.Until(ctx, holds); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, d)
		err := s.Until(limited, func(seen observe.State) bool { return !holds(seen) })
		cancel()
		if err != nil {
			return context.Cause(ctx) // nil if it held to the end of the time
		}
	}
}

// Expose creates the app's Service.
func (s *Steps) Expose(ctx context.Context, app fixtures.App) error {
	port := int32(0)
	if s.exposes {
		port = s.cluster.NodePort()
	}
	service, err := s.Client.CoreV1().Services(s.Namespace).Create(ctx, app.Service(s.Namespace, port), metav1.CreateOptions{})
	if err == nil && s.exposes {
		s.Outside, err = s.cluster.OutsideURL(ctx, service)
	}
	return err
}

// Deploy creates the app's Service and Deployment and returns when every replica of it is ready.
func (s *Steps) Deploy(ctx context.Context, app fixtures.App, version string) error {
	if err := s.Expose(ctx, app); err != nil {
		return err
	}
	deployment := app.Deployment(s.Into, version)
	if _, err := s.Client.AppsV1().Deployments(s.Namespace).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return err
	}
	return s.Until(ctx, func(seen observe.State) bool {
		d := seen.Deployments[deployment.Name]
		return d != nil && rollout.Complete(d) && seen.Available(version) == int(app.Replicas) // which is seen apart
	})
}

// Workers are the names of the nodes that may carry load.
func (s *Steps) Workers(ctx context.Context) ([]string, error) { return s.cluster.Workers(ctx) }

// Own is the cluster, to do something to its nodes; [cluster.Unsupported] where it is somebody else's.
func (s *Steps) Own() (cluster.Changeable, error) { return cluster.Ours(s.cluster) }

// StayingPods are the UIDs of the namespace's pods that are not terminating.
func (s *Steps) StayingPods(ctx context.Context) (map[types.UID]bool, error) {
	list, err := s.Client.CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	staying := map[types.UID]bool{}
	for _, p := range list.Items {
		if p.DeletionTimestamp == nil {
			staying[p.UID] = true
		}
	}
	return staying, nil
}

// Scale sets how many replicas a Deployment has, as an autoscaler and `kubectl scale` do.
func (s *Steps) Scale(ctx context.Context, deployment string, replicas int32) error {
	_, err := s.Client.AppsV1().Deployments(s.Namespace).UpdateScale(ctx, deployment, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: deployment}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas},
	}, metav1.UpdateOptions{})
	return err
}

// Reach returns when the app answers from outside.
func (s *Steps) Reach(ctx context.Context) error { return s.reach(ctx, s.Outside) }

// Ours reports whether a pod is one of the scenario's, by name.
func (s *Steps) Ours(pod string) bool { return s.watch.Knows(pod) }

// RollOut makes the strategy's write and returns when the API server says that the rollout is done, and then
// every old pod is gone, from the endpoints too. It sets the marks of a rollout.
func (s *Steps) RollOut(ctx context.Context, app fixtures.App, strategy rollout.Strategy) error {
	s.Mark(evidence.RolloutBegun) // before the write: what follows from it is seen while it returns
	if err := strategy.Begin(ctx, s.Client, s.Into, app); err != nil {
		return err
	}
	if err := s.Until(ctx, func(seen observe.State) bool { return strategy.Settled(seen, app) }); err != nil {
		return err
	}
	s.Mark(evidence.StatusDone)
	old, _ := strategy.Versions()
	if err := s.Until(ctx, func(seen observe.State) bool { return seen.Count(old) == 0 }); err != nil {
		return err
	}
	s.Mark(evidence.OldGone)
	if err := s.Until(ctx, func(seen observe.State) bool { return strategy.Over(seen, app) }); err != nil {
		return err
	}
	s.Mark(evidence.Barrier)
	return nil
}
