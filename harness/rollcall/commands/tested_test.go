package commands

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/try"
)

const twoApps = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: localhost/web:1}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
# rollcall: ignore RC3003 because it has none
apiVersion: apps/v1
kind: Deployment
metadata: {name: log, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec: {containers: [{name: log, image: localhost/log:1}]}
---
apiVersion: v1
kind: Service
metadata: {name: log, namespace: shop}
spec: {selector: {app: log}, ports: [{port: 80}]}
`

// What check says of the app comes first; what is ignored is not tested.
func TestWhatIsFoundBeforeATry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(file, []byte(twoApps), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := try.NewPlan(t.Context(), try.Options{Sources: manifest.Sources{Files: []string{file}}, Service: "web"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := foundBefore(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		rolled := " other"
		if f.Rolled {
			rolled = " rolled"
		}
		got = append(got, f.Code+" "+f.Object+rolled)
	}
	want := []string{"RC3010 Deployment shop/web rolled", "RC3003 Deployment shop/web rolled", "RC3020 Deployment shop/web rolled",
		"RC3006 Deployment shop/web rolled", "RC3006 Deployment shop/log other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	folder := runFolder(t)
	found.reportsOf(folder)
	var said bytes.Buffer
	Execute([]string{"report", folder}, &said, io.Discard)
	for _, line := range []string{"What rollcall check says of the manifests, under this load:",
		"    not seen: RC3006 sleep-needed of Deployment shop/log: another app was rolled out"} {
		if !strings.Contains(said.String(), line+"\n") {
			t.Errorf("the report has no line %q:\n%s", line, &said)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil || !strings.Contains(string(page), "not seen: RC3006 sleep-needed of Deployment shop/log") {
		t.Errorf("the page does not say it: %v", err)
	}
	var report bytes.Buffer
	Execute([]string{"report", folder, "-o", "json"}, &report, io.Discard)
	if !strings.Contains(report.String(), `"state": "not-seen"`) {
		t.Errorf("report.json does not say it:\n%s", &report)
	}
	checkValid(t, "report", report.Bytes())
}
