// Package release has what a release of Rollcall has inside, so that it needs neither its sources nor the go command: programs for each
// architecture, and the configuration of kind clusters. `make release` puts them there; other builds have nothing.
package release

import (
	"compress/gzip"
	"fmt"
	"io"
	"path"
)

// folder is where they are.
const folder = "programs"

// Is reports whether this program is a release.
func Is() bool {
	_, err := programs.ReadDir(folder)
	return err == nil
}

// Program is one for Linux.
func Program(name, arch string) ([]byte, error) {
	packed, err := programs.Open(path.Join(folder, arch, name+".gz"))
	if err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("release: unpack %s for %s: %w", name, arch, err)
	}
	return io.ReadAll(unpacked)
}

// ClusterConfig is the configuration of kind clusters; nil where this is no release.
func ClusterConfig() []byte {
	config, err := programs.ReadFile(folder + "/kind-config.yaml")
	if err != nil {
		return nil
	}
	return config
}
