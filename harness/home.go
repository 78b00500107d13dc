package harness

import (
	"cmp"
	"os"
	"path/filepath"
	"rollcall/harness/usage"
	"strings"
)

// A Home is where Rollcall runs from: a clone of its repository, or an image into which its suites were compiled.
type Home struct {
	Folder   string // of the Go module; of an image, the one that has the programs
	Compiled bool   // the suites are there as programs, without their sources
}

// compiledSuites is the folder of an image that has a test program for every suite.
const compiledSuites = "suites"

// findHome looks beside the program that runs, and then for the nearest folder with a go.mod, from the working directory
// upwards: tests run in their package's folder.
func findHome() (Home, error) {
	if program, err := os.Executable(); err == nil {
		for _, dir := range []string{filepath.Dir(program), filepath.Dir(filepath.Dir(program))} {
			if programs, _ := filepath.Glob(filepath.Join(dir, compiledSuites, "*.test")); len(programs) > 0 {
				return Home{dir, true}, nil
			}
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return Home{}, err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return Home{dir, false}, nil
		}
		if dir == filepath.Dir(dir) {
			return Home{}, usage.New("working directory", "it is not inside the Rollcall module", "run this from a clone of the repository")
		}
	}
}

// Suites are the names of all there are.
func (h Home) Suites() ([]string, error) {
	pattern, name := filepath.Join(h.Folder, "suites", "*", "suite_test.go"), func(file string) string { return filepath.Base(filepath.Dir(file)) }
	if h.Compiled {
		pattern, name = filepath.Join(h.Folder, compiledSuites, "*.test"), func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".test") }
	}
	files, err := filepath.Glob(pattern)
	var names []string
	for _, file := range files {
		names = append(names, name(file))
	}
	return names, err
}

// Images is the folder with the images of the suites' pods, where they came without their sources.
func (h Home) Images() string { return filepath.Join(h.Folder, "images") }

// Program is where the test program of a suite is, or is to be.
func (h Home) Program(suite string) string {
	if h.Compiled {
		return filepath.Join(h.Folder, compiledSuites, suite+".test")
	}
	return filepath.Join(h.Folder, "out", "bin", suite+".test")
}

// Runs is the folder that run folders go into: $ARTIFACTS, as Prow and others have it, or out in the module.
func (h Home) Runs() string {
	return cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join(h.Folder, "out"))
}
