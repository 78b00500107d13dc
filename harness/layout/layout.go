// Package layout knows where Rollcall runs from and what is there: programs for each architecture, made into the images of its pods, and
// the configuration of clusters.
package layout

import (
	"cmp"
	"os"
	"path/filepath"
)

// A Layout is where Rollcall runs from: a clone of its repository, a release, which has all that it needs inside, or a folder that has
// its program, the images of its pods and the configuration of clusters, as in the lab.
type Layout struct {
	Module string // folder of the Go module; empty: there are no sources
	Images string // folder of images that came ready made; empty: they are made
}

const (
	imagesFolder = "images"
	configFile   = "kind-config.yaml"
)

// Find looks for images beside the program that runs, and then, but in a release, for Rollcall's module, from the program upwards and
// from the working directory: tests run in their package's folder.
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

// MakesImages reports whether the images of pods can be made here, and pushed.
func (l Layout) MakesImages() bool { return l.Module != "" || Released() }

// MakesClusters reports whether clusters can be made, which are given the images of pods.
func (l Layout) MakesClusters() bool { return l.Images != "" || l.MakesImages() }

// ClusterConfig is the file with the configuration of clusters and, where there is none, what stands in its place.
func (l Layout) ClusterConfig() (file string, builtIn []byte) {
	switch {
	case l.Images != "":
		return filepath.Join(filepath.Dir(l.Images), configFile), nil
	case l.Module != "":
		return filepath.Join(l.Module, configFile), nil
	}
	return configFile, releasedConfig()
}

// Runs is the folder that run folders go into: $ARTIFACTS, as Prow and others have it, or out in the module or, without it, in the
// working directory.
func (l Layout) Runs() string { return cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join(l.Module, "out")) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
