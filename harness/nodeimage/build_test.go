package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

// fakeGo does what the go command is asked for in a build, without any sources. It writes what it was asked into $SAID, and
// waits, before it compiles what $WAIT names, for a file.
const fakeGo = `
case "$*" in
"mod download"*) echo "{\"GoMod\": \"go.mod\"}" ;;
"mod edit"*) echo "{\"Go\": \"1.26\"}" ;;
"list -deps"*)
	echo "list $*" >>$SAID
	case "$*" in *"$NOSOURCES"*) echo "dial tcp: no such host" >&2; exit 1 ;; esac
	printf "\na.example/x\n\na.example/y\n"
	case "$*" in *coremain*|*./coredns*) touch $FETCHED ;; esac ;;
"build "*)
	echo "build $GOGC $*" >>$SAID
	printf "net/http\na.example/x\na.example/y\n" >&2
	while test -n "$WAIT" && ! test -e $WAIT; do sleep 0.01; done
	case "$*" in *"$FAILS"*) echo "out of memory" >&2; exit 1 ;; esac
	while test "$1" != -o; do shift; done
	for target in "$@"; do touch $2$(basename $target); done ;;
*) echo "unexpected: go $*" >&2; exit 1 ;;
esac
`

// fakeTools puts programs of these names before those of the host.
func fakeTools(t *testing.T, scripts map[string]string) (said string) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	said = filepath.Join(dir, "said")
	for name, value := range map[string]string{"PATH": dir + ":" + os.Getenv("PATH"), "SAID": said, "FETCHED": filepath.Join(dir, "fetched"),
		"WAIT": "", "FAILS": "nothing", "NOSOURCES": "nothing", "XDG_CACHE_HOME": filepath.Join(dir, "cache")} {
		t.Setenv(name, value)
	}
	return said
}

func testBuilder(t *testing.T, w *bytes.Buffer) *builder {
	folder := t.TempDir()
	steps, err := NewBuilder(w, folder, "build.log", "node image", 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { steps.Close() })
	return &builder{steps, Default, folder, filepath.Join(folder, "work")}
}

func asked(t *testing.T, said, word string) (lines []string) {
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, word) {
			lines = append(lines, line)
		}
	}
	return lines
}

// debootstrap of a test makes an almost empty root.
const debootstrap = `for root in "$@"; do :; done; mkdir -p $root/etc`

// The first compiler is held until the module of the last part is there and Debian has begun: both are beside it.
func TestMakePartsBesideTheCompiler(t *testing.T) {
	said := fakeTools(t, map[string]string{"go": fakeGo, "debootstrap": debootstrap + `; while ! test -e $FETCHED; do sleep 0.01; done`})
	t.Setenv("WAIT", os.Getenv("FETCHED"))
	var out bytes.Buffer
	b := testBuilder(t, &out)
	if err := b.makeParts(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, p := range programsOf(Default) {
		if !p.built(b.folder) {
			t.Errorf("%s is not made", p.Name)
		}
	}
	if !exists(filepath.Join(debianFolder(b.folder), "rootfs.tar")) {
		t.Error("Debian is not made")
	}
	builds := asked(t, said, "build")
	for _, line := range builds {
		for _, flag := range []string{"build 400 ", " -trimpath ", " -gcflags=all=-dwarf=false ", " -s -w "} {
			if !strings.Contains(line, flag) {
				t.Errorf("%q is not in %q", flag, line)
			}
		}
	}
	for _, part := range []string{"version.gitVersion=" + Default, "cmd/kubeadm k8s.io/kubernetes/cmd/kubectl "} {
		if !strings.Contains(builds[0], part) {
			t.Errorf("Kubernetes' programs are not compiled in one command, with their version: %s", builds[0])
		}
	}
	if err := b.makeParts(t.Context()); err != nil || len(asked(t, said, "")) != 2*len(builds) {
		t.Errorf("a second time makes something: %v", err)
	}
	if steps := plan(b.folder, Default); len(steps) != 2 {
		t.Errorf("what is left is planned as %v, want assemble and load", steps)
	}
}

func TestMakePartsThatFail(t *testing.T) {
	for _, row := range []struct {
		sentence string
		env      string
		value    string
		debian   string
		want     string
		kept     []string // parts
	}{
		{"a compiler that fails is named, and Debian comes to its end", "FAILS", "./etcd", debootstrap, "step etcd v3.7.2",
			[]string{"cni", "containerd", "debian", "kubernetes", "runc"}},
		{"sources that do not come are named", "NOSOURCES", "plugins/main/ptp", debootstrap, "no such host",
			[]string{"containerd", "debian", "kubernetes", "runc"}},
		{"without Debian the compiler is not waited for", "WAIT", "/nowhere", "echo no mirror >&2; exit 1", "no mirror", nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			fakeTools(t, map[string]string{"go": fakeGo, "debootstrap": row.debian})
			t.Setenv(row.env, row.value)
			b := testBuilder(t, &bytes.Buffer{})
			err := b.makeParts(t.Context())
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			made, err := filepath.Glob(filepath.Join(b.folder, "parts", "*"))
			if err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, dir := range made {
				if name, _, _ := strings.Cut(filepath.Base(dir), "-"); !strings.HasSuffix(dir, ".partial") {
					kept = append(kept, name)
				}
			}
			if !slices.Equal(kept, row.kept) {
				t.Errorf("kept %v, want %v", kept, row.kept)
			}
		})
	}
}

func TestMetricsServer(t *testing.T) {
	said := fakeTools(t, map[string]string{"go": fakeGo})
	t.Run("a host that its sources do not come to is refused", func(t *testing.T) {
		t.Setenv("NOSOURCES", "metrics-server")
		_, err := MetricsServer(t.Context(), &bytes.Buffer{})
		if !usage.Is(err) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no such host") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a compiler that fails is an error", func(t *testing.T) {
		t.Setenv("FAILS", "metrics-server")
		if _, err := MetricsServer(t.Context(), &bytes.Buffer{}); err == nil || usage.Is(err) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("one that is given up is neither", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := MetricsServer(ctx, &bytes.Buffer{}); !errors.Is(err, context.Canceled) || usage.Is(err) {
			t.Errorf("error %v", err)
		}
	})
	if err := os.Remove(said); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		archive, err := MetricsServer(t.Context(), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"RepoTags":["` + MetricsServerImage + `"]`, "./usr/local/bin/metrics-server"} {
			if !bytes.Contains(archive, []byte(part)) {
				t.Errorf("%q is not in the archive of %d bytes", part, len(archive))
			}
		}
	}
	if builds := asked(t, said, "build"); len(builds) != 1 || !strings.Contains(builds[0], "sigs.k8s.io/metrics-server/cmd/metrics-server") {
		t.Errorf("compiled with %q, want it once", builds)
	}
}

func TestPackageCounter(t *testing.T) {
	var reached float64
	count := &packageCounter{total: 4, progress: func(part float64) { reached = part }}
	for _, row := range []struct {
		sentence, line string
		want           float64
	}{
		{"a message is no package", "go: downloading k8s.io/api v0.36.3\n", 0},
		{"the standard library's packages are there from before", "net/http\nvendor/golang.org/x/net/idna\n", 0},
		{"a package counts", "k8s.io/api/core/v1\n", 0.25},
		{"several may come at once", "k8s.io/utils/ptr\nsigs.k8s.io/yaml\n", 0.75},
		{"more than were expected are no more than all", "a.b/c\na.b/d\n", 1},
	} {
		if _, err := count.Write([]byte(row.line)); err != nil || reached != row.want {
			t.Errorf("%s: %v, %v", row.sentence, reached, err)
		}
	}
}

func TestPlan(t *testing.T) {
	folder := t.TempDir()
	all := plan(folder, Default)
	for _, s := range all {
		if s.Typical <= 0 {
			t.Errorf("nobody knows how long %s takes", s.Name)
		}
	}
	if metricsServer.step().Typical <= 0 {
		t.Error("nobody knows how long metrics-server takes")
	}
	for _, p := range programsOf(Default) {
		if err := os.MkdirAll(p.folder(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if left := plan(folder, Default); len(left) != 3 || !strings.HasPrefix(left[0].Name, "debian") {
		t.Errorf("with all programs there %v is left, want Debian and what makes the image", left)
	}
	if other := plan(folder, "v1.36.3"); len(other) != 3 || other[0].Name != "kubernetes v1.36.3" {
		t.Errorf("of another version %v is left, want its programs", other)
	}
}
