package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigFile(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		args     []string
		file     string
	}{
		{"create reads its bundle", []string{"--root", "/r", "create", "--bundle", "/b", "id"}, "/b/config.json"},
		{"the short option counts too", []string{"run", "-b", "/b", "id"}, "/b/config.json"},
		{"without a bundle it is the working directory", []string{"create", "id"}, "config.json"},
		{"exec reads the process file", []string{"--log", "/l", "exec", "--process=/tmp/p", "id"}, "/tmp/p"},
		{"exec without a process file takes its words from the command line", []string{"exec", "id", "ls"}, ""},
		{"other commands start nothing", []string{"kill", "id", "15"}, ""},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if file, _ := configFile(tc.args); file != tc.file {
				t.Errorf("file %q, want %q", file, tc.file)
			}
		})
	}
}

func TestRewrite(t *testing.T) {
	const in = `{"process":{"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],"effective":["CAP_SYS_RESOURCE"]},"args":["x"]},"linux":{"limit":9223372036854775807}}`
	const want = `{"linux":{"limit":9223372036854775807},"process":{"args":["x"],"capabilities":{"bounding":["CAP_CHOWN"],"effective":[]}}}`
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file, []string{"process", "capabilities"}, []string{"CAP_SYS_RESOURCE"}); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
