package nodeimage

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"runtime"
)

// An imageConfig is the part of an OCI image configuration that a node and its pods need.
type imageConfig struct {
	Env        []string `json:",omitempty"`
	Entrypoint []string `json:",omitempty"`
	StopSignal string   `json:",omitempty"`
}

// writeArchive writes a docker archive of one layer to w, for `docker load` and `ctr images import`. It does not use
// go-containerregistry, which would compress the layer: that takes a minute for a node image and is of no use on one host.
func writeArchive(w io.Writer, ref, layerTar string, config imageConfig) error {
	layer, err := os.Open(layerTar)
	if err != nil {
		return err
	}
	defer layer.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, layer)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	diffID := hex.EncodeToString(sum.Sum(nil))
	image, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "created": "1970-01-01T00:00:00Z", "config": config,
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + diffID}},
		"history": []any{map[string]any{"created": "1970-01-01T00:00:00Z", "created_by": "rollcall"}},
	})
	if err != nil {
		return err
	}
	id := sha256.Sum256(image)
	configName, layerName := hex.EncodeToString(id[:])+".json", diffID+"/layer.tar"
	manifest, err := json.Marshal([]any{map[string]any{"Config": configName, "RepoTags": []string{ref}, "Layers": []string{layerName}}})
	if err != nil {
		return err
	}
	tw := tar.NewWriter(w)
	for _, file := range []struct {
		name    string
		size    int64
		content io.Reader
	}{
		{configName, int64(len(image)), bytes.NewReader(image)},
		{"manifest.json", int64(len(manifest)), bytes.NewReader(manifest)},
		{layerName, size, layer},
	} {
		if err := tw.WriteHeader(&tar.Header{Name: file.name, Mode: 0o644, Size: file.size}); err != nil {
			return err
		}
		if _, err := io.Copy(tw, file.content); err != nil {
			return err
		}
	}
	return tw.Close()
}
