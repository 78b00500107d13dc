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
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

func deadlineOf(o Object) time.Duration {
	if seconds, found, _ := unstructured.NestedInt64(o.Object, "spec", "progressDeadlineSeconds"); found {
		return time.Duration(seconds) * time.Second
	}
	return progressDeadline
}

// sayEvery is how often the output says what is waited for.
const sayEvery = 5 * time.Second

// An awaited is a workload that is waited for.
type awaited struct {
	Object
	pods       func() []*corev1.Pod
	standstill *during.Standstill
}

// awaitReady waits until all workloads that were created have rolled out. It returns an error if the app's cannot; another one that
// cannot is reported, and no longer waited for.
func (t *target) awaitReady(ctx context.Context, client kubernetes.Interface, a *App) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	seen := map[string]*observe.Objects{} // by namespace
	var pending []awaited
	for _, o := range t.created {
		template, has := templateOf(o)
		if !has || o.GetKind() == "Job" {
			continue
		}
		in := o.namespace()
		if seen[in] == nil {
			seen[in] = observe.Follow(watching, client, in)
		}
		selector := labels.SelectorFromSet(template.Labels)
		pending = append(pending, awaited{o, func() []*corev1.Pod { return seen[in].Pods(selector) },
			during.NewStandstill(seen[in], selector, o.GetName())})
	}
	began := time.Now()
	var said time.Time
	return poll.Until(ctx, time.Second, func() (bool, error) {
		look := time.Since(said) >= sayEvery
		var lack []string
		var failed error
		pending = slices.DeleteFunc(pending, func(o awaited) bool {
			lacks, why := t.lacks(ctx, o), ""
			if lacks == "" {
				return true
			}
			if look {
				why = o.standstill.Because()
			}
			if why == "" && time.Since(began) >= deadlineOf(o.Object) {
				why = fmt.Sprintf("%s after %v%s", lacks, deadlineOf(o.Object), because(ctx, client, o))
			}
			switch {
			case why == "":
				lack = append(lack, fmt.Sprintf("%s %s", strings.ToLower(o.String()), lacks))
				return false
			case o.same(a.workload):
				failed = usage.New(fmt.Sprintf("%s (%s)", o, o.At), why, remedy(why, "have it get ready: kubectl describe pods"))
				return false
			}
			t.say(fmt.Sprintf("%s: %s: the load begins without it", o, why))
			return true
		})
		if len(lack) > 0 && look {
			said = time.Now()
			t.say(fmt.Sprintf("waiting for the app, for %v: %s", time.Since(began).Round(time.Second), strings.Join(lack, ", ")))
		}
		return len(pending) == 0 || failed != nil, failed
	})
}

// remedies are for the messages of admission about pods that it rejects (v1.37: apiserver, plugin/resourcequota/controller.go,
// and plugin/pkg/admission/limitranger/admission.go).
var remedies = []struct{ sign, remedy string }{
	{"exceeded quota", "raise the quota, or have the pods ask for less"},
	{"failed quota", "have the pods ask for what the quota counts"},
	{"usage per ", "have the pods ask for what the LimitRange allows"},
}

func remedy(why, other string) string {
	for _, of := range remedies {
		if strings.Contains(why, of.sign) {
			return of.remedy
		}
	}
	return other
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

// because says why a workload's pods do not get ready: the status of one that is not or, if all are ready, the last warning.
func because(ctx context.Context, client kubernetes.Interface, o awaited) string {
	pods := o.pods()
	if i := slices.IndexFunc(pods, func(p *corev1.Pod) bool { return !observe.Ready(p) }); i >= 0 {
		return fmt.Sprintf(": pod %s: %s", pods[i].Name, staging.PodStatus(*pods[i]))
	}
	if warning := staging.LastWarning(ctx, client, o.namespace(), ""); warning != "" {
		return ": " + warning
	}
	return ""
}
