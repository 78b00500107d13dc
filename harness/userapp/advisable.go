package userapp

import (
	"cmp"
	"net/http"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/loadgen"
)

// advisable is what advice may change of a workload, and what names it. Images, environments and volumes are not the report's affair.
var advisable = [][]string{
	{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"},
	{"spec", "replicas"}, {"spec", "strategy"}, {"spec", "updateStrategy"},
	{"spec", "template", "spec", "terminationGracePeriodSeconds"},
}

var advisableInContainers = []string{"name", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}

// Advisable is a workload less what no advice is about; nil if it is not of apps/v1, whose kinds alone take a strategic merge patch.
func Advisable(workload map[string]any) map[string]any {
	if workload["apiVersion"] != appsv1.SchemeGroupVersion.String() {
		return nil
	}
	some := map[string]any{}
	for _, path := range advisable {
		value, has, _ := unstructured.NestedFieldCopy(workload, path...)
		if fields, is := value.(map[string]any); has && value != nil && (!is || len(fields) > 0) {
			_ = unstructured.SetNestedField(some, value, path...) // all before it are maps
		}
	}
	at := []string{"spec", "template", "spec", "containers"}
	containers, _, _ := unstructured.NestedSlice(workload, at...)
	for _, c := range containers {
		if fields, is := c.(map[string]any); is {
			for field := range fields {
				if !slices.Contains(advisableInContainers, field) {
					delete(fields, field)
				}
			}
		}
	}
	_ = unstructured.SetNestedSlice(some, containers, at...) // likewise
	return some
}

// Asked is how a kubelet asks a pod for what clients ask the Service for, as the handler of a probe. Of what it cannot ask for, such as
// anything but a GET, or with headers and certificates that nobody else may read, it is whether something listens.
func Asked(path string, port corev1.ServicePort, secure bool, by *loadgen.UserHTTP) map[string]any {
	target := TargetOf(port)
	var at any = int64(target.IntVal)
	if target.Type == intstr.String {
		at = target.StrVal
	}
	if cmp.Or(by.Method, http.MethodGet) != http.MethodGet || len(by.Headers) > 0 || by.TLS != nil && by.TLS.Certificate != nil ||
		slices.ContainsFunc(by.Status, func(s int) bool { return s >= http.StatusBadRequest }) { // a probe fails by those
		return map[string]any{"tcpSocket": map[string]any{"port": at}}
	}
	get := map[string]any{"path": path, "port": at}
	if secure {
		get["scheme"] = string(corev1.URISchemeHTTPS)
	}
	if by.Host != "" {
		get["httpHeaders"] = []any{map[string]any{"name": "Host", "value": by.Host}}
	}
	return map[string]any{"httpGet": get}
}
