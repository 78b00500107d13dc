package manifest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"

// A base is read from git, and the working tree stays as it is.
func TestSourcesAtARevision(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	git := func(args ...string) {
		all := append([]string{"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", all...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	file := write("k8s/app.yaml", strings.Replace(config, "NAME", "old", 1))
	write("k8s/kustomization.yaml", "resources: [app.yaml]\n")
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message=app")
	write("k8s/app.yaml", strings.Replace(config, "NAME", "new", 1))
	added := write("added.yaml", strings.Replace(config, "NAME", "added", 1))
	outside := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(outside, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		from     Sources
		revision string
		want     string // the object's name, or the error
	}{
		{"a file", Sources{Files: []string{file}}, "HEAD", "old"},
		{"a kustomization", Sources{Kustomize: filepath.Join(folder, "k8s")}, "HEAD", "old"},
		{"a revision that there is not", Sources{Files: []string{file}}, "none", "--base=none: the repository has no such revision: "},
		{"one that looks like an option", Sources{Files: []string{file}}, "--all", "--base=--all: the repository has no such revision: "},
		{"a file that the revision lacks", Sources{Files: []string{added}}, "HEAD", "--base=HEAD: it has no " + added + ": "},
		{"a file in no repository", Sources{Files: []string{outside}}, "HEAD", "--base=HEAD: " + outside + " is in no git repository: "},
		{"files of two", Sources{Files: []string{file, outside}}, "HEAD", "--base=HEAD: " + outside + " is in no git repository: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			at, remove, err := AtRevision(t.Context(), row.from, row.revision)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				objects, err := Read(at)
				if err != nil {
					t.Fatal(err)
				}
				got = objects[0].GetName()
				remove()
				if _, err := Read(at); err == nil {
					t.Error("its files stay")
				}
			}
			if !strings.HasPrefix(got, row.want) {
				t.Errorf("it is %q, want %q", got, row.want)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "new") {
		t.Errorf("the working tree was changed: %s, %v", text, err)
	}
}

// A chart and its values are those of the base. What charts/ has and git does not is taken from the working tree, if both lock the same.
func TestChartsAtARevision(t *testing.T) {
	const locked, other = "dependencies: [{name: queue, version: 0.1.0}]\n", "dependencies: [{name: queue, version: 0.2.0}]\n"
	for _, row := range []struct{ sentence, ignored, lock, want string }{
		{"all of it is in git", "", locked, ""},
		{"charts/ is not", "charts/\n", locked, ""},
		{"charts/ is not, and was for another lock", "charts/\n", other, "--base=HEAD: it locks other dependencies of chart "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := t.TempDir()
			chart, values := filepath.Join(folder, "shop"), filepath.Join(folder, "values.yaml")
			if err := os.CopyFS(chart, os.DirFS("testdata/shop")); err != nil {
				t.Fatal(err)
			}
			write := func(name, text string) {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			git := func(args ...string) {
				all := append([]string{"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)
				if out, err := exec.CommandContext(t.Context(), "git", all...).CombinedOutput(); err != nil {
					t.Fatalf("git %q: %v: %s", args, err, out)
				}
			}
			write(values, "replicas: 2\n")
			write(filepath.Join(folder, ".gitignore"), row.ignored)
			write(filepath.Join(chart, "Chart.lock"), row.lock)
			git("init", "--quiet")
			git("add", ".")
			git("commit", "--quiet", "--message=chart")
			write(filepath.Join(chart, "Chart.lock"), locked)
			write(values, "replicas: 9\n")
			write(filepath.Join(chart, "templates", "service.yaml"), "")
			at, remove, err := AtRevision(t.Context(), Sources{Chart: chart, Values: []string{values}}, "HEAD")
			if row.want != "" {
				if err == nil || !strings.HasPrefix(err.Error(), row.want) {
					t.Errorf("it is %v, want %s", err, row.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer remove()
			objects, err := Read(at)
			if err != nil {
				t.Fatal(err)
			}
			var has []string
			for _, o := range objects {
				if replicas, given, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); given {
					has = append(has, fmt.Sprint(replicas))
				}
				if o.String() == "Service shop" || o.String() == "StatefulSet shop-queue" {
					has = append(has, o.String())
				}
			}
			if diff := cmp.Diff([]string{"Service shop", "2", "StatefulSet shop-queue"}, has); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The line of a field, also in an item of a list, and of a container that is named.
func TestPlaces(t *testing.T) {
	const list = `# comment
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec:
        initContainers:
        - name: proxy
          image: proxy
          restartPolicy: Always
        containers:
        - name: log
          image: log
        - name: web
          image: web
          readinessProbe: {httpGet: {path: /, port: 80}}
`
	objects, err := Parse("app.yaml", []byte(list))
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{"": 4, "spec.template.spec.containers[web].readinessProbe": 22,
		"spec.template.spec.containers[log]":       17,
		"spec.template.spec.initContainers[proxy]": 13, "spec.template.spec.containers[proxy]": 13, "spec.strategy": 8} {
		if _, line := objects[0].Place(field); line != want {
			t.Errorf("%q is at line %d, want %d", field, line, want)
		}
	}
}

// An object of a kustomization has no line of its own: a forge shows it at the file that builds it.
func TestPlacesInAKustomization(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"app.yaml": strings.Replace(config, "NAME", "web", 1),
		"kustomization.yaml": "resources: [app.yaml]\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := Read(Sources{Kustomize: folder})
	if err != nil {
		t.Fatal(err)
	}
	if file, line := objects[0].Place("metadata.name"); file != filepath.Join(folder, "kustomization.yaml") || line != 1 {
		t.Errorf("it is at %s:%d", file, line)
	}
}
