package userapp

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/loadgen"
)

// advisable lists the fields of a workload that advice may change, and those that name it. The report must not have images, environments
// and volumes; secrets in probes and hooks are withheld.
var advisable = [][]string{
	{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"},
	{"spec", "replicas"}, {"spec", "strategy"}, {"spec", "updateStrategy"},
	{"spec", "template", "spec", "terminationGracePeriodSeconds"},
}

// advisableInContainers lists the same of containers; the restart policy tells a native sidecar.
var advisableInContainers = []string{"name", "lifecycle", "livenessProbe", "readinessProbe", "restartPolicy", "startupProbe"}

// Advisable returns a copy of a workload with only the fields that advice needs, and of init containers only native sidecars. It is nil for
// a kind outside apps/v1, which takes no strategic merge patch.
func Advisable(workload map[string]any) map[string]any {
	if workload["apiVersion"] != appsv1.SchemeGroupVersion.String() {
		return nil
	}
	some := map[string]any{}
	for _, path := range advisable {
		value, has, _ := unstructured.NestedFieldCopy(workload, path...)
		if fields, is := value.(map[string]any); has && value != nil && (!is || len(fields) > 0) {
			_ = unstructured.SetNestedField(some, value, path...) // cannot fail: all parents are maps
		}
	}
	for _, list := range []string{"containers", "initContainers"} {
		at := []string{"spec", "template", "spec", list}
		containers, _, _ := unstructured.NestedSlice(workload, at...)
		containers = slices.DeleteFunc(containers, func(c any) bool {
			fields, is := c.(map[string]any)
			maps.DeleteFunc(fields, func(field string, _ any) bool { return !slices.Contains(advisableInContainers, field) })
			return !is || list == "initContainers" && fields["restartPolicy"] != string(corev1.ContainerRestartPolicyAlways)
		})
		if len(containers) > 0 {
			_ = unstructured.SetNestedSlice(some, containers, at...) // cannot fail either
		}
	}
	secret.Object(some)
	return some
}

// ProbeHandler returns the handler of a probe by which a kubelet sends a pod the same request as clients send the Service. It is a TCP
// probe for requests that a kubelet cannot send (other methods than GET) or must not (headers and certificates, which would be in the
// manifest).
func ProbeHandler(path string, port corev1.ServicePort, secure bool, by *loadgen.UserHTTP) map[string]any {
	target := TargetOf(port)
	var at any = int64(target.IntVal)
	if target.Type == intstr.String {
		at = target.StrVal
	}
	if cmp.Or(by.Method, http.MethodGet) != http.MethodGet || len(by.Headers) > 0 || by.TLS != nil && by.TLS.Certificate != nil ||
		slices.ContainsFunc(by.Status, func(s int) bool { return s >= http.StatusBadRequest }) { // with which a probe fails
		return map[string]any{"tcpSocket": map[string]any{"port": at}}
	}
	get := map[string]any{"path": secret.Query(path), "port": at}
	if secure {
		get["scheme"] = string(corev1.URISchemeHTTPS)
	}
	if by.Host != "" {
		get["httpHeaders"] = []any{map[string]any{"name": "Host", "value": by.Host}}
	}
	return map[string]any{"httpGet": get}
}
