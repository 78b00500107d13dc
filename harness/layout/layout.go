// Package layout knows where Rollcall runs from: the folder of its module or image, its suites, and the images of its pods.
package layout

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// A Layout is where Rollcall runs from: a clone of its repository, or a folder that has its program and, for kind clusters, the
// images of its pods.
type Layout struct {
	Folder   string // of the Go module; without it, of the program
	Prebuilt bool   // there are no sources
}

const imagesFolder = "images"

// Find looks for images beside the program that runs, and then for Rollcall's module, from the program upwards and from the working
// directory: tests run in their package's folder.
func Find() (Layout, error) {
	program, err := os.Executable()
	if err != nil {
		return Layout{}, err
	}
	beside := Layout{filepath.Dir(program), true}
	if _, err := os.Stat(beside.ImageFolder()); err == nil {
		return beside, nil
	}
	working, err := os.Getwd()
	if err != nil {
		return Layout{}, err
	}
	for _, from := range []string{beside.Folder, working} {
		if dir := moduleAbove(from); dir != "" {
			return Layout{dir, false}, nil
		}
	}
	return beside, nil
}

// moduleAbove is the nearest folder with Rollcall's go.mod; empty: there is none.
func moduleAbove(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module rollcall\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// ImageFolder is the folder with the images of the pods, where they came without their sources.
func (l Layout) ImageFolder() string { return filepath.Join(l.Folder, imagesFolder) }

// Runs is the folder that run folders go into: $ARTIFACTS, as Prow and others have it, or out in the module or, without it, in the
// working directory.
func (l Layout) Runs() string {
	if l.Prebuilt {
		return cmp.Or(os.Getenv("ARTIFACTS"), "out")
	}
	return cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join(l.Folder, "out"))
}
