package store

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: "0a951f2"}}
	for _, row := range []struct {
		sentence string
		info     debug.BuildInfo
		want     string
	}{
		{"a build of a checkout is of its commit", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: revision}, "0a951f2"},
		{"a build of a module is of its version", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		{"a build that knows neither", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel"},
		{"a test", debug.BuildInfo{}, "devel"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := versionOf(&row.info); got != row.want {
				t.Errorf("version %s, want %s", got, row.want)
			}
		})
	}
}
