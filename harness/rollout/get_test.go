package rollout

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The columns that kubectl get prints are read, without those of -o wide and the ages.
func TestGet(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked := r.Header.Get("Accept"); asked != asTable || r.URL.Path != "/apis/apps/v1/namespaces/shop/replicasets" {
			t.Errorf("%s was asked for as %s", r.URL.Path, asked)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name","priority":0},{"name":"Desired"},
			{"name":"Ready"},{"name":"Age"},{"name":"Images","priority":1}],
			"rows":[{"cells":["echo-5c8d",0,0,"12s","echo:v1"]},{"cells":["echo-77fb",3,1,"3s","echo:v2"]}]}`)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	columns, rows, err := Get(t.Context(), client.AppsV1().RESTClient(), "shop", "replicasets")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"NAME", "DESIRED", "READY"}, columns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"echo-5c8d", "0", "0"}, {"echo-77fb", "3", "1"}}, rows); diff != "" {
		t.Error(diff)
	}
}
