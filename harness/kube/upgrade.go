package kube

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An Upgrade has the files for the upgrade of a cluster's nodes to a version, in a folder of this host: the version's programs, and the
// images of the pods that kubeadm runs, in the folder ImagesFolder.
type Upgrade struct {
	Version string // such as "v1.36.3"
	Folder  string
}

// ImagesFolder is the name of the folder of images, in the folder of an upgrade.
const ImagesFolder = "images"

// UpgradePrograms returns the programs of an upgrade: those of Kubernetes that run on a node outside pods.
func UpgradePrograms() []string { return []string{"kubeadm", "kubelet", "kubectl"} }

// Program returns the path, on this host, of one of UpgradePrograms.
func (u Upgrade) Program(name string) string { return filepath.Join(u.Folder, name) }

// Images returns the sorted paths, on this host, of the docker archives of the pods' images with these names, or without any of all.
func (u Upgrade) Images(names ...string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(u.Folder, ImagesFolder, "*.tar"))
	if err != nil {
		return nil, err
	}
	of := func(archive string) string { return strings.TrimSuffix(filepath.Base(archive), ".tar") }
	for _, name := range names {
		if !slices.ContainsFunc(all, func(archive string) bool { return of(archive) == name }) {
			return nil, fmt.Errorf("kube: the node image %s has no image of %s", u.Version, name)
		}
	}
	return slices.DeleteFunc(all, func(archive string) bool { return len(names) > 0 && !slices.Contains(names, of(archive)) }), nil
}
