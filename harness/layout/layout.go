// Package layout finds the files that Rollcall comes with: the programs of its pods for each architecture, of which it makes images, and
// the configuration of clusters.
package layout

import (
	"cmp"
	"os"
	"path/filepath"
)

// A Layout says where Rollcall's files are: in a clone of its repository, in a release, whose program embeds them, or in the folder of
// its program, with ready-made images of its pods and the configuration of clusters, as in the lab.
type Layout struct {
	Module string // folder of the Go module; empty if there are no sources
	Images string // folder of ready-made images; empty if images have to be made
}

const (
	imagesFolder = "images"
	configFile   = "kind-config.yaml"
)

// Find looks for images beside the running program and then for Rollcall's module, in the folders above the program and above the working
// directory, which for tests is their package's folder. A release needs neither.
func Find() (Layout, error) {
	program, err := os.Executable()
	if err != nil {
		return Layout{}, err
	}
	beside := filepath.Dir(program)
	if images := filepath.Join(beside, imagesFolder); exists(images) && !Released() {
		return Layout{Images: images}, nil
	}
	working, err := os.Getwd()
	if err != nil || Released() {
		return Layout{}, err
	}
	return Layout{Module: cmp.Or(ModuleAbove(beside), ModuleAbove(working))}, nil
}

// MakesImages reports whether the images of pods can be made, and so pushed.
func (l Layout) MakesImages() bool { return l.Module != "" || Released() }

// MakesClusters reports whether clusters can be made, which needs the images of pods.
func (l Layout) MakesClusters() bool { return l.Images != "" || l.MakesImages() }

// ClusterConfig returns the path of the configuration of clusters and, in a release, the text to use if that file does not exist.
func (l Layout) ClusterConfig() (file string, builtIn []byte) {
	switch {
	case l.Images != "":
		return filepath.Join(filepath.Dir(l.Images), configFile), nil
	case l.Module != "":
		return filepath.Join(l.Module, configFile), nil
	}
	return configFile, releasedConfig()
}

// Runs returns the folder of run folders: $ARTIFACTS, which Prow and others set, or out in the module or, without a module, in
// the working directory.
func (l Layout) Runs() string { return cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join(l.Module, "out")) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
