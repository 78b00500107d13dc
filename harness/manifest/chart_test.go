package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
)

//go:generate go test . -update

// What a chart renders, in the order in which Helm creates it, with the file and the line that each object begins at.
func TestChart(t *testing.T) {
	objects, err := Read(Sources{Chart: "testdata/shop", Values: []string{"testdata/shop-staging.yaml"}, Namespace: "staging"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, o := range objects {
		hook, _ := HookOf(o)
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%s: %s in %s %s", o.At, o, o.Namespace(), strings.Join(hook.Events, " "))))
	}
	golden.File(t, "testdata/shop.txt", b.String())
}

// A field that an action writes is at the last of its parents that the template has.
func TestPlacesInATemplate(t *testing.T) {
	objects, err := Read(Sources{Chart: "testdata/shop"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		for field, want := range map[string]int{"": 2, "spec.replicas": 9, "spec.strategy.rollingUpdate.maxSurge": 12, "metadata.labels": 6,
			"spec.template.spec.terminationGracePeriodSeconds": 25, "spec.template.spec.containers[web].readinessProbe": 32,
			"spec.template.spec.containers[web].lifecycle.preStop.sleep": 37, "spec.template.spec.containers[web].resources.limits": 40,
			"spec.template.spec.containers[none]": 26} {
			if file, line := o.Place(field); line != want || file != filepath.FromSlash("testdata/shop/templates/deployment.yaml") {
				t.Errorf("%q is at %s:%d, want line %d", field, file, line, want)
			}
		}
	}
}

// An error about what a template renders to names the template, and its line if the template has it.
func TestFaultsOfAChart(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
	for _, row := range []struct{ sentence, template, want string }{
		{"a field that the kind does not have", head + "{{- if true }}\nlifecycle: {}\n{{- end }}\n",
			"line 5: unknown field lifecycle: fix the template or its values"},
		{"one that an action writes", head + "{{ print \"lifecycle: {}\" }}\n",
			"unknown field lifecycle: fix the template or its values"},
		{"one of another type", head + "{{- with .Values.path }}\nimmutable: {{ . }}\n{{- end }}\n",
			"line 5: immutable is a string, and has to be of type bool: fix the template or its values"},
		{"what is no YAML", head + "data: [\n", "line 4: did not find expected node content: fix the template or its values"},
		{"the same where an action has written", head + "{{ print \"data: [\" }}\n{{ print \"a: b: c\" }}\n",
			"line 4 of what it renders to: did not find expected ',' or ']': fix the template or its values"},
		{"text that looks like an action", head + "data: [{{ \"{{\" }}\n",
			"line 4: did not find expected node content: fix the template or its values"},
		{"no kind", "a: 1\n", "it has no apiVersion or no kind: write both, or leave the file out"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS("testdata/shop")); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "templates", "config.yaml")
			if err := os.WriteFile(file, []byte(row.template), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Read(Sources{Chart: folder})
			if want := file + ", document 1: " + row.want; err == nil || err.Error() != want {
				t.Errorf("it is %v\nwant %s", err, want)
			}
		})
	}
}

// A hook may be there beside an object of its name; two of the same name are one too many.
func TestHooksBesideObjects(t *testing.T) {
	const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web%s}\n---\n"
	const hook = ", annotations: {helm.sh/hook: pre-install}"
	for _, row := range []struct {
		sentence, text string
		taken          bool
	}{
		{"a hook and an object", fmt.Sprintf(account+account, hook, ""), true},
		{"two objects", fmt.Sprintf(account+account, "", ""), false},
		{"two hooks", fmt.Sprintf(account+account, hook, hook), false},
	} {
		if _, err := Read(Sources{Files: []string{"-"}, In: strings.NewReader(row.text)}); (err == nil) != row.taken {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
