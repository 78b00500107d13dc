package staging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/loadgen"
)

// TryApp deploys the old version of the user's app as scenarios do, sends it requests until one succeeds, and deletes it again. It
// returns an error of one line if the app does not get ready, or its reply does not name the version as the file says.
func (p Preflight) TryApp(ctx context.Context) error {
	if p.App == nil {
		return nil
	}
	fmt.Fprintf(p.Out, "trying %s of %s\n", p.App.Name(), p.AppFile)
	return p.inNamespace(ctx, p.App.PodSecurity(), func(ctx context.Context, lease namespace.Lease) error {
		to := fixtures.Destination{Namespace: lease.Name, Run: lease.Run}
		service, err := p.App.Update().Deploy(ctx, p.Cluster.Client(), to, fixtures.App{}, 0)
		if err != nil {
			return usage.New("--app="+p.AppFile, usage.OneLine(err), "fix its manifests")
		}
		pod, err := p.awaitApp(ctx, lease.Name)
		if err != nil {
			return err
		}
		return p.askApp(ctx, service, pod)
	})
}

// awaitApp waits until as many pods of the app are ready as its manifest asks for, and returns one of them. The error says why
// they do not get ready.
func (p Preflight) awaitApp(ctx context.Context, namespace string) (ready *corev1.Pod, err error) {
	old, _ := p.App.Update().Versions()
	which := userapp.VersionLabel + "=" + old
	ready, because, err := awaitReady(ctx, p.Cluster.Client(), namespace, which, max(1, p.App.Facts().Replicas), appTimeout)
	if because == "" {
		return ready, err
	}
	if warning := LastWarning(context.WithoutCancel(ctx), p.Cluster.Client(), namespace, ""); warning != "" {
		because += "; " + warning
	}
	return nil, usage.New("--app="+p.AppFile, fmt.Sprintf("%s does not get ready as version %s: %s", p.App.Name(), old, because),
		"see that its manifests work without anything else in a namespace of their own, and that podSecurity says what they need")
}

// LastWarning returns the newest warning event of a namespace, about the named object or, with an empty name, about any. It is empty
// if there is none or we have no right to see it.
func LastWarning(ctx context.Context, client kubernetes.Interface, namespace, name string) (warning string) {
	which := fields.Set{"type": corev1.EventTypeWarning}
	if name != "" {
		which["involvedObject.name"] = name
	}
	events, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: which.String()})
	if err != nil {
		return ""
	}
	var last time.Time
	for _, e := range events.Items {
		if at := e.CreationTimestamp.Time; !at.Before(last) {
			last, warning = at, e.Reason+": "+phrase.Printable(secret.URLs(e.Message))
		}
	}
	return warning
}

// askApp returns an error if the app does not answer, or names another version than the one that was deployed.
func (p Preflight) askApp(ctx context.Context, service *corev1.Service, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	base, address := p.Cluster.Door().Given, ""
	if base == "" {
		forward, err := p.Cluster.Forward(ctx, pod.Namespace, pod.Name, PortOf(service, pod))
		if err != nil {
			return err
		}
		defer forward.Close()
		base = forward.URL
		if p.App.Secure() {
			base, address = userapp.SecureURL(service), strings.TrimPrefix(forward.URL, "http://")
		}
	}
	return p.ask(ctx, service, strings.TrimSuffix(base, "/")+p.App.Path(), address)
}

// ask sends requests for a URL of the app until one succeeds. They go to address instead of the URL's host, unless it is empty.
func (p Preflight) ask(ctx context.Context, service *corev1.Service, url, address string) error {
	old, _ := p.App.Update().Versions()
	var named string
	var last error
	err := poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		named, last = p.App.HTTP().AskPatiently(url, address)
		return last == nil, nil
	})
	switch {
	case err != nil && last != nil:
		why := strings.TrimPrefix(usage.OneLine(last), "loadgen: ask "+url+": ")
		none := (*loadgen.NoReplyError)(nil)
		if p.Cluster.Door().Given == "" && errors.As(last, &none) && (none.TLS || none.Status == 0 && none.Fault != evidence.WrongServer) {
			return p.refusePort(service, none, why)
		}
		return usage.New("--app="+p.AppFile, fmt.Sprintf("asked for %s, and %s", p.App.Path(), why),
			"fix request or reply: what is asked for, what a good reply is, and where its version stands")
	case err != nil:
		return err
	case named != "" && named != old:
		return usage.New("--app="+p.AppFile, fmt.Sprintf("the reply of what was deployed as %q says %q", old, named),
			"spell old.name and new.name as replies do, or fix where the version stands")
	}
	return nil
}

// refusePort returns the usage error for a port that gives no reply over HTTP. It names the Service's other ports.
func (p Preflight) refusePort(service *corev1.Service, none *loadgen.NoReplyError, why string) error {
	port := fixtures.HTTPPort(service)
	reason := fmt.Sprintf("port %s of Service %s gives no reply over HTTP: %s", userapp.PortText(*port), service.Name, why)
	remedy := "have it answer there over HTTP"
	switch others := slices.DeleteFunc(slices.Clone(service.Spec.Ports), func(o corev1.ServicePort) bool { return o.Port == port.Port }); {
	case none.TLS:
		reason = fmt.Sprintf("port %s of Service %s speaks TLS", userapp.PortText(*port), service.Name)
		remedy = fmt.Sprintf("ask over it: service: https:%s:%d", service.Name, port.Port)
	case len(others) > 0:
		reason += "; it also has " + userapp.PortsText(others)
		remedy = fmt.Sprintf("name the one of HTTP: service: %s:PORT", service.Name)
	}
	return usage.New("--app="+p.AppFile, reason, remedy)
}

// PortOf returns the pod's port to which the HTTP port of its Service leads.
func PortOf(service *corev1.Service, pod *corev1.Pod) int {
	port := fixtures.HTTPPort(service)
	return int(cmp.Or(userapp.PortNumber(pod.Spec, userapp.TargetOf(*port)), port.Port))
}
