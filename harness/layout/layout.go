// Package layout knows where Rollcall runs from: the folder of its module or image, its suites, and the images of its pods.
package layout

import (
	"cmp"
	"os"
	"path/filepath"
	"rollcall/harness/usage"
	"strings"
)

// A Layout is where Rollcall runs from: a clone of its repository, or an image into which its suites were compiled.
type Layout struct {
	Folder   string // of the Go module; of an image, the one that has the programs
	Prebuilt bool   // the suites are there as programs, without their sources
}

// suitesFolder is the folder of an image that has a test program for every suite.
const suitesFolder = "suites"

// Find looks beside the program that runs, and then for the nearest folder with a go.mod, from the working directory
// upwards: tests run in their package's folder.
func Find() (Layout, error) {
	if program, err := os.Executable(); err == nil {
		for _, dir := range []string{filepath.Dir(program), filepath.Dir(filepath.Dir(program))} {
			if programs, _ := filepath.Glob(filepath.Join(dir, suitesFolder, "*.test")); len(programs) > 0 {
				return Layout{dir, true}, nil
			}
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return Layout{}, err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return Layout{dir, false}, nil
		}
		if dir == filepath.Dir(dir) {
			return Layout{}, usage.New("working directory", "it is not inside the Rollcall module", "run this from a clone of the repository")
		}
	}
}

// Suites are the names of all there are.
func (l Layout) Suites() ([]string, error) {
	pattern := filepath.Join(l.Folder, "suites", "*", "suite_test.go")
	name := func(file string) string { return filepath.Base(filepath.Dir(file)) }
	if l.Prebuilt {
		pattern = filepath.Join(l.Folder, suitesFolder, "*.test")
		name = func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".test") }
	}
	files, err := filepath.Glob(pattern)
	var names []string
	for _, file := range files {
		names = append(names, name(file))
	}
	return names, err
}

// ImageFolder is the folder with the images of the suites' pods, where they came without their sources.
func (l Layout) ImageFolder() string { return filepath.Join(l.Folder, "images") }

// Program is where the test program of a suite is, or is to be.
func (l Layout) Program(suite string) string {
	if l.Prebuilt {
		return filepath.Join(l.Folder, suitesFolder, suite+".test")
	}
	return filepath.Join(l.Folder, "out", "bin", suite+".test")
}

// Runs is the folder that run folders go into: $ARTIFACTS, as Prow and others have it, or out in the module.
func (l Layout) Runs() string {
	return cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join(l.Folder, "out"))
}
