package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An image is named without its tag, which is not the port of its registry.
func TestSetImage(t *testing.T) {
	const pods = `apiVersion: v1
kind: Pod
metadata: {name: one}
spec: {containers: [{name: a, image: "registry:5000/web"}, {name: b, image: "registry:5000/web:1@sha256:abc"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: two}
spec:
  template:
    spec: {initContainers: [{name: a, image: "registry:5000/web:2"}], containers: [{name: b, image: "registry:5000/webapp:2"}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: three}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: "registry:5000/web:3"}]}}}}}
`
	for _, row := range []struct {
		name  string
		found bool
		want  []string
	}{
		{"registry:5000/web", true, []string{"new", "registry:5000/webapp:2"}},
		{"registry:5000/web:2", true, []string{"new", "registry:5000/web", "registry:5000/web:1@sha256:abc", "registry:5000/web:3",
			"registry:5000/webapp:2"}},
		{"registry", false, []string{"registry:5000/web", "registry:5000/web:1@sha256:abc", "registry:5000/web:2", "registry:5000/web:3",
			"registry:5000/webapp:2"}},
	} {
		objects, err := Parse("pods.yaml", []byte(pods))
		if err != nil {
			t.Fatal(err)
		}
		if found := SetImage(objects, row.name, "new"); found != row.found {
			t.Errorf("%s: %v", row.name, found)
		}
		if diff := cmp.Diff(row.want, Images(objects)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
