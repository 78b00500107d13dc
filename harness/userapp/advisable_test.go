package userapp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/loadgen"
)

func TestAsked(t *testing.T) {
	get := func(fields map[string]any) map[string]any { return map[string]any{"httpGet": fields} }
	listens := map[string]any{"tcpSocket": map[string]any{"port": int64(80)}}
	for _, row := range []struct {
		sentence string
		target   intstr.IntOrString
		secure   bool
		by       loadgen.UserHTTP
		want     map[string]any
	}{
		{"the port of a Service is that of its pods where it names no other", intstr.IntOrString{}, false, loadgen.UserHTTP{},
			get(map[string]any{"path": "/x", "port": int64(80)})},
		{"a port by its name, over TLS, of a virtual host", intstr.FromString("web"), true, loadgen.UserHTTP{Method: "GET", Host: "shop"},
			get(map[string]any{"path": "/x", "port": "web", "scheme": "HTTPS",
				"httpHeaders": []any{map[string]any{"name": "Host", "value": "shop"}}})},
		{"a request that writes gets a TCP probe", intstr.IntOrString{}, false, loadgen.UserHTTP{Method: "POST"}, listens},
		{"so does one with a secret header", intstr.IntOrString{}, false,
			loadgen.UserHTTP{Headers: []loadgen.HeaderField{{Name: "Authorization"}}}, listens},
		{"or with a client certificate", intstr.IntOrString{}, true, loadgen.UserHTTP{TLS: &loadgen.TLS{Certificate: []byte("x")}}, listens},
		{"or with a good status that fails a probe", intstr.IntOrString{}, false, loadgen.UserHTTP{Status: []int{200, 404}}, listens},
	} {
		got := userapp.ProbeHandler("/x", corev1.ServicePort{Port: 80, TargetPort: row.target}, row.secure, &row.by)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
