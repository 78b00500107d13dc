package wait

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/cluster/attached"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// Run returns when only ready pods of the current revision of the workload behind a Service are its endpoints, and no other pod of the
// workload runs. It prints what it waits for. An error is a [usage.Error] for bad input.
func Run(ctx context.Context, out io.Writer, o Options) error {
	r, err := o.request()
	if err != nil {
		return err
	}
	api, namespace, err := attached.Reader(r.cluster)
	if err != nil {
		return err
	}
	if r.service.Namespace == "" {
		r.service.Namespace = namespace
	}
	w := waiter{client: api.Client(), namespace: r.service.Namespace, service: r.service.Name, out: out, begun: time.Now()}
	first, err := w.first(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("not over after %v", r.timeout))
	defer cancel()
	if o.ForChange {
		w.known = first.revision
	}
	return w.wait(ctx, r.timeout)
}

// A waiter waits for what is behind a Service.
type waiter struct {
	client             kubernetes.Interface
	namespace, service string
	known              string // the revision that is not waited for; empty: any is
	out                io.Writer
	begun              time.Time
}

func (w waiter) thing() string { return fmt.Sprintf("service %s/%s", w.namespace, w.service) }

// first returns what the API server has before the wait, or the error for a Service that cannot be waited for.
func (w waiter) first(ctx context.Context) (view, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askTimeout, fmt.Errorf("no answer in %v", askTimeout))
	defer cancel()
	v, err := w.look(ctx)
	switch {
	case err == nil, usage.Is(err):
		return v, err
	case apierrors.IsNotFound(err):
		return v, usage.New(w.thing(), usage.OneLine(err), "kubectl get services -n "+w.namespace+" shows which there are")
	case apierrors.IsForbidden(err):
		return v, usage.New(w.thing(), usage.OneLine(err), "have the rights granted: rollcall wait --service="+w.namespace+"/"+w.service+
			" --print-rights")
	default:
		return v, usage.New(w.thing(), "the API server did not answer: "+usage.OneLine(err), "check the network and --context")
	}
}

// between is the time between two looks, or ten times as long as a look takes: our own choice.
const between = 500 * time.Millisecond

func (w waiter) wait(ctx context.Context, limit time.Duration) error {
	said, last := "", ""
	for {
		began := time.Now()
		v, lacks, err := w.lacks(ctx)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: %w", w.thing(), err)
		}
		if len(lacks) == 0 && ctx.Err() == nil {
			return w.printEnd(v)
		}
		if ctx.Err() == nil {
			last = strings.Join(lacks, "; ")
		}
		if last != said {
			said = last
			fmt.Fprintf(w.out, "%s of %v: %s\n", phrase.Duration(time.Since(w.begun)), limit, phrase.Cut(said, 100))
		}
		if poll.Pause(ctx, max(between, 10*time.Since(began))); ctx.Err() != nil {
			return fmt.Errorf("%s: %w: %s", w.thing(), context.Cause(ctx), said)
		}
	}
}

// lacks looks, and lists what there is still to wait for.
func (w waiter) lacks(ctx context.Context) (view, []string, error) {
	v, err := w.look(ctx)
	if err != nil { // it may be another the next time
		return v, []string{usage.OneLine(err)}, nil
	}
	if w.known != "" && (v.revision == w.known || v.revision == "") {
		return v, []string{fmt.Sprintf("%s has no revision after %s yet", v, w.known)}, nil
	}
	list, err := v.lacks()
	return v, list, err
}

func (w waiter) printEnd(v view) error {
	_, err := fmt.Fprintf(w.out, "%s: behind it are only ready pods of %s, revision %s: %d, after %s\n"+
		"no other pod of it runs; nodes' rules, which were not read, follow within about a second\n",
		w.thing(), v, v.revision, len(v.pods), phrase.Duration(time.Since(w.begun)))
	return err
}

// look asks the API server what it has now. It returns a usage error if the Service has not one workload.
func (w waiter) look(ctx context.Context) (v view, err error) {
	service, err := w.client.CoreV1().Services(w.namespace).Get(ctx, w.service, metav1.GetOptions{})
	if err != nil {
		return v, err
	}
	if len(service.Spec.Selector) == 0 {
		return v, usage.New(w.thing(), "it has no selector, so that it leads to no workload", "name one that has")
	}
	v.selector = labels.SelectorFromSet(service.Spec.Selector)
	all, err := appsReader{w.client.AppsV1(), w.namespace}.workloads(ctx)
	if err != nil {
		return v, err
	}
	selected, err := w.podsOf(ctx, v.selector)
	if err != nil {
		return v, err
	}
	if v.workload, err = w.only(behind(v.selector, all, selected)); err != nil {
		return v, err
	}
	if v.pods, err = w.podsOf(ctx, v.workload.selector); err != nil {
		return v, err
	}
	list, err := w.client.DiscoveryV1().EndpointSlices(w.namespace).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + w.service})
	if err != nil {
		return v, err
	}
	for _, slice := range list.Items {
		v.endpoints = append(v.endpoints, slice.Endpoints...)
	}
	return v, nil
}

// podsOf lists the pods that a selector selects and that run, or will.
func (w waiter) podsOf(ctx context.Context, selector labels.Selector) ([]corev1.Pod, error) {
	list, err := w.client.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(p corev1.Pod) bool {
		return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	}), nil
}

// only returns the only one of the workloads.
func (w waiter) only(all []workload) (workload, error) {
	var names []string
	for _, one := range all {
		names = append(names, one.String())
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return workload{}, usage.New(w.thing(), "no Deployment, StatefulSet or DaemonSet has pods that its selector selects",
			"apply the workload first, or correct the selector")
	default:
		return workload{}, usage.New(w.thing(), "it leads to pods of "+strings.Join(names, " and "), "name a Service of one of them")
	}
}
