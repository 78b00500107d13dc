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

// progressDeadline is how long a rollout may make no progress if its manifest does not say (apps/v1, defaults.go, progressDeadlineSeconds).
const progressDeadline = 10 * time.Minute

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
	standstill *during.Standstill
}

// awaitReady waits until all workloads that were created have rolled out. It returns an error if the app's cannot; another one that
// cannot is reported, and no longer waited for.
func (t *target) awaitReady(ctx context.Context, client kubernetes.Interface, a *App) error {
	var pending []awaited
	for _, o := range t.created {
		if template, has := templateOf(o); has && o.GetKind() != "Job" {
			pending = append(pending, awaited{o, during.NewStandstill(ctx, client, o.namespace(),
				labels.SelectorFromSet(template.Labels), o.GetName())})
		}
	}
	began := time.Now()
	var said time.Time
	return poll.Until(ctx, time.Second, func() (bool, error) {
		look := time.Since(said) >= sayEvery
		var lack []string
		var failed error
		pending = slices.DeleteFunc(pending, func(o awaited) bool {
			lacks, why := t.lacks(ctx, client, o.Object), ""
			if lacks == "" {
				return true
			}
			if look {
				why = o.standstill.Because(ctx)
			}
			if why == "" && time.Since(began) >= deadlineOf(o.Object) {
				why = fmt.Sprintf("%s after %v%s", lacks, deadlineOf(o.Object), because(ctx, client, o.Object))
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
func (t *target) lacks(ctx context.Context, client kubernetes.Interface, o Object) string {
	api, err := t.api(o)
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
	pods, err := podsOf(ctx, client, o)
	if err == nil && slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil }) {
		return "has pods that are terminating"
	}
	return ""
}

func podsOf(ctx context.Context, client kubernetes.Interface, o Object) ([]corev1.Pod, error) {
	template, _ := templateOf(o)
	pods, err := client.CoreV1().Pods(o.namespace()).List(ctx, metav1.ListOptions{
		LabelSelector: labels.SelectorFromSet(template.Labels).String()})
	if err != nil {
		return nil, err
	}
	return pods.Items, nil
}

// because says why a workload's pods do not get ready: the status of one that is not or, if all are ready, the last warning.
func because(ctx context.Context, client kubernetes.Interface, o Object) string {
	pods, err := podsOf(ctx, client, o)
	if err != nil {
		return ""
	}
	if i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return !observe.Ready(&p) }); i >= 0 {
		return fmt.Sprintf(": pod %s: %s", pods[i].Name, staging.PodStatus(pods[i]))
	}
	if warning := staging.LastWarning(ctx, client, o.namespace(), ""); warning != "" {
		return ": " + warning
	}
	return ""
}
