package try

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/reports/patch"
)

const (
	deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: localhost/web:1}
`
	service = `apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`
	both = deployment + "---\n" + service
)

func TestRefusesBeforeAClusterIsMade(t *testing.T) {
	headless := "---\n" + strings.Replace(service, "spec: {", "spec: {clusterIP: None, ", 1)
	const isHeadless = "Service web: it is headless, so that its clients choose a pod themselves, and no node does for them: " +
		"name a file with a Service that has a ClusterIP, too: -f service.yaml"
	for _, row := range []struct{ sentence, manifest, service, to, want string }{
		{"a field in the wrong place is named with its line, and where it belongs", "# licence\n---\n" +
			strings.Replace(deployment, "      containers:", "      lifecycle: {}\n      containers:", 1), "", "",
			"app.yaml, document 2: line 11: unknown field spec.template.spec.lifecycle: move it into the container that it is of"},
		{"a field that no kind has", strings.Replace(deployment, "spec:\n  selector", "spec:\n  replica: 3\n  selector", 1), "", "",
			"app.yaml, document 1: line 5: unknown field spec.replica: fix the manifest"},
		{"a duplicate key", deployment + "---\n" + strings.Replace(service, "spec:", "kind: Service\nspec:", 1), "", "",
			`app.yaml, document 2: line 15: key "kind" already set in map: fix the manifest`},
		{"a field of a pod in its container", strings.Replace(deployment, "image:", "volumes: [], image:", 1), "", "", "app.yaml, document 1: " +
			"line 10: unknown field spec.template.spec.containers[0].volumes: move it out of the container, beside containers"},
		{"two faults of one document", strings.Replace(strings.Replace(deployment, "spec:\n  selector", "spec:\n  replicas: few\n  selector", 1),
			"image: localhost/web:1", "image: 1, volumes: []", 1), "", "", "app.yaml, document 1: " +
			"line 5: spec.replicas is a string, and has to be of type int32: fix the manifest\n" +
			"app.yaml, document 1: line 11: spec.template.spec.containers.image is a number, and has to be of type string: fix the manifest\n" +
			"app.yaml, document 1: line 11: unknown field spec.template.spec.containers[0].volumes: move it out of the container, beside containers"},
		{"faults of two documents", strings.Replace(deployment, "spec:\n  selector", "spec:\n  replica: 3\n  selector", 1) + "---\n" +
			strings.Replace(service, "port: 80", "port: eighty", 1), "", "", "app.yaml, document 1: line 5: unknown field spec.replica: " +
			"fix the manifest\napp.yaml, document 2: line 16: spec.ports.port is a string, and has to be of type int32: fix the manifest"},
		{"a template of a chart", strings.Replace(deployment, "spec:\n  selector", "spec:\n  replicas: {{ .Values.x }}\n  selector", 1), "", "",
			"app.yaml, document 1: line 5: it is a template that was not rendered: write --chart=CHART"},
		{"a field of another type", strings.Replace(service, "port: 80", "port: eighty", 1), "", "", "app.yaml, document 1: " +
			"line 4: spec.ports.port is a string, and has to be of type int32: fix the manifest"},
		{"what is not YAML", service + "---\na: [", "", "", "app.yaml, document 2: line 6: did not find expected node content: fix the manifest"},
		{"a Service without a selector", deployment + "---\n" + strings.Replace(service, "selector: {app: web}, ", "", 1), "", "",
			"Service web: it has no selector: give it one that matches pods of these manifests"},
		{"an alias whose anchor is in another document", strings.Replace(service, "{app: web}", "&app {app: web}", 1) + "---\n" +
			strings.Replace(deployment, "matchLabels: {app: web}", "matchLabels: *app", 1), "", "",
			"app.yaml, document 2: line 10: alias *app has no anchor in this document: write it out"},
		{"a document without a kind", "name: web\n", "", "",
			"app.yaml, document 1: it has no apiVersion or no kind: write both, or leave the file out"},
		{"nothing at all", "# nothing\n", "", "", "manifests: they have no object: name some that have: -f FILE, -k FOLDER or --chart=DIR"},
		{"a Service without a ClusterIP", deployment + headless, "", "", isHeadless},
		{"that is named", deployment + headless, "web", "", isHeadless},
		{"no Service", deployment, "", "", "manifests: they have no Service with a ClusterIP: add one: requests are sent to a Service"},
		{"a Service that leads to no pods of theirs", deployment + "---\n" + strings.Replace(service, "app: web", "app: webb", 1), "", "",
			"Service web: its selector app=webb matches no pods of these manifests: Deployment web has app=web: " +
				"fix its selector, or choose another Service"},
		{"two Services that clients may use", both + "---\n" + strings.Replace(service, "name: web", "name: web2", 1), "", "",
			"manifests: 2 Services lead to pods of theirs: web, web2: say which clients use: --service=web"},
		{"a Service that the manifests do not have", both, "other", "", "Service other: no manifest has it: choose one of: web"},
		{"a port that the Service does not have", both, "web:8080", "", "Service web: it has no port 8080: choose one of: 80"},
		{"two workloads behind the Service", strings.Replace(deployment, "name: web}", "name: web2}", 1) + "---\n" + both, "", "",
			"Service web: it leads to pods of Deployment web2, Deployment web: say which is rolled out: --workload=Deployment/web2"},
		{"a container that the pods do not have", both, "", "sidecar=web:2",
			"--to=sidecar=web:2: Deployment web has no container sidecar: write it like image=web:v2, or name a file or a folder"},
		{"an image that a variable was to have", both, "", "image=", "--to=image=: it has no image: write it like image=shop/web:v2"},
		{"the same of a container", both, "", "web=", "--to=web=: it has no image: write it like web=shop/web:v2"},
		{"a key that is not an index", strings.Replace(deployment, "      containers:", "      containers[-1]: {x: 1}\n      containers:", 1),
			"", "",
			"app.yaml, document 1: line 10: unknown field spec.template.spec.containers[-1]: fix the manifest"},
		{"an object that is there twice", both + "---\n" + deployment, "", "",
			"Deployment web: it is in app.yaml:1 and in app.yaml:17: leave one of them out"},
		{"a kustomization", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "", "",
			"app.yaml, document 1: it is a kustomization: write -k "},
		{"a workload whose name the API server chooses",
			strings.Replace(both, "{name: web}\nspec:\n  selector", "{generateName: web-}\nspec:\n  selector", 1), "", "", "Deployment and Service (app.yaml:1): the API server would choose a name by generateName: name both: metadata.name"},
		{"a workload of no pods", strings.Replace(both, "spec:\n  selector", "spec:\n  replicas: 0\n  selector", 1), "", "",
			"Deployment web: it has 0 replicas, so nothing would answer: give it one or more"},
		{"what is not a Service's name", both, "a:b:c", "", "--service=a:b:c: it does not name a Service: write it like"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(row.manifest), 0o644); err != nil {
				t.Fatal(err)
			}
			objects, err := manifest.Read(manifest.Sources{Files: []string{dir}})
			if err == nil {
				var app *App
				if app, err = New(objects, row.service, ""); err == nil {
					_, err = NewChange(app, row.to, manifest.Sources{})
				}
			}
			if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), dir+"/", ""), row.want) ||
				strings.Count(err.Error(), "\n") != strings.Count(row.want, "\n") {
				t.Errorf("it is %v, want %s", err, row.want)
			}
		})
	}
}

// What is beside the manifests, or endless, is not taken for one.
func TestFilesThatAreNoManifest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k/app.yaml": both, "k/kustomization.yaml": "resources: [app.yaml]\n",
		"v/values.yaml": "replicas: 1\n", "real/app.yaml": both} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ sentence, file, want string }{
		{"a folder with a kustomization", dir + "/k", dir + "/k/kustomization.yaml: it says which of the files beside it are meant, " +
			"and how they are changed: write -k " + dir + "/k, or name the files"},
		{"the values of a chart", dir + "/v", dir + "/v/values.yaml, document 1: it has no apiVersion or no kind: leave it out or, if it has the values " +
			"of a Helm chart, write --chart=CHART --values=" + dir + "/v/values.yaml"},
		{"an endless file", "/dev/zero", "manifest /dev/zero: it is longer than 64 MiB: name files, folders or URLs that can be read"},
		{"a link to a folder is that folder", dir + "/link", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got := ""
			if _, err := manifest.Read(manifest.Sources{Files: []string{row.file}}); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("it is %q, want %q", got, row.want)
			}
		})
	}
}

// -R follows no link, as that of kubectl; the plan says which folders are left out.
func TestLinksToFolders(t *testing.T) {
	dir, beside := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"in/shared": beside, "app.yaml": written(t, both), "gone": dir + "/none"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const left = "left out:  %s: -R follows no link to a folder, so name it with -f too\n"
	for _, row := range []struct {
		sentence string
		args     []string
		want     string // in the plan; empty: nothing is left out
	}{
		{"with -R, of a link to a folder alone", []string{"--recursive"}, fmt.Sprintf(left, dir+"/in/shared")},
		{"without -R no folder in the folder is meant", nil, ""},
		{"in the other version too, and named once", []string{"--recursive", "--to", dir}, fmt.Sprintf(left, dir+"/in/shared")},
	} {
		o, flags := Options{}, flag.NewFlagSet("", flag.ContinueOnError)
		o.List().Register(flags)
		if err := flags.Parse(append([]string{"--dry-run", "--filename", dir}, row.args...)); err != nil {
			t.Fatal(err)
		}
		text, err := printed(t, o)
		if err != nil {
			t.Fatalf("%s: %v", row.sentence, err)
		}
		if row.want != "" && !strings.Contains(text, row.want) || row.want == "" && strings.Contains(text, "left out:") {
			t.Errorf("%s: the plan is\n%s", row.sentence, text)
		}
	}
}

func TestWhatIsUnderstood(t *testing.T) {
	objects, err := manifest.Read(manifest.Sources{Files: []string{"testdata/shop.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	app, err := New(objects, "", "")
	if err != nil {
		t.Fatal(err)
	}
	change, err := NewChange(app, "image=localhost/front:2", manifest.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"workload:  Deployment front in namespace shop, 3 replicas",
		"container: web, image localhost/front:1; beside it log",
		"Service:   front port 80, which leads to port 8080 of the pods; not asked: metrics (9090)",
		"requests:  GET /ready, Host shop.example.com, as the readiness probe; for what clients ask: --service=front:80/PATH",
		"readiness: GET /ready at port http",
		"shutdown:  preStop command: /bin/sh -c sleep 5, grace period 20 s",
		"rollout:   Deployment front gets image localhost/front:2",
		"beside it: StatefulSet back, Service back, Pod load",
		"left out:  Certificate front: a kind cluster does not have kind Certificate of cert-manager.io/v1",
	}
	p := Plan{App: app, change: change, changes: []during.Change{{Does: func() string { return change.Does(app) }}}, method: "GET"}
	if diff := cmp.Diff(want, p.lines()); diff != "" {
		t.Error(diff)
	}
	if got, want := app.Service(), "shop/front:80/ready"; got != want {
		t.Errorf("during is asked for %s, want %s", got, want)
	}
	images := []string{"localhost/back:1", "localhost/front:1", "localhost/load:1", "localhost/log:1"}
	if diff := cmp.Diff(images, manifest.Images(objects)); diff != "" {
		t.Error(diff)
	}
}

func TestTakesWhatKubectlTakes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"base/app.yaml": deployment, "base/service.json": `{"apiVersion":"v1","kind":"Service",` +
		`"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}`, "base/README.md": "no manifest",
		"base/kustomization.yaml":    "resources: [app.yaml, service.json]\n",
		"overlay/kustomization.yaml": "resources: [../base]\nnamespace: staging\nimages: [{name: localhost/web, newTag: \"2\"}]\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "base/README.md")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		from     manifest.Sources
		want     string // namespace and image
	}{
		{"standard input", manifest.Sources{Files: []string{"-"}, In: strings.NewReader(deployment + "---\n" + service)},
			"default localhost/web:1"},
		{"files, one of them JSON", manifest.Sources{Files: []string{dir + "/base/app.yaml", dir + "/base/service.json"}},
			"default localhost/web:1"},
		{"a kustomization with an overlay", manifest.Sources{Kustomize: dir + "/overlay"}, "staging localhost/web:2"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			objects, err := manifest.Read(row.from)
			if err != nil {
				t.Fatal(err)
			}
			app, err := New(objects, "", "")
			if err != nil {
				t.Fatal(err)
			}
			if got := app.service.Namespace + " " + app.answers().Image; got != row.want {
				t.Errorf("it is %s, want %s", got, row.want)
			}
		})
	}
}

// A kustomization takes the patch that is written for the owner of an app, and the next try uses it.
func TestFollowsAPatch(t *testing.T) {
	hooked := strings.Replace(strings.Replace(deployment, "name: web}", "name: web, namespace: shop}", 1), "image: localhost/web:1}",
		"image: localhost/web:1, lifecycle: {preStop: {exec: {command: [stop]}}}}", 1)
	var before, after map[string]any
	for text, into := range map[string]*map[string]any{hooked: &before, strings.Replace(hooked, "exec: {command: [stop]}",
		"sleep: {seconds: 3}", 1): &after} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
		*into = userapp.Advisable(*into)
	}
	written, _ := patch.Of(before, after)
	dir := t.TempDir()
	shop := strings.Replace(service, "name: web}", "name: web, namespace: shop}", 1)
	for name, text := range map[string]string{"app.yaml": hooked + "---\n" + shop,
		"patch.yaml": written, "kustomization.yaml": "resources: [app.yaml]\npatches: [{path: patch.yaml}]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := manifest.Read(manifest.Sources{Kustomize: dir})
	if err != nil {
		t.Fatal(err)
	}
	app, err := New(objects, "", "")
	if err != nil {
		t.Fatal(err)
	}
	hook := userapp.PreStop(app.answers())
	if hook == nil || hook.Sleep == nil || hook.Sleep.Seconds != 3 || hook.Exec != nil || app.answers().Image != "localhost/web:1" {
		t.Errorf("by\n%s\nit is %+v", written, app.answers())
	}
}

// Advice names the autoscaler of a workload whose manifest has replicas too.
func TestTheAutoscalerOfAWorkload(t *testing.T) {
	const scaled = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`
	replicas := strings.Replace(both, "spec:\n  selector", "spec:\n  replicas: 3\n  selector", 1)
	for _, row := range []struct{ sentence, manifest, want string }{
		{"an autoscaler and replicas", replicas + scaled, "scaler"},
		{"an autoscaler alone", both + scaled, ""},
		{"one of another workload", replicas + strings.Replace(scaled, "name: web}}", "name: back}}", 1), ""},
		{"one in another namespace", replicas + strings.Replace(scaled, "{name: scaler}", "{name: scaler, namespace: shop}", 1), ""},
		{"one of a version that clusters no longer have", replicas + strings.Replace(scaled, "scaling/v2", "scaling/v2beta2", 1), ""},
		{"none", replicas, ""},
	} {
		app, err := New(parsed(t, row.manifest), "", "")
		if err != nil {
			t.Fatal(err)
		}
		change := (&appRun{app: app}).changes(Options{})[0]
		if change.Autoscaled != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, change.Autoscaled, row.want)
		}
	}
}

// A request in flight at the end of the rollout has its time before the load ends, if that is one that clients wait for.
func TestSettleForATimeout(t *testing.T) {
	for _, row := range []struct{ sentence, timeout, want string }{
		{"none", "", "5s"},
		{"a short one", "500ms", "5s"},
		{"one of a slow app", "20s", "20s"},
		{"one that no client has", "1h", "5s"},
		{"none at all", "soon", "5s"},
	} {
		if got := settleFor(row.timeout); got != row.want {
			t.Errorf("%s: %s, want %s", row.sentence, got, row.want)
		}
	}
}
