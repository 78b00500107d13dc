package layout

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// folder is the folder whose files `make release` embeds, so that a release needs neither the sources nor the go command: programs for
// each architecture, and the configuration of kind clusters. In other builds it is empty.
const folder = "programs"

// Released reports whether this program is a release.
func Released() bool {
	_, err := programs.ReadDir(folder)
	return err == nil
}

// ReleasedProgram returns a program of a release, for Linux.
func ReleasedProgram(name, arch string) ([]byte, error) {
	return unpack(programs, path.Join(folder, arch, name+".gz"))
}

func unpack(files fs.FS, file string) ([]byte, error) {
	packed, err := files.Open(file)
	if err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("release: unpack %s: %w", file, err)
	}
	binary, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("release: unpack %s: %w", file, err)
	}
	return binary, nil
}

// A Digest is the digest of a program of a release.
type Digest struct{ Program, Arch, SHA256 string }

// ReleasedDigests returns the digests of all programs of a release, unpacked; none if this is not a release.
func ReleasedDigests() ([]Digest, error) { return digests(programs) }

func digests(files fs.FS) (list []Digest, err error) {
	packed, err := fs.Glob(files, folder+"/*/*.gz")
	if err != nil {
		return nil, err
	}
	for _, file := range packed {
		binary, err := unpack(files, file)
		if err != nil {
			return nil, err
		}
		list = append(list, Digest{
			Program: strings.TrimSuffix(path.Base(file), ".gz"), Arch: path.Base(path.Dir(file)),
			SHA256: fmt.Sprintf("%x", sha256.Sum256(binary)),
		})
	}
	return list, nil
}

// releasedConfig returns the configuration of kind clusters; nil if this is not a release.
func releasedConfig() []byte {
	config, err := programs.ReadFile(folder + "/kind-config.yaml")
	if err != nil {
		return nil
	}
	return config
}
