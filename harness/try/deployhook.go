package try

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/usage"
)

// runHooks creates hooks of Helm or Argo CD one after the other, awaits the end of each, and then deletes those that are to be deleted once
// all have succeeded.
func (t *target) runHooks(ctx context.Context, hooks []manifest.Object) error {
	var done []manifest.Object
	for _, o := range hooks {
		if err := t.withdraw(ctx, o); err != nil { // it ran before, in the installation
			return err
		}
		before := len(t.created)
		if err := t.create(ctx, []manifest.Object{o}); err != nil {
			return err
		}
		if len(t.created) == before { // the cluster does not have its kind
			continue
		}
		live := t.created[len(t.created)-1]
		if err := t.awaitEnd(ctx, live); err != nil {
			return err
		}
		done = append(done, live)
	}
	for _, o := range slices.Backward(done) {
		if hook, _ := manifest.HookOf(o); !slices.Contains(hook.Delete, manifest.HookSucceeded) {
			continue
		}
		if err := t.withdraw(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// withdraw deletes an object, if this try created it, and waits until it is gone.
func (t *target) withdraw(ctx context.Context, o manifest.Object) error {
	i := slices.IndexFunc(t.created, o.Same)
	if i < 0 {
		return nil
	}
	is := creationOf(t.created[i])
	err := t.delete(ctx, is)
	if err == nil {
		err = t.awaitGone(ctx, []creation{is})
	}
	if err != nil {
		return fmt.Errorf("%s is not deleted: %w", o, err)
	}
	t.created = slices.Delete(t.created, i, i+1)
	return t.record.forget(is)
}

// A hookRun is a hook that is waited for: a Job or a pod.
type hookRun struct {
	manifest.Object
	limit time.Duration
	pods  func() []*corev1.Pod
	stand *standstill.Standstill
}

// String names the hook, when it runs and where it is written.
func (r hookRun) String() string {
	hook, _ := manifest.HookOf(r.Object)
	return fmt.Sprintf("hook %s (%s, %s)", r.Object, strings.Join(hook.Events, ","), r.At)
}

// awaitEnd waits until a Job or a pod has succeeded, as Helm does: other hooks are done as soon as they are created.
func (t *target) awaitEnd(ctx context.Context, o manifest.Object) error {
	if kind := o.GroupVersionKind().GroupKind().String(); kind != "Job.batch" && kind != "Pod" {
		return nil
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	run := t.hookRun(watching, o)
	began := time.Now()
	var said time.Time
	return poll.Until(ctx, time.Second, func() (bool, error) {
		live, err := t.live(ctx, o)
		switch {
		case err != nil:
			return false, err
		case live == nil:
			return false, usage.New(run.String(), "it was deleted before its end was seen",
				"leave out its ttlSecondsAfterFinished, or make it a minute")
		}
		succeeded, why := endOf(live)
		late := time.Since(began) >= run.limit
		if succeeded || why == "" && !late && time.Since(said) < sayEvery {
			return succeeded, nil
		}
		said = time.Now()
		is := run.obstacle()
		switch {
		case why != "":
		case late:
			why = fmt.Sprintf("it has not ended after %v", run.limit)
		case is.ForGood && is.Kind != standstill.Exited: // how often it may exit is for its Job to say
			why = "it cannot end"
		default:
			t.say(standstill.Progress(fmt.Sprintf("waiting for hook %s, for %v", o, time.Since(began).Round(time.Second)), is))
			return false, nil
		}
		return false, t.failed(ctx, run, why, is)
	})
}

func (t *target) hookRun(ctx context.Context, o manifest.Object) hookRun {
	seen := observe.Follow(ctx, t.kube, o.Namespace())
	run := hookRun{Object: o, limit: hookTimeout}
	if seconds, given, _ := unstructured.NestedInt64(o.Object, "spec", "activeDeadlineSeconds"); given {
		run.limit = time.Duration(seconds) * time.Second
	}
	selector := labels.Nothing() // a pod's labels may be those of others
	if o.GetKind() == "Job" {
		selector = labels.SelectorFromSet(labels.Set{batchv1.JobNameLabel: o.GetName()})
	}
	run.stand = standstill.New(seen, selector, o.GetName())
	run.pods = func() []*corev1.Pod {
		if o.GetKind() == "Job" {
			return seen.Pods(selector)
		}
		return slices.DeleteFunc(seen.Pods(labels.Everything()), func(p *corev1.Pod) bool { return p.Name != o.GetName() })
	}
	return run
}

// endOf reports whether a Job or a pod has succeeded, or why it has failed; neither: it goes on.
func endOf(live *unstructured.Unstructured) (succeeded bool, why string) {
	if live.GetKind() == "Pod" {
		phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
		reason, _, _ := unstructured.NestedString(live.Object, "status", "reason")
		if phase == string(corev1.PodFailed) {
			return false, strings.TrimSpace("it has failed " + reason)
		}
		return phase == string(corev1.PodSucceeded), ""
	}
	var job batchv1.Job
	if runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &job) != nil {
		return false, ""
	}
	for _, c := range job.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == batchv1.JobComplete:
			return true, ""
		case c.Type == batchv1.JobFailed:
			return false, "it has failed: " + c.Reason
		}
	}
	return false, ""
}

// obstacle returns what keeps the hook from its end: the last exit with a code other than 0, or else what its pod waits for.
func (r hookRun) obstacle() standstill.Obstacle {
	for _, pod := range r.pods() {
		for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			if end := c.State.Terminated; end != nil && end.ExitCode != 0 {
				return standstill.Obstacle{Kind: standstill.Exited, Pod: pod.Name, Container: c.Name, ExitCode: end.ExitCode, Reason: end.Reason,
					ForGood: true}
			}
		}
	}
	return r.stand.Look()
}

// failed returns the error about a hook that did not succeed, below the last lines of its container.
func (t *target) failed(ctx context.Context, run hookRun, why string, is standstill.Obstacle) error {
	if lines := is.LastLines(ctx, t.kube, run.Namespace()); lines != "" {
		t.say(lines)
	}
	remedy := "see what it does: kubectl describe " + strings.ToLower(run.GetKind()) + "/" + run.GetName()
	if text := is.String(); text != "" {
		why, remedy = why+": "+text, remedyFor(is)
	}
	return usage.New(run.String(), why, remedy)
}
