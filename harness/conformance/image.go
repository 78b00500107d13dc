package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"rollcall/fixtures"
	"rollcall/harness/layout"
	"rollcall/harness/usage"
)

// nightly is the folder, in out/, of what the image command writes.
const nightly = "nightly"

var overlay = template.Must(template.New("").Parse(`# Written by conformance image: the job of fixtures/staging/nightly with the images that were pushed.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- ../../fixtures/staging/nightly
images:
- name: rollcall
  newName: {{.Name}}
  digest: {{.Digest}}
configMapGenerator:
- name: rollcall
  namespace: rollcall-nightly
  behavior: merge
  literals:
  - IMAGES={{.Images}}
`))

// image pushes every image, that of Rollcall itself too, and writes the kustomization of a nightly job with them.
func (c *conformance) image(ctx context.Context) int {
	home := c.runner.Layout()
	if c.runner.ImageRepo == "" {
		return complain(usage.New("image", "no repository is named", "name it: -image-repo=registry.example.com/platform/rollcall"))
	}
	fmt.Println("building the images (some minutes the first time)")
	refs, err := c.push(ctx)
	if err != nil {
		return complain(err)
	}
	runner := refs[fixtures.ImageRef(fixtures.RunnerName, fixtures.RunnerVersion)]
	name, digest, _ := strings.Cut(runner, "@")
	var images []string
	for ref, pushed := range refs {
		if pushed != runner {
			images = append(images, filepath.Base(ref)+"="+pushed)
		}
	}
	slices.Sort(images)
	file := filepath.Join(home.Folder, "out", nightly, "kustomization.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return complain(err)
	}
	out, err := os.Create(file)
	if err != nil {
		return complain(err)
	}
	defer out.Close()
	if err := overlay.Execute(out, struct{ Name, Digest, Images string }{name, digest, strings.Join(images, ",")}); err != nil {
		return complain(err)
	}
	fmt.Printf("pushed:\n  %s\n  %s\nevery night: kubectl apply -k %s\nfrom here:   make conformance CONTEXT=... IMAGES=%s\n",
		runner, strings.Join(images, "\n  "), filepath.Dir(file), strings.Join(images, ","))
	return 0
}

func (c *conformance) push(ctx context.Context) (map[string]string, error) {
	home := c.runner.Layout()
	suites, err := home.Suites()
	if err != nil {
		return nil, err
	}
	images, err := fixtures.Build(ctx, home.Folder)
	if err != nil {
		return nil, err
	}
	fmt.Printf("compiling Rollcall itself, with %d suites\n", len(suites))
	if err := images.AddRunner(ctx, home.Folder, suites); err != nil {
		return nil, err
	}
	return images.Push(ctx, os.Stdout, fixtures.Registry{Repo: c.runner.ImageRepo, CAFile: c.runner.RegistryCA},
		append(layout.Images(true), layout.Image{fixtures.RunnerName, fixtures.RunnerVersion}))
}
