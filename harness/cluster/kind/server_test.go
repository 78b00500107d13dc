package kind

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveNothingOf starts an API server that knows the kinds of metrics-server's manifest but has no objects, and returns its URL.
func serveNothingOf(t *testing.T) string {
	t.Helper()
	kinds := map[string][]string{
		"v1":                           {"ServiceAccount", "Service"},
		"apps/v1":                      {"Deployment"},
		"rbac.authorization.k8s.io/v1": {"ClusterRole", "ClusterRoleBinding", "RoleBinding"},
		"apiregistration.k8s.io/v1":    {"APIService"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		version := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		var answer any = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		if list, known := kinds[version]; known {
			resources := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version}
			for _, kind := range list {
				namespaced := !strings.HasPrefix(kind, "Cluster") && kind != "APIService"
				resources.APIResources = append(resources.APIResources, metav1.APIResource{
					Name: strings.ToLower(kind) + "s", Kind: kind, Namespaced: namespaced, Verbs: metav1.Verbs{"get", "delete"}})
			}
			answer = resources
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
