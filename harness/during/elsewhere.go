package during

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/usage"
	"rollcall/harness/userapp"
)

// A serviceName names a Service of a cluster, one of its ports and what is asked for there.
type serviceName struct {
	userapp.ServiceName
	namespace, path string
}

// parseService reads what is written as namespace/, what [userapp.ParseServiceName] reads, and /path.
func parseService(text string) (s serviceName, err error) {
	namespace, rest, _ := strings.Cut(text, "/")
	name, path, _ := strings.Cut(rest, "/")
	service, ok := userapp.ParseServiceName(name)
	if !ok || namespace == "" {
		return s, usage.New("service "+text, "it names no Service", "write it like shop/web, shop/web:8080 or shop/web:http/healthz")
	}
	return serviceName{service, namespace, "/" + path}, nil
}

// find is the Service as it is in the cluster, with the named port as its first.
func (s serviceName) find(ctx context.Context, client kubernetes.Interface) (*corev1.Service, error) {
	thing := fmt.Sprintf("service %s/%s", s.namespace, s.Name)
	service, err := client.CoreV1().Services(s.namespace).Get(ctx, s.Name, metav1.GetOptions{})
	switch {
	case err != nil:
		return nil, usage.New(thing, usage.OneLine(err), "name one that is there and that we may get")
	case service.Spec.ClusterIP == corev1.ClusterIPNone || service.Spec.ClusterIP == "":
		return nil, usage.New(thing, "it has no ClusterIP: its clients choose pods themselves", "name another, or ask from outside: --url")
	}
	port := s.Of(service)
	if port == nil {
		return nil, usage.New(thing, "it has no port "+s.Port, "name one of its own")
	}
	found := service.DeepCopy()
	found.Spec.Ports = []corev1.ServicePort{*port}
	return found, nil
}

// elsewhere has the scenario ask an app that is there already, where the options name one.
func (a asked) elsewhere(ctx context.Context, client kubernetes.Interface, s harness.Scenario) (harness.Scenario, error) {
	if a.service == nil && a.url == "" {
		return s, nil
	}
	to := &harness.Elsewhere{URL: a.url, Address: a.connectTo, Proxy: a.proxy}
	stands := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"}} // for whoever wants the name of one
	path := ""
	if a.service != nil {
		var err error
		if to.Service, err = a.service.find(ctx, client); err != nil {
			return s, err
		}
		stands, path, to.Secure = to.Service, a.service.path, a.service.Secure
	}
	s.App.Name = stands.Name // which the control pods name, as all do that lanes ask
	s.Elsewhere, s.UserApp, s.Rollout = to, userapp.Elsewhere(path, a.http, evidence.UserApp{}), rollout.There(harness.OldVersion, stands)
	return s, nil
}
