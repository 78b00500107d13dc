package harness

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/progress"
	"rollcall/harness/rollout"
)

// A Walk is a scenario without load under way: it goes through the API in a namespace of its own, beside
// others, while everything in the namespace is watched. What it finds out it notes as facts, which rules judge.
type Walk struct {
	Client    kubernetes.Interface
	Namespace string
	Outside   string // URL of the app from outside the cluster, once exposed; empty unless the walk is observed

	watch   *observe.Watch
	cluster *cluster.Cluster // nil unless the walk is observed
}

// Note notes a fact: what was found out under a name, such as a number, a duration or a word.
func (w *Walk) Note(name string, value any) {
	w.watch.Note(evidence.Event{Kind: evidence.Fact, Object: name, Detail: fmt.Sprint(value)})
}

// Mark notes a step of the rollout, now.
func (w *Walk) Mark(kind evidence.EventKind) { w.watch.Mark(kind) }

// Events are those of the API with a reason about one object, and not about an earlier one of its name.
func (w *Walk) Events(ctx context.Context, about metav1.Object, reason string) ([]corev1.Event, error) {
	list, err := w.Client.CoreV1().Events(w.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.uid": string(about.GetUID()), "reason": reason}.String(),
	})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Until returns when the condition holds for what has been seen. It is asked again after changes; those that come
// together it sees together. The error is the cause of ctx.
func (w *Walk) Until(ctx context.Context, holds func(observe.State) bool) error {
	return w.watch.Until(ctx, holds)
}

// Steadily returns when the condition has held for so long.
func (w *Walk) Steadily(ctx context.Context, d time.Duration, holds func(observe.State) bool) error {
	for {
		if err := w.Until(ctx, holds); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, d)
		err := w.Until(limited, func(s observe.State) bool { return !holds(s) })
		cancel()
		if err != nil {
			return context.Cause(ctx) // nil if it held to the end of the time
		}
	}
}

// Expose creates the app's Service.
func (w *Walk) Expose(ctx context.Context, app fixtures.App) error {
	port := int32(0)
	if w.cluster != nil {
		port = w.cluster.NodePort()
	}
	service, err := w.Client.CoreV1().Services(w.Namespace).Create(ctx, app.Service(w.Namespace, port), metav1.CreateOptions{})
	if err == nil && w.cluster != nil {
		w.Outside, err = w.cluster.Outside(ctx, service)
	}
	return err
}

// Deploy creates the app's Service and Deployment and returns when every replica of it is ready.
func (w *Walk) Deploy(ctx context.Context, app fixtures.App, version string) error {
	if err := w.Expose(ctx, app); err != nil {
		return err
	}
	deployment := app.Deployment(w.Namespace, version)
	if _, err := w.Client.AppsV1().Deployments(w.Namespace).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return err
	}
	return w.Until(ctx, func(s observe.State) bool {
		d := s.Deployments[deployment.Name]
		return d != nil && rollout.Complete(d) && s.Available(version) == int(app.Replicas) // which is seen apart
	})
}

// Reach returns when the app answers from outside.
func (w *Walk) Reach(ctx context.Context) error { return answers(ctx, w.Outside, nil, w.Ours) }

// Ours reports whether a pod is one of the walk's, by name.
func (w *Walk) Ours(pod string) bool { return w.watch.Knows(pod) }

// RollOut makes the strategy's write and returns when the API server says that the rollout is done, and then
// every old pod is gone, from the endpoints too. It sets the marks of a rollout.
func (w *Walk) RollOut(ctx context.Context, app fixtures.App, strategy rollout.Strategy) error {
	w.Mark(evidence.RolloutBegun) // before the write: what follows from it is seen while it returns
	if err := strategy.Begin(ctx, w.Client, w.Namespace, app); err != nil {
		return err
	}
	if err := w.Until(ctx, func(s observe.State) bool { return strategy.Settled(s, app) }); err != nil {
		return err
	}
	w.Mark(evidence.StatusDone)
	old, _ := strategy.Versions()
	if err := w.Until(ctx, func(s observe.State) bool { return s.Count(old) == 0 }); err != nil {
		return err
	}
	w.Mark(evidence.OldGone)
	if err := w.Until(ctx, func(s observe.State) bool { return strategy.Over(s, app) }); err != nil {
		return err
	}
	w.Mark(evidence.Barrier)
	return nil
}

// walkThrough is the scenario from the namespace to its last step.
func (r *recording) walkThrough(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.rig.patience(rolloutPatience), observe.ErrNeverSettled)
	defer cancel()
	if err := r.enter(ctx); err != nil {
		return err
	}
	r.watch, err = observe.Start(ctx, r.cluster.Client, r.scope(r.App.Service(r.namespace, 0).Name), r.began, r.recorder)
	if err != nil {
		return err
	}
	w := &Walk{Client: r.cluster.Client, Namespace: r.namespace, watch: r.watch}
	if r.observed() {
		w.cluster = r.cluster
		if err := r.observe(ctx); err != nil {
			return err
		}
	}
	w.Mark(evidence.LoadBegun)
	defer w.Mark(evidence.LoadEnded)
	defer r.spend(evidence.RolloutPart)()
	fmt.Fprintln(r.out, r.told.Tell(progress.Running{Phase: "walking"}))
	return r.Walk(ctx, w)
}
