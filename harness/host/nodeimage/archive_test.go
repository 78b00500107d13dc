package nodeimage

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteArchive(t *testing.T) {
	layer := filepath.Join(t.TempDir(), "layer.tar")
	content := []byte("not really a tar")
	if err := os.WriteFile(layer, content, 0o644); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := writeArchive(&archive, "rollcall.local/x:v1", layer, imageConfig{StopSignal: "SIGRTMIN+3"}); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(&archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || len(manifest[0].Layers) != 1 {
		t.Fatalf("manifest %+v, want one image of one layer", manifest)
	}
	if diff := cmp.Diff([]string{"rollcall.local/x:v1"}, manifest[0].RepoTags); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(content, files[manifest[0].Layers[0]]); diff != "" {
		t.Error(diff)
	}
	var config struct {
		Config imageConfig
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(files[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if diff := cmp.Diff([]string{"sha256:" + hex.EncodeToString(sum[:])}, config.RootFS.DiffIDs); diff != "" {
		t.Error(diff)
	}
	if config.Config.StopSignal != "SIGRTMIN+3" {
		t.Errorf("stop signal %q: systemd would not end", config.Config.StopSignal)
	}
}

func TestBaseSpec(t *testing.T) {
	got, err := baseSpec([]byte(`{"process":{"rlimits":[{"type":"RLIMIT_NOFILE"}],"cwd":"/"},"limit":9223372036854775807}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"hooks":{"createContainer":[{"path":"/kind/bin/mount-product-files.sh"}]},"limit":9223372036854775807,"process":{"cwd":"/"}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
