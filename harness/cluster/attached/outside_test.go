package attached

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
)

func TestFindRoute(t *testing.T) {
	const given, nodePort = "http://shop.example.com/", "http://10.0.0.2:30123/"
	for _, row := range []struct {
		sentence string
		options  Options
		answers  string // the URL that gives a reply
		url      string // of the Service
		closed   string // why there is no way to the Service
		refused  bool
		before   int32 // NodePort of the door before FindRoute
	}{
		{"the address of a node that answers", Options{}, nodePort, nodePort, "", false, fixtures.AnyNodePort},
		{"nothing where no node answers", Options{}, "", "",
			"no NodePort of 2 nodes can be reached from here: --outside-url=URL names another way", false, fixtures.AnyNodePort},
		{"the URL that was given", Options{OutsideURL: given}, given, given, "", false, 0},
		{"a URL that does not lead to the Service is an error", Options{OutsideURL: given}, nodePort, given, "", true, 0},
		{"nothing, since it was not wanted", Options{OutsideURL: NoOutside}, nodePort, "",
			"it was not wanted: --outside-url=none", false, 0},
		{"nothing from a pod of the cluster", Options{Context: InCluster}, nodePort, "",
			"this is a pod of the cluster itself", false, fixtures.AnyNodePort},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset()
				for name, address := range map[string]string{"a": "10.0.0.1", "b": "10.0.0.2"} {
					n := node(name)
					n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}, {Type: corev1.NodeHostName, Address: name}}
					if err := client.Tracker().Add(&n); err != nil {
						t.Fatal(err)
					}
				}
				c := &Cluster{API: cluster.NewAPI(&rest.Config{}, client), options: row.options}
				if port := c.Door().NodePort; port != row.before {
					t.Errorf("a Service asks for NodePort %d, want %d", port, row.before)
				}
				service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{NodePort: 30123}}}}
				err := c.FindRoute(t.Context(), service, func(ctx context.Context, url string) error {
					if url == row.answers {
						return nil
					}
					<-ctx.Done()
					return errors.New("no reply")
				})
				if usage.Is(err) != row.refused || (err != nil) != row.refused {
					t.Errorf("error %v", err)
				}
				url, err := c.Door().Open(t.Context(), service)
				if url != row.url || c.Door().Closed != row.closed || err != nil {
					t.Errorf("URL %q, closed %q, error %v", url, c.Door().Closed, err)
				}
			})
		})
	}
}
