package kept

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"example.com/rollcall/harness/evidence/store"
)

// build names the build of this process by its version. Two builds of a checkout with changes, or of a test, have the same: then the
// checksum of the program's file tells them apart.
var build = sync.OnceValue(func() string {
	version := store.Version()
	info, _ := debug.ReadBuildInfo()
	if !changed(version, info) {
		return version
	}
	sum, err := sumOfProgram()
	if err != nil {
		sum = rand.Text() // no other build is the same
	}
	return version + "+" + sum
})

// changed reports whether builds of the version may differ.
func changed(version string, info *debug.BuildInfo) bool {
	if info == nil {
		return true
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.modified" {
			return setting.Value != "false"
		}
	}
	return version == "devel"
}

// sumOfProgram returns the checksum of the file that this process runs, even if another has replaced it since.
func sumOfProgram() (string, error) {
	f, err := os.Open("/proc/self/exe")
	if err != nil { // not on Linux
		path, err := os.Executable()
		if err != nil {
			return "", err
		}
		if f, err = os.Open(path); err != nil {
			return "", err
		}
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}
