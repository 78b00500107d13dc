package provision

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// fakeDocker is an engine. Each file in the folder images beside it is an image with its id; those in registry can be pulled.
const fakeDocker = `
cd $(dirname $0)
file() { echo "$1" | tr /:@ ___; }
case "$*" in
"image inspect --format {{.Id}} "*) cat images/$(file $5) ;;
"pull "*) cp registry/$(file $2) images/ && echo pulled ;;
*) echo "unexpected: docker $*" >&2; exit 1 ;;
esac`

// put writes the file of an image into a folder of the fake engine.
func put(t *testing.T, folder, name, id string) {
	t.Helper()
	file := strings.NewReplacer("/", "_", ":", "_", "@", "_").Replace(name)
	if err := os.WriteFile(filepath.Join(folder, file), []byte(id), 0o600); err != nil {
		t.Fatal(err)
	}
}

// keep writes a record of rollcall-host.
func keep(t *testing.T, tag, id string) {
	t.Helper()
	state, err := host.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(state, "nodeimage")
	if err := os.MkdirAll(records, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(records, tag+".id"), []byte(id+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Beside a release, which has no rollcall-host.
func TestNodeImageWithoutRollcallHost(t *testing.T) {
	const kinds, built = "v1.37.0", kube.NodeImages + ":" + kube.Default + "-5eed"
	for _, row := range []struct {
		sentence string
		asked    string
		prepare  func(t *testing.T, engine, registry string)
		image    string   // empty: refused
		says     []string // in the output or the error
	}{
		{"an image that rollcall-host made here is used", "", func(t *testing.T, engine, _ string) {
			put(t, engine, built, "sha256:built")
			keep(t, kube.Default+"-5eed", "sha256:built")
		}, built, nil},
		{"one of its name is not, and the version is one that kind publishes", "", func(t *testing.T, engine, _ string) {
			put(t, engine, built, "sha256:other")
			put(t, engine, kube.PublishedImage(kinds), "sha256:kinds")
			keep(t, kube.Default+"-5eed", "sha256:built")
		}, kube.PublishedImage(kinds), nil},
		{"a published one is pulled by its digest", "", func(t *testing.T, _, registry string) {
			put(t, registry, kube.PublishedImage(kinds), "sha256:kinds")
		}, kube.PublishedImage(kinds), []string{"pulled kindest/node@sha256:a1ed56cf"}},
		{"one that no registry gives is named with the command", kinds, func(*testing.T, string, string) {}, "",
			[]string{"node image v1.37.0: no registry gave it (", "): rollcall-host node-image v1.37.0 (build it in a clone, "}},
		{"one that nobody publishes too", "v1.37.2", func(*testing.T, string, string) {}, "",
			[]string{"node image v1.37.2: this host has none, and kind publishes none of this version: choose one that kind publishes, --k8s=v1.37.0, " +
				"or rollcall-host node-image v1.37.2 " + notHere}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := away(t, map[string]string{"docker": fakeDocker})
			t.Setenv("XDG_CACHE_HOME", t.TempDir()) // for the records
			engine, registry := filepath.Join(dir, "images"), filepath.Join(dir, "registry")
			for _, folder := range []string{engine, registry} {
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			row.prepare(t, engine, registry)
			version, err := Version(row.asked)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			image, err := NodeImage(t.Context(), &out, version)
			if image != row.image || usage.Is(err) != (row.image == "") || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("image %q, want %q; error %v", image, row.image, err)
			}
			if err != nil {
				out.WriteString(err.Error())
			}
			for _, says := range row.says {
				if !strings.Contains(out.String(), says) {
					t.Errorf("%q is missing in:\n%s", says, &out)
				}
			}
			if row.says == nil && out.Len() > 0 {
				t.Errorf("it said:\n%s", &out)
			}
		})
	}
}

func TestNodeImageByRollcallHost(t *testing.T) {
	away(t, map[string]string{Program: `echo "{\"made\": \"$*\"}"`})
	if version, err := Version(""); version != kube.Default || err != nil {
		t.Errorf("version %s, error %v", version, err)
	}
	const want = "--json node-image v1.36.3"
	if image, err := NodeImage(t.Context(), &bytes.Buffer{}, "v1.36.3"); image != want || err != nil {
		t.Errorf("image %s, want %s; error %v", image, want, err)
	}
}
