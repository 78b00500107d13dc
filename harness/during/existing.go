package during

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// parseService parses --service, which needs a namespace.
func parseService(text string) (userapp.ServiceName, error) {
	s, ok := userapp.ParseServiceName(text)
	if !ok || s.Namespace == "" {
		return s, usage.New("--service="+secret.Query(text), "it does not name a namespace and a Service",
			"write it like shop/web, shop/web:8080 or shop/web:http/healthz")
	}
	s.Path = cmp.Or(s.Path, "/")
	return s, userapp.CheckPath("--service", text, asHeader)
}

// findService returns the Service from the cluster, with the named port alone, and its other ports.
func findService(ctx context.Context, client kubernetes.Interface, s userapp.ServiceName) (
	found *corev1.Service, others []corev1.ServicePort, err error) {
	thing := fmt.Sprintf("service %s/%s", s.Namespace, s.Name)
	service, err := client.CoreV1().Services(s.Namespace).Get(ctx, s.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return nil, nil, usage.New(thing, usage.OneLine(err), "choose one that you may read: kubectl get services -n "+s.Namespace+" shows them")
	case service.Spec.ClusterIP == corev1.ClusterIPNone || service.Spec.ClusterIP == "":
		return nil, nil, usage.New(thing, "it has no ClusterIP: its clients choose pods themselves", "name another, or ask from outside: --url")
	}
	port := s.Of(service)
	if port == nil {
		return nil, nil, usage.New(thing, "it has no port "+s.Port, "choose one of: "+userapp.PortsText(service.Spec.Ports))
	}
	found = service.DeepCopy()
	found.Spec.Ports = []corev1.ServicePort{*port}
	others = slices.DeleteFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == found.Spec.Ports[0].Name })
	return found, others, nil
}

// existing returns the scenario with requests to an existing app, if the options name one.
func (a settings) existing(ctx context.Context, client kubernetes.Interface, s harness.Scenario) (harness.Scenario, error) {
	if a.service == nil && a.url == "" {
		return s, nil
	}
	to := &harness.Existing{URL: a.url, Address: a.connectTo, Control: a.control, Proxy: a.proxy}
	stands := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"}} // has only a name, for a URL without a Service
	path := ""
	if a.service != nil {
		var err error
		if to.Service, to.NotAsked, err = findService(ctx, client, *a.service); err != nil {
			return s, err
		}
		s.Limits = slices.Concat(s.Limits, portsNotAsked(to.Service, to.NotAsked, nil), familiesNotAsked(to.Service))
		stands, path, to.Secure = to.Service, a.service.Path, a.service.Secure()
	}
	s.App.Name = stands.Name // which replies of the control pods name too
	load := s.UnderLoad()
	load.Existing, load.UserApp = to, userapp.Existing(path, a.http, evidence.UserApp{})
	load.Protocol, load.Streams = a.by(), a.streams
	load.Rollout = rollout.Untouched(harness.OldVersion, stands)
	s.Kind = load
	return s, nil
}
