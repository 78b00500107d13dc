package commands

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"example.com/rollcall/harness/staging"
)

// The image command writes the shipped job with the images that were pushed, and kubectl can build every shipped
// kustomization.
func TestTheShippedKustomizations(t *testing.T) {
	clone := t.TempDir()
	if err := os.CopyFS(filepath.Join(clone, "fixtures", "staging"), os.DirFS("../../../fixtures/staging")); err != nil {
		t.Fatal(err)
	}
	digest := "sha256:" + strings.Repeat("1", 64)
	err := writeOverlay(filepath.Join(clone, "out", nightly), "registry.example.com/rollcall@"+digest,
		[]string{"echo:v1=a@sha256:2", "echo:v2=b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		folder string
		has    []string
	}{
		{"fixtures/staging/base", []string{"kind: ClusterRole\n"}},
		{"fixtures/staging/generated", []string{"name: rollcall-generated"}},
		{"fixtures/staging/changes", []string{"name: rollcall-changes\n  namespace: kube-system"}},
		{"fixtures/staging/node-rules", []string{"name: rollcall-rules"}},
		{"fixtures/staging/nightly", []string{"kind: CronJob"}},
		{"out/" + nightly, []string{"image: registry.example.com/rollcall@" + digest, "IMAGES: echo:v1=a@sha256:2,echo:v2=b",
			"kind: ClusterRole\n  name: rollcall\nsubjects:\n- kind: ServiceAccount\n  name: rollcall\n  namespace: rollcall-nightly"}},
	} {
		t.Run(row.folder, func(t *testing.T) {
			objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(clone, row.folder))
			if err != nil {
				t.Fatal(err)
			}
			built, err := objects.AsYaml()
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range row.has {
				if !strings.Contains(string(built), part) {
					t.Errorf("%q is not in\n%s", part, built)
				}
			}
		})
	}
}

// Images are pushed without a cluster: here only the sources to make them from are missing.
func TestImagesNeedNoCluster(t *testing.T) {
	t.Chdir(t.TempDir())
	var o staging.Target
	o.ImageRepo = "registry.example.com/rollcall"
	err := pushImages(t.Context(), io.Discard, o)
	const want = "rollcall image: there is nothing to make images from: run it from a clone, or use a release"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
