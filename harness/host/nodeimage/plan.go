package nodeimage

import (
	"os"
	"time"
)

// typicalBuild returns how long a build without any finished part takes: 9 minutes on 2 cores of the reference host. Nearly all of
// that is compiling, so it is less with more cores.
func typicalBuild() time.Duration { return 9 * time.Minute * 2 / time.Duration(cores()) }

// label returns the name of the step that makes the part.
func (p goPart) label() string { return p.Name + " " + p.Version }

// folder returns the folder of the finished part.
func (p goPart) folder(builds string) string {
	return partDir(builds, p.Name, p.Version, partInputs{revision, p})
}

func (p goPart) built(builds string) bool { return exists(p.folder(builds)) }

func debianFolder(builds string) string {
	return partDir(builds, "debian", debian.Suite, partInputs{revision, debian})
}

func exists(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}
