package commands

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/layout"
)

func TestVersion(t *testing.T) {
	kubernetes := "kubernetes  " + strings.Join(kube.Releases(), ", ")
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		platform := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}}
		return &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}, Settings: append(platform, settings...)}
	}
	committed := debug.BuildSetting{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}
	for _, row := range []struct {
		sentence string
		info     *debug.BuildInfo
		inside   []layout.Digest
		want     []string
	}{
		{"a build of a tag", built("v1.2.3", committed), nil,
			[]string{"version     v1.2.3", "date        2026-01-02T03:04:05Z", kubernetes, "go          go1.26.8 linux/arm64"}},
		{"a build of a checkout with changes", built("(devel)", committed, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), nil,
			[]string{"date        2026-01-02T03:04:05Z, and changes that were not committed", kubernetes, "go          go1.26.8 linux/arm64"}},
		{"a build of something else, in which programs are", built("(devel)"), []layout.Digest{{Program: "echo", Arch: "amd64", SHA256: "ab"}},
			[]string{kubernetes, "go          go1.26.8 linux/arm64", "inside      echo linux/amd64 sha256:ab"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got := strings.Split(strings.TrimSuffix(build(row.info, row.inside), "\n"), "\n")
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
