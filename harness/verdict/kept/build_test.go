package kept

import (
	"runtime/debug"
	"testing"
)

func TestWhichBuildsAVersionTellsApart(t *testing.T) {
	of := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: modified}}}
	}
	for _, row := range []struct {
		sentence string
		version  string
		info     *debug.BuildInfo
		changed  bool
	}{
		{"a commit", "abc", of("false"), false},
		{"a commit with changes", "abc", of("true"), true},
		{"a release", "v1.2.3", &debug.BuildInfo{}, false},
		{"a build of no known version", "devel", &debug.BuildInfo{}, true},
		{"a build that says nothing of itself", "devel", nil, true},
	} {
		if got := changed(row.version, row.info); got != row.changed {
			t.Errorf("%s: builds of it may differ: %v, want %v", row.sentence, got, row.changed)
		}
	}
	if sum, err := sumOfProgram(); err != nil || len(sum) != 12 {
		t.Errorf("the checksum of this program: %q, %v", sum, err)
	}
}
