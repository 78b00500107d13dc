package during

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// chooseImages has nodes get the images of clients that send RPCs, if the app may be asked so. On a cluster that is there the Service says
// it now, before anything is created; on one that we make or kept it is read later, and nodes get all images.
func (a *settings) chooseImages() error {
	if there := a.plan.Target; there != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
		defer cancel()
		if err := a.findProtocol(ctx, there.Client()); err != nil {
			return err
		}
	}
	o := &a.plan.Options
	o.RPCs = a.by().RPC() || a.service != nil && a.protocol == ""
	return a.because(o.CheckImages(o.RPCs))
}

// findProtocol finds out by what the Service is asked, unless an option says it.
func (a *settings) findProtocol(ctx context.Context, client kubernetes.Interface) error {
	if a.service == nil || a.protocol != "" {
		return nil
	}
	service, _, err := findService(ctx, client, *a.service)
	if err != nil {
		return err
	}
	found, err := spokenAt(ctx, client, service)
	if err != nil {
		return err
	}
	if found.IsHTTP() {
		a.protocol = userapp.HTTP
		return nil
	}
	says := found.Says(*service, *fixtures.HTTPPort(service))
	if err := CheckSpoken(thingOf(service), found.Protocol, says); err != nil {
		return err
	}
	o := a.given
	o.Request.Protocol = found.Protocol
	err = a.readAsking(&o)
	a.says = says
	return a.because(err)
}

// because returns an error with what led to it, if that is what the Service's port says.
func (a asking) because(err error) error {
	if err == nil || a.says == "" {
		return err
	}
	return fmt.Errorf("%s: %w", a.says, err)
}

// spokenAt returns what the only port of a Service speaks, as the Service says, or a probe of its pods if we may read them.
func spokenAt(ctx context.Context, client kubernetes.Interface, service *corev1.Service) (userapp.Spoken, error) {
	port := *fixtures.HTTPPort(service)
	said := userapp.SpokenAt(port, nil)
	if len(service.Spec.Selector) == 0 {
		return said, nil
	}
	selected := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(service.Spec.Selector).String()}
	pods, err := client.CoreV1().Pods(service.Namespace).List(ctx, selected)
	if apierrors.IsForbidden(err) {
		return said, nil
	}
	if err != nil {
		return said, usage.New(thingOf(service), "its pods are not listed: "+usage.OneLine(err), "see that kubectl get pods works")
	}
	for _, pod := range pods.Items {
		if probed := userapp.SpokenAt(port, &pod.Spec); probed != said {
			return probed, nil
		}
	}
	return said, nil
}

// spoken reports whether this build has clients that speak a protocol.
func spoken(name string) bool { return len(evidence.KindsOf(evidence.ProtocolNamed(name))) > 0 }

// CheckSpoken returns an error for a Service whose port speaks what no client of this build does, as says says.
func CheckSpoken(service, protocol, says string) error {
	if spoken(protocol) {
		return nil
	}
	return usage.New(service, says+", which no client of this build speaks",
		"name another port, or ask it over HTTP all the same: --protocol=http")
}
