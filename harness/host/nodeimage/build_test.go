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
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// fakeGo is a go command for builds without any sources. It appends its calls to the file $SAID, and what it is told about checksums to
// $SAID.env. If $WAIT is set, it waits for that file before it compiles.
const fakeGo = `
echo "$1 $GOSUMDB $GOFLAGS" >>$SAID.env
case "$*" in
"mod download"*) echo "{\"GoMod\": \"$SAID.mod\"}" ;;
"list -deps"*)
	echo "list $*" >>$SAID
	case "$*" in *"$NOSOURCES"*) echo "dial tcp: no such host" >&2; exit 1 ;; esac
	printf "a.example/x\na.example/y\n" ;;
"build "*)
	echo "build $GOGC $*" >>$SAID
	touch $COMPILING
	while test -n "$WAIT" && ! test -e $WAIT; do sleep 0.01; done
	case "$*" in *"$FAILS"*) echo "out of memory" >&2; touch $FAILED; exit 1 ;; esac
	while test "$1" != -o; do shift; done
	for target in "$@"; do touch $2$(basename $target); done ;;
*) echo "unexpected: go $*" >&2; exit 1 ;;
esac
`

// fakeTools puts programs with these names before those of the host in PATH.
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
	if err := os.WriteFile(said+".mod", []byte("go 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"PATH": dir + ":" + os.Getenv("PATH"), "SAID": said,
		"COMPILING": filepath.Join(dir, "compiling"), "FAILED": filepath.Join(dir, "failed"),
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
	return &builder{steps, kube.Default, folder, filepath.Join(folder, "work")}
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

// debootstrap is a script that makes an almost empty root, if it is told to check signatures.
const debootstrap = `test "$1" = --force-check-gpg || exit 1; for root in "$@"; do :; done; mkdir -p $root/etc`

// The first compiler waits until Debian's installation has begun, and that until the compiler has, so they run in parallel. All sources
// are downloaded by then.
func TestMakePartsBesideTheCompiler(t *testing.T) {
	const besideIt = `; touch $WAIT; while ! test -e $COMPILING; do sleep 0.01; done`
	said := fakeTools(t, map[string]string{"go": fakeGo, "debootstrap": debootstrap + besideIt})
	t.Setenv("WAIT", filepath.Join(t.TempDir(), "debian"))
	var out bytes.Buffer
	b := testBuilder(t, &out)
	if err := b.makeParts(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, p := range programsOf(kube.Default) {
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
	for _, part := range []string{"version.gitVersion=" + kube.Default, "cmd/kubeadm k8s.io/kubernetes/cmd/kubectl "} {
		if !strings.Contains(builds[0], part) {
			t.Errorf("Kubernetes' programs are not compiled in one command, with their version: %s", builds[0])
		}
	}
	if err := b.makeParts(t.Context()); err != nil || len(asked(t, said, "")) != 2*len(builds) {
		t.Errorf("a second time makes something: %v", err)
	}
	if lists := asked(t, said, ""); strings.HasPrefix(lists[len(builds)-1], "build") {
		t.Errorf("a compiler runs before all sources are there: %q", lists)
	}
}

// after returns a script that waits for a file before it goes on with another script.
func after(file, script string) string {
	return "while ! test -e " + file + "; do sleep 0.01; done; " + script
}

func TestMakePartsThatFail(t *testing.T) {
	for _, row := range []struct {
		sentence string
		env      string
		value    string
		debian   string
		want     []string // in the error
		kept     []string // parts
		builds   int      // compilers that were started
	}{
		{"a compiler that fails is named, and Debian comes to its end after it", "FAILS", "./etcd", after("$FAILED", debootstrap),
			[]string{"step etcd v3.7.2", "out of memory"}, []string{"cni", "containerd", "debian", "kubernetes", "runc"}, 5},
		{"sources that do not come are named before anything is compiled", "NOSOURCES", "plugins/main/ptp", debootstrap,
			[]string{"step sources", errNoSources.Error(), "no such host"}, []string{"debian"}, 0},
		{"without Debian a compiler that runs is not waited for", "WAIT", "/nowhere", after("$COMPILING", "echo no mirror >&2; exit 1"),
			[]string{"step debian bookworm", "no mirror"}, nil, 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			said := fakeTools(t, map[string]string{"go": fakeGo, "debootstrap": row.debian})
			t.Setenv(row.env, row.value)
			b := testBuilder(t, &bytes.Buffer{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			failed := b.makeParts(ctx)
			if ctx.Err() != nil {
				t.Error("it was waited for what never ends")
			}
			for _, want := range row.want {
				if failed == nil || !strings.Contains(failed.Error(), want) {
					t.Errorf("error %v, want %q", failed, want)
				}
			}
			if builds := asked(t, said, "build"); len(builds) != row.builds {
				t.Errorf("%d compilers were started, want %d: %q", len(builds), row.builds, builds)
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

// What the user says of checksums counts, and no other mode of modules.
func TestModulesAreCheckedAsTheUserSays(t *testing.T) {
	said := fakeTools(t, map[string]string{"go": fakeGo})
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-mod=vendor")
	if _, err := MetricsServer(t.Context(), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(said + ".env")
	if want := "mod off -mod=vendor\nlist off -mod=mod\nbuild off -mod=mod\n"; string(text) != want || err != nil {
		t.Errorf("got\n%swant\n%serror %v", text, want, err)
	}
}

func TestSourcesRemedy(t *testing.T) {
	const at = "go: golang.org/x/text@v0.14.0: verifying module: "
	for _, row := range []struct{ sentence, said, want string }{
		{"a proxy that is away", `Get "https://proxy.example/x": dial tcp: no such host`, "GOPROXY"},
		{"a checksum database that is away", at + `golang.org/x/text@v0.14.0: initializing sumdb.Client: Get "https://x": dial tcp: refused`,
			"GOSUMDB=off"},
		{"a changed module is nothing to switch the check off for", at + "checksum mismatch\nSECURITY ERROR", "GOPROXY"},
	} {
		got := sourcesRemedy(&command.Error{Line: "go list", Output: row.said, Err: errors.New("exit status 1")})
		if !strings.Contains(got, row.want) || strings.Contains(got, "off") != strings.Contains(row.want, "off") {
			t.Errorf("%s: %s", row.sentence, got)
		}
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
		file, err := MetricsServer(t.Context(), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		archive, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"RepoTags":["` + kube.MetricsServerImage + `"]`, "./usr/local/bin/metrics-server"} {
			if !bytes.Contains(archive, []byte(part)) {
				t.Errorf("%q is not in the archive of %d bytes", part, len(archive))
			}
		}
	}
	if builds := asked(t, said, "build"); len(builds) != 1 || !strings.Contains(builds[0], "sigs.k8s.io/metrics-server/cmd/metrics-server") {
		t.Errorf("compiled with %q, want it once", builds)
	}
}
