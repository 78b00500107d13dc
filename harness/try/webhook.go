package try

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/usage"
)

// A webhook is an admission webhook of the manifests, which the API server calls through a Service.
type webhook struct {
	name    string
	service string            // as NAMESPACE/NAME
	pods    []manifest.Object // workloads that the Service leads to; empty: the manifests have none
}

func (w webhook) String() string { return fmt.Sprintf("webhook %s of Service %s", w.name, w.service) }

// webhooksOf returns the webhooks of manifests.
func webhooksOf(objects []manifest.Object) (all []webhook) {
	for _, o := range objects {
		var c admissionv1.ValidatingWebhookConfiguration // that of mutating ones has the same fields, and more
		if o.GroupVersionKind().Group != admissionv1.GroupName || runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &c) != nil {
			continue
		}
		for _, hook := range c.Webhooks {
			if of := hook.ClientConfig.Service; of != nil {
				all = append(all, webhook{hook.Name, of.Namespace + "/" + of.Name, podsBehind(objects, of.Namespace, of.Name)})
			}
		}
	}
	return all
}

// podsBehind returns the workloads whose pods a Service leads to.
func podsBehind(objects []manifest.Object, namespace, name string) (all []manifest.Object) {
	for _, o := range objects {
		if service, is := manifest.ServiceOf(o); is && service.Namespace == namespace && service.Name == name {
			all = append(all, behindOf(objects, service).workloads...)
		}
	}
	return all
}

// caller returns the webhook that could not be called, which an error of the API server names (apiserver v0.37,
// pkg/util/webhook/error.go); nil if it is about something else, or about a webhook that is none of these.
func caller(webhooks []webhook, err error) *webhook {
	for _, w := range webhooks {
		if err != nil && strings.Contains(err.Error(), fmt.Sprintf("failed calling webhook %q", w.name)) {
			return &w
		}
	}
	return nil
}

// A heldBack is an object that a webhook refuses as long as its pods do not answer.
type heldBack struct {
	manifest.Object
	by     webhook
	create func(context.Context) error
	err    error // of the last try
}

// createHeldBack creates objects once the pods of their webhooks answer. It returns an error if these cannot get ready in the time that
// their manifests allow, or do not answer even then.
func (t *target) createHeldBack(ctx context.Context, webhooks []webhook, held []heldBack) error {
	if len(held) == 0 {
		return nil
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	pods := t.awaited(watching, t.kube, nil)
	began := time.Now()
	ready, said := map[string]time.Time{}, time.Time{}
	return poll.Until(ctx, time.Second, func() (bool, error) {
		left := held[:0]
		for _, h := range held {
			if h.err = h.create(ctx); h.err == nil {
				continue
			}
			if now := caller(webhooks, h.err); now == nil {
				return false, t.refused(h.Object, h.err)
			} else if h.by = *now; len(h.by.pods) == 0 {
				return false, t.heldForGood(h, "no manifest has its pods")
			}
			left = append(left, h)
		}
		if held = left; len(held) == 0 {
			return true, nil
		}
		look := time.Since(said) >= sayEvery
		for _, h := range held {
			lacks, obstacle := t.lacksPods(ctx, pods, h.by, look)
			switch {
			case obstacle.ForGood:
				return false, t.heldForGood(h, obstacle.String())
			case lacks != "" && time.Since(began) >= deadlineOf(h.by.pods[0]):
				return false, t.heldForGood(h, fmt.Sprintf("%s after %v", lacks, deadlineOf(h.by.pods[0])))
			case lacks != "":
				delete(ready, h.by.name)
			case ready[h.by.name].IsZero():
				ready[h.by.name] = time.Now()
			case time.Since(ready[h.by.name]) >= webhookTimeout:
				return false, t.heldForGood(h, fmt.Sprintf("its pods have been ready for %v", webhookTimeout))
			}
		}
		if look {
			said = time.Now()
			t.say(waitingFor(held, time.Since(began)))
		}
		return false, nil
	})
}

// lacksPods says what the workloads of a webhook still have to do, and with look what is in their way.
func (t *target) lacksPods(ctx context.Context, all []awaited, of webhook, look bool) (lacks string, met standstill.Obstacle) {
	for _, o := range all {
		if !slices.ContainsFunc(of.pods, o.Same) {
			continue
		}
		text := t.lacks(ctx, o)
		if text == "" {
			continue
		}
		lacks = fmt.Sprintf("%s %s", o, text)
		if look {
			if met = o.standstill.Look(); met.ForGood {
				return lacks, met
			}
		}
	}
	return lacks, met
}

// heldForGood returns the error about an object whose webhook is not called any more.
func (t *target) heldForGood(h heldBack, because string) error {
	return usage.New(fmt.Sprintf("%s (%s)", h.Object, h.At), fmt.Sprintf("%s refuses it, and %s: %s", h.by, because, usage.OneLine(h.err)),
		"have the pods of Service "+h.by.service+" answer")
}

// waitingFor says which webhook is waited for, and what it holds back.
func waitingFor(held []heldBack, since time.Duration) string {
	var names []manifest.Object
	for _, h := range held {
		names = append(names, h.Object)
	}
	return fmt.Sprintf("waiting for %s, for %v: until its pods answer it refuses %s", held[0].by, since.Round(time.Second), listed(names))
}

// awaitsWebhook reports whether pods of a workload are refused by a webhook whose own pods are still waited for.
func (t *target) awaitsWebhook(o awaited, pending []awaited, met standstill.Obstacle) bool {
	by := caller(webhooksOf(t.created), errors.New(met.Message))
	return by != nil && slices.ContainsFunc(pending, func(other awaited) bool {
		return !other.Same(o.Object) && slices.ContainsFunc(by.pods, other.Same)
	})
}

// pastWebhooks writes to an object, again where a webhook of this try does not answer for a moment.
func (t *target) pastWebhooks(ctx context.Context, write func() error) error {
	began, webhooks := time.Now(), webhooksOf(t.created)
	var last error
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		last = write()
		return caller(webhooks, last) == nil || time.Since(began) >= webhookTimeout, nil
	})
	if err != nil {
		return err
	}
	return last
}
