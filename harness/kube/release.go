// Package kube names what Rollcall knows of Kubernetes: the versions that it supports, the node images that kind's maintainers publish
// for them, and the components that a node can run in another version. Rollcall itself only names them: program rollcall-host
// (harness/host/rollcall-host) makes what is not there.
package kube

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"example.com/rollcall/harness/usage"
)

// Default is the Kubernetes version of a run that names none.
const Default = "v1.37.2"

// releases are the Kubernetes versions of which a node image can be built, newest first, one per minor version.
var releases = []string{"v1.37.2", "v1.36.3", "v1.35.4"}

// Releases returns the Kubernetes versions of [Resolve]: those of releases, newest first, and then those that kind publishes.
func Releases() []string {
	all := slices.Clone(releases)
	for _, image := range published {
		all = append(all, image.version)
	}
	return all
}

// Resolve returns the release for a version as a person writes it, such as "v1.36.3", "1.36" or "v1.36.x". One that kind publishes has to
// be written in full.
func Resolve(asked string) (string, error) {
	if asked == "" {
		return Default, nil
	}
	want := "v" + strings.TrimSuffix(strings.TrimPrefix(asked, "v"), ".x")
	all := Releases()
	at := slices.IndexFunc(all, func(r string) bool {
		return r == want || strings.HasPrefix(r, want+".") && strings.Count(want, ".") == 1
	})
	if at < 0 {
		return "", usage.New("--k8s="+asked, "no node image is known for it", "use one of "+strings.Join(all, ", "))
	}
	return all[at], nil
}

// Unsupported returns what a person has to know about a version that is older or newer than those of [Releases]; empty if it is neither, or
// cannot be read.
func Unsupported(version string) string {
	oldest, newest := semver.MajorMinor(releases[len(releases)-1]), semver.MajorMinor(releases[0])
	switch minor := semver.MajorMinor(version); {
	case minor == "":
	case semver.Compare(minor, oldest) < 0:
		return fmt.Sprintf("older than %s, the oldest that is supported: claims that need a newer one are skipped", oldest)
	case semver.Compare(minor, newest) > 0:
		return fmt.Sprintf("newer than %s, the newest that is supported: what is different in it is not known", newest)
	}
	return ""
}
