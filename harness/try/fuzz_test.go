package try

import (
	"bytes"
	"os"
	"testing"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
)

// Whatever a manifest has, it ends in an error or a plan. `go test -fuzz=FuzzManifest ./harness/try` looks for one that does not.
func FuzzManifest(f *testing.F) {
	shop, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(shop), both, secure, "a: [", "", "{{ .Values.x }}", "apiVersion: v1\nkind: List\nitems: [{}, 1]\n",
		"apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {\"containers[-1]\": {x: 1}, containers: [{}]}}}\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		objects, err := manifest.Read(manifest.Sources{Files: []string{"-"}, In: bytes.NewReader(text)})
		if err != nil {
			return
		}
		app, err := New(objects, "", "")
		if err != nil {
			return
		}
		change, err := NewChange(app, "image=web:2", manifest.Sources{})
		if err == nil {
			p := Plan{App: app, change: change, changes: []during.Change{{Does: func() string { return change.Does(app) }}}, method: "GET"}
			p.lines()
		}
	})
}
