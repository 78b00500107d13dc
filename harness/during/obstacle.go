package during

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

// obstacles finds out why clients of an existing app get no good reply.
type obstacles struct {
	client kubernetes.Interface
	to     *harness.Existing
	path   string // of requests to the Service
	speaks string // protocol of requests, in words
}

// An obstacle is why a client gets no good reply, and the remedy.
type obstacle struct{ met, remedy string }

// explain returns an error that says in one line why clients get no good reply.
func (o obstacles) explain(ctx context.Context, without []harness.Unanswered) error {
	thing := "url " + o.to.URL
	var met []obstacle
	var from [][]string // the nodes of each obstacle in met; nil: from outside
	for _, u := range without {
		if u.Pod == nil {
			found := hostObstacle(u.Last)
			found.met = fmt.Sprintf("asked for %s from here: %s", u.Target, found.met)
			met, from = append(met, found), append(from, nil)
			continue
		}
		thing = thingOf(o.to.Service)
		found := o.podObstacle(ctx, u)
		if i := slices.Index(met, found); i >= 0 {
			from[i] = append(from[i], u.Pod.Spec.NodeName)
			continue
		}
		met, from = append(met, found), append(from, []string{u.Pod.Spec.NodeName})
	}
	var reasons []string
	for i, m := range met {
		if len(from[i]) > 0 {
			m.met = fmt.Sprintf("asked for %s at port %d from a pod on %s: %s", o.path, fixtures.HTTPPort(o.to.Service).Port,
				strings.Join(from[i], " and on "), m.met)
		}
		reasons = append(reasons, m.met)
	}
	return usage.New(thing, strings.Join(reasons, "; "), met[0].remedy)
}

func thingOf(service *corev1.Service) string {
	return fmt.Sprintf("service %s/%s", service.Namespace, service.Name)
}

// forStatus returns the remedy for a status that is not good. An app that serves only its own host names replies to others with 400,
// as Django does (ALLOWED_HOSTS), or 421 (RFC 9110, 15.5.20). A redirect leads elsewhere.
func forStatus(status int) string {
	if status == http.StatusBadRequest || status == http.StatusMisdirectedRequest {
		return "name the host that it answers to with --host, or another path, or give --good-status"
	}
	if status >= 300 && status < 400 {
		return fmt.Sprintf("name the host and path that it leads to, or give --good-status=200-299,%d", status)
	}
	return "name another path, or give --good-status"
}

// hostObstacle returns the obstacle between this host and a URL.
func hostObstacle(last loadgen.NoReplyError) obstacle {
	if last.Status != 0 && !last.TLS && last.Unspoken == "" {
		return obstacle{statusOf(last), forStatus(last.Status)}
	}
	return urlObstacle(last)
}

func statusOf(last loadgen.NoReplyError) string {
	return fmt.Sprintf("status %d %s", last.Status, http.StatusText(last.Status))
}

// podObstacle returns the obstacle between a pod of ours and the Service.
func (o obstacles) podObstacle(ctx context.Context, u harness.Unanswered) obstacle {
	pods := o.ready(ctx)
	mesh := sidecar(pods)
	last := u.Last
	admit := fmt.Sprintf("let pods of namespace %s through to it", u.Pod.Namespace)
	switch unseen := last.Status == 0 && !last.Opened; {
	case mesh != "" && (last.TLS || last.Fault == evidence.Reset || last.Fault == evidence.Closed || last.Status == http.StatusForbidden):
		met := faultText(last)
		if last.Status != 0 {
			met = statusOf(last)
		}
		return obstacle{met + ": " + mesh + ", whose mesh may only accept mTLS",
			fmt.Sprintf("have the mesh take plain HTTP from namespace %s, or ask where it ends: --url", u.Pod.Namespace)}
	case last.TLS:
		return obstacle{"the port speaks TLS", "ask over it: --service=NAMESPACE/https:NAME:PORT"}
	case spokenObstacle(last).met != "":
		return spokenObstacle(last)
	case last.Status != 0:
		return obstacle{statusOf(last), forStatus(last.Status)}
	case unseen:
		policies, readable := o.policies(ctx)
		if names := keptOut(policies, pods, u.Pod.Namespace); names != "" {
			return obstacle{noConnection(last) + ": " + names, admit}
		}
		if last.Fault == evidence.Refused {
			return obstacle{"connection refused: " + o.unlistening(pods), "have the app listen there at the pod's address, or fix targetPort"}
		}
		such := "something drops it, such as a NetworkPolicy"
		if readable && len(pods) > 0 {
			such = "something drops it, and no NetworkPolicy of namespace " + o.to.Service.Namespace + " does"
		}
		return obstacle{noConnection(last) + ": " + such, admit}
	case last.Fault == evidence.Timeout:
		return obstacle{faultText(last), "name a path that is answered sooner"}
	case byFault[last.Fault].remedy == reach || byFault[last.Fault].met == "":
		return obstacle{faultText(last), "name a port of the Service that speaks " + o.speaks + ", or another --protocol"}
	default: // faults of TLS, and of the node
		return byFault[last.Fault]
	}
}

func noConnection(last loadgen.NoReplyError) string {
	if last.Fault == evidence.Timeout {
		return fmt.Sprintf("no connection in %v", loadgen.DefaultTimeout)
	}
	return faultText(last)
}

// ready returns the ready pods behind the Service, or nil if we may not read them.
func (o obstacles) ready(ctx context.Context) []corev1.Pod {
	if o.to.Pods == nil {
		return nil
	}
	pods, err := (&userApp{client: o.client, namespace: o.to.Pods.Namespace, selector: o.to.Pods.Selector}).pods(ctx)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(pods, func(p corev1.Pod) bool { return !observe.Ready(&p) })
}

// unlistening says on which port of the pods nothing listens. A pod without a port of the targetPort's name is not an endpoint.
func (o obstacles) unlistening(pods []corev1.Pod) string {
	target := fixtures.HTTPPort(o.to.Service).TargetPort
	for _, pod := range pods {
		if port := userapp.PortNumber(pod.Spec, target); port != 0 {
			return fmt.Sprintf("nothing listens on port %d of pod %s, which is targetPort %s", port, pod.Name, target.String())
		}
	}
	return fmt.Sprintf("no app listens on targetPort %s, or no endpoint is ready", target.String())
}

// meshes are the container names of the proxies that service meshes inject.
var meshes = []string{"istio-proxy", "linkerd-proxy", "kuma-sidecar", "consul-dataplane"}

// sidecar says which pod has the proxy of a mesh; empty if none does.
func sidecar(pods []corev1.Pod) string {
	for _, pod := range pods {
		for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
			if slices.Contains(meshes, c.Name) {
				return fmt.Sprintf("pod %s has the sidecar %s", pod.Name, c.Name)
			}
		}
	}
	return ""
}

// policies lists the NetworkPolicies of the Service's namespace; readable is false if we may not.
func (o obstacles) policies(ctx context.Context) (list []networkingv1.NetworkPolicy, readable bool) {
	found, err := o.client.NetworkingV1().NetworkPolicies(o.to.Service.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, false
	}
	return found.Items, true
}

// keptOut says which policies select one of the app's pods, and so may keep ours from it; empty if none does, or one admits everybody.
// Traffic that one policy admits is admitted, and a pod that no policy selects admits everybody (networking/v1, types.go).
func keptOut(policies []networkingv1.NetworkPolicy, pods []corev1.Pod, from string) string {
	for _, pod := range pods {
		var names []string
		for _, p := range policies {
			ingress := len(p.Spec.PolicyTypes) == 0 || slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeIngress)
			selector, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
			switch {
			case err != nil || !ingress || !selector.Matches(labels.Set(pod.Labels)):
			case slices.ContainsFunc(p.Spec.Ingress, everybody):
				return ""
			default:
				names = append(names, p.Name)
			}
		}
		if len(names) > 0 {
			return fmt.Sprintf("NetworkPolicy %s selects pod %s, and may keep out pods of namespace %s", strings.Join(names, " and "),
				pod.Name, from)
		}
	}
	return ""
}

func everybody(r networkingv1.NetworkPolicyIngressRule) bool {
	return len(r.From) == 0 && len(r.Ports) == 0
}
