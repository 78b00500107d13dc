package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/usage"
)

func imageCommand() *cobra.Command {
	o := staging.Target{}
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Push the images to --image-repo, and write the kustomization of a nightly job",
		Args:  noArgs(unmeant),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd, func(ctx context.Context) error { return pushImages(ctx, cmd.OutOrStdout(), o) })
		},
	}
	addFlags(cmd, o.List().Only("image-repo", "registry-ca").First("image-repo", "registry-ca"))
	return cmd
}

// nightly is the folder in out/ that the image command writes to.
const nightly = "nightly"

var overlay = template.Must(template.New("").Parse(
	`# Written by rollcall image: the job of fixtures/staging/nightly with the images that were pushed.
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

// pushImages pushes every image, that of Rollcall itself too, to the repository of the options, and writes the kustomization of
// a nightly job that uses them.
func pushImages(ctx context.Context, out io.Writer, o staging.Target) error {
	if o.ImageRepo == "" {
		return usage.New("rollcall image", "no repository is named", "name it: --image-repo=registry.example.com/platform/rollcall")
	}
	home, err := layout.Find()
	if err != nil {
		return err
	}
	if !home.MakesImages() {
		return usage.New("rollcall image", "there is nothing to make images from", "run it from a clone, or use a release")
	}
	fmt.Fprintln(out, "building the images (some minutes the first time)")
	refs, err := push(ctx, out, home, layout.Registry{Repo: o.ImageRepo, CAFile: o.RegistryCA})
	if err != nil {
		return err
	}
	runner := refs[fixtures.ImageRef(layout.RunnerName, layout.RunnerVersion)]
	var images []string
	for ref, pushed := range refs {
		if pushed != runner {
			images = append(images, filepath.Base(ref)+"="+pushed)
		}
	}
	slices.Sort(images)
	fmt.Fprintf(out, "pushed:\n  %s\n  %s\n", runner, strings.Join(images, "\n  "))
	if home.Module == "" {
		fmt.Fprintf(out, "from here: rollcall run --context=... --images=%s\n", strings.Join(images, ","))
		return nil
	}
	folder := filepath.Join(home.Module, "out", nightly)
	if err := writeOverlay(folder, runner, images); err != nil {
		return err
	}
	fmt.Fprintf(out, "every night: kubectl apply -k %s\nfrom here:   make conformance CONTEXT=... IMAGES=%s\n", folder,
		strings.Join(images, ","))
	return nil
}

// writeOverlay writes the kustomization of the nightly job with the pushed images: that of Rollcall itself, by digest, and
// those of its pods.
func writeOverlay(folder, runner string, images []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name, digest, _ := strings.Cut(runner, "@")
	var text bytes.Buffer
	if err := overlay.Execute(&text, struct{ Name, Digest, Images string }{name, digest, strings.Join(images, ",")}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "kustomization.yaml"), text.Bytes(), 0o644)
}

func push(ctx context.Context, out io.Writer, from layout.Layout, to layout.Registry) (map[string]string, error) {
	images, err := from.BuildImages(ctx, layout.Images(true, true), layout.OtherArchitectures()...)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "compiling Rollcall itself")
	if err := images.AddRunner(ctx, from); err != nil {
		return nil, err
	}
	return images.Push(ctx, out, to, append(layout.Images(true, true), layout.Image{layout.RunnerName, layout.RunnerVersion}))
}
