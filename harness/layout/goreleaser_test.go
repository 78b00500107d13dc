package layout

import (
	"errors"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// goreleaser makes the same release as `make release`: by the same target of make, from the same package and build tag.
func TestGoreleaserMakesARelease(t *testing.T) {
	text := must(os.ReadFile(filepath.Join(module, ".goreleaser.yaml")))(t)
	var config struct {
		Before struct{ Hooks []string }
		Builds []struct {
			Main string
			Tags []string
		}
		Archives []struct{ Files []string }
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Builds) != 1 || len(config.Before.Hooks) != 1 || len(config.Archives) != 1 {
		t.Fatalf("hooks, builds and archives are %+v, want one of each", config)
	}
	b := config.Builds[0]
	inRelease := build.Default
	inRelease.BuildTags = b.Tags
	for file, want := range map[string]bool{"inside.go": true, "outside.go": false} {
		if got := must(inRelease.MatchFile(".", file))(t); got != want {
			t.Errorf("with tags %q %s is compiled: %v", b.Tags, file, got)
		}
	}
	if pkg := must(build.ImportDir(filepath.Join(module, b.Main), 0))(t); !pkg.IsCommand() {
		t.Errorf("%s is not a program", b.Main)
	}
	for _, file := range config.Archives[0].Files {
		must(os.Stat(filepath.Join(module, file)))(t)
	}

	hook := strings.Fields(config.Before.Hooks[0])
	would, err := exec.CommandContext(t.Context(), hook[0], append(hook[1:], "-n", "-C", module)...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", hook, err, would)
	}
	for _, p := range append(sources(), program{"ociruntime", "./harness/host/ociruntime"}) {
		if !slices.Contains(strings.Fields(strings.ReplaceAll(string(would), ";", " ")), p.name+"="+p.pkg) {
			t.Errorf("%s does not compile %s into a release:\n%s", hook, p.pkg, would)
		}
	}
	folders := must(filepath.Rel(must(filepath.Abs(module))(t), must(filepath.Abs(folder))(t)))(t)
	if !strings.Contains(string(would), "mkdir -p "+folders+"/$arch") {
		t.Errorf("%s does not fill %s:\n%s", hook, folders, would)
	}
}
