package layout

import (
	"compress/gzip"
	"fmt"
	"io"
	"path"
)

// folder is where `make release` puts what a release has inside, so that it needs neither its sources nor the go command: programs for each
// architecture, and the configuration of kind clusters. Other builds have nothing there.
const folder = "programs"

// Released reports whether this program is a release.
func Released() bool {
	_, err := programs.ReadDir(folder)
	return err == nil
}

// ReleasedProgram is one for Linux.
func ReleasedProgram(name, arch string) ([]byte, error) {
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

// releasedConfig is the configuration of kind clusters; nil where this is no release.
func releasedConfig() []byte {
	config, err := programs.ReadFile(folder + "/kind-config.yaml")
	if err != nil {
		return nil
	}
	return config
}
