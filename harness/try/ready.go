package try

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/usage"
)

func deadlineOf(o manifest.Object) time.Duration {
	if seconds, found, _ := unstructured.NestedInt64(o.Object, "spec", "progressDeadlineSeconds"); found {
		return time.Duration(seconds) * time.Second
	}
	return progressDeadline
}

// sayEvery is how often the output says what is waited for, and why.
const sayEvery = 5 * time.Second

// An awaited is a workload that is waited for.
type awaited struct {
	manifest.Object
	pods       func() []*corev1.Pod
	standstill *standstill.Standstill
}

// awaited returns the workloads that were created, which are looked at until ctx ends. An app that is not nil may tell that nobody but the
// manifests makes what their pods need.
func (t *target) awaited(ctx context.Context, client kubernetes.Interface, a *App) (all []awaited) {
	seen := map[string]*observe.Objects{} // by namespace
	for _, o := range t.created {
		template, has := manifest.TemplateOf(o)
		if !has || o.GetKind() == "Job" {
			continue
		}
		in := o.Namespace()
		if seen[in] == nil {
			seen[in] = observe.Follow(ctx, client, in)
		}
		selector := labels.SelectorFromSet(template.Labels)
		one := awaited{o, func() []*corev1.Pod { return seen[in].Pods(selector) }, standstill.New(seen[in], selector, o.GetName())}
		if t.alone && a != nil && a.onlyMaker() {
			one.standstill.Uncreated = func(kind, name string) bool { return !t.has(in, kind, name) }
		}
		all = append(all, one)
	}
	return all
}

// awaitReady waits until all workloads that were created have rolled out. It returns an error if the app's cannot; another one that
// cannot is reported, and no longer waited for.
func (t *target) awaitReady(ctx context.Context, client kubernetes.Interface, a *App) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	pending := t.awaited(watching, client, a)
	began := time.Now()
	var said time.Time
	return poll.Until(ctx, time.Second, func() (bool, error) {
		look := time.Since(said) >= sayEvery
		var lack []string
		var met []standstill.Obstacle
		var failed error
		pending = slices.DeleteFunc(pending, func(o awaited) bool {
			lacks := t.lacks(ctx, o)
			if lacks == "" {
				return true
			}
			late := time.Since(began) >= deadlineOf(o.Object)
			if !look && !late {
				return false
			}
			is, why := o.standstill.Look(), ""
			switch {
			case is.ForGood && !t.awaitsWebhook(o, pending, is):
				why = is.String()
			case late:
				why = fmt.Sprintf("%s after %v%s", lacks, deadlineOf(o.Object), because(ctx, client, o, is))
			default:
				lack, met = append(lack, fmt.Sprintf("%s %s", strings.ToLower(o.String()), lacks)), append(met, is)
				return false
			}
			if lines := is.LastLines(ctx, client, o.Namespace()); lines != "" {
				t.say(lines)
			}
			if o.Same(a.workload) {
				failed = usage.New(fmt.Sprintf("%s (%s)", o, o.At), why, remedyFor(is))
				return false
			}
			t.say(fmt.Sprintf("%s: %s: the load begins without it", o, why))
			return true
		})
		if len(lack) > 0 && look && failed == nil {
			said = time.Now()
			line := fmt.Sprintf("waiting for the app, for %v: %s", time.Since(began).Round(time.Second), strings.Join(lack, ", "))
			t.say(standstill.Progress(line, met...))
		}
		return len(pending) == 0 || failed != nil, failed
	})
}

// lacks says what a workload or its pods still have to do; empty when it has rolled out.
func (t *target) lacks(ctx context.Context, o awaited) string {
	api, err := t.api(o.Object)
	if err != nil {
		return "cannot be read"
	}
	live, err := api.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil {
		return "cannot be read"
	}
	if lacks := during.LacksOf(o.GetKind(), live.Object); lacks != "" {
		return lacks
	}
	if slices.ContainsFunc(o.pods(), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil }) {
		return "has pods that are terminating"
	}
	return ""
}

// because says why a workload's pods do not get ready: the obstacle or, if none is known, the last warning.
func because(ctx context.Context, client kubernetes.Interface, o awaited, met standstill.Obstacle) string {
	why := met.String()
	if why == "" {
		why = staging.LastWarning(ctx, client, o.Namespace(), "")
	}
	if why == "" {
		return ""
	}
	return ": " + why
}

// has reports whether this try created an object.
func (t *target) has(namespace, kind, name string) bool {
	return slices.ContainsFunc(t.created, func(o manifest.Object) bool {
		return o.GetKind() == kind && o.GetName() == name && o.Namespace() == namespace
	})
}

// onlyMaker reports whether nothing of the manifests but the app's own pods may create objects: no other pods, such as those of a Job,
// and no object of a kind that a controller of its own reads.
func (a *App) onlyMaker() bool {
	return len(foreign(a.Objects)) == 0 && !slices.ContainsFunc(a.Objects, func(o manifest.Object) bool {
		return len(manifest.ContainersOf(o)) > 0 && !o.Same(a.workload)
	})
}
