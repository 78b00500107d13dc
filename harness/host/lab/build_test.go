package lab

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/host/nodeimage"
)

func testBuilder(t *testing.T) builder {
	t.Helper()
	folder := t.TempDir()
	steps, err := nodeimage.NewBuilder(io.Discard, folder, "build.log", "ipvs lab", 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { steps.Close() })
	return builder{steps, folder}
}

func TestSources(t *testing.T) {
	const download = `case "$*" in *" download "*) ;; *) exit 0 ;; esac
`
	for _, row := range []struct {
		sentence string
		apt      string // script, which runs in the folder that the package is downloaded to
		deb      string // name; empty: an error
	}{
		{"the version of the recipe is downloaded", download +
			`case "$*" in *linux-source-7.2=*) touch linux-source-7.2_1_all.deb ;; *) exit 1 ;; esac`, "linux-source-7.2_1_all.deb"},
		{"a later one when the suite has moved on", download +
			`case "$*" in *linux-source-7.2=*) exit 1 ;; *) touch linux-source-7.2_2_all.deb ;; esac`, "linux-source-7.2_2_all.deb"},
		{"lists that cannot be fetched are an error", `echo "no network" >&2; exit 1`, ""},
		{"so is a package that is not there", download + `exit 1`, ""},
		{"and one that was not left in the folder", download + `true`, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ran := fakePrograms(t, map[string]string{"apt-get": row.apt})
			b, dir := testBuilder(t), t.TempDir()
			system := b.Dir("system", labSystem.Suite, labSystem)
			if err := os.MkdirAll(system, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(system, sourcesList), []byte("deb http://mirror.example/debian trixie main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			deb, err := b.sources(t.Context(), dir)
			if (err != nil) != (row.deb == "") || row.deb != "" && deb != filepath.Join(dir, row.deb) {
				t.Errorf("%q, %v", deb, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "apt")); err == nil {
				t.Error("apt's own folder is left")
			}
			text, err := os.ReadFile(ran)
			if err != nil || !strings.Contains(string(text), "Dir::Etc::SourceParts=-") {
				t.Errorf("apt was not kept from the host's sources: %s%v", text, err)
			}
		})
	}
}

func TestSystem(t *testing.T) {
	const makesRoot = `for root in "$@"; do :; done; mkdir -p $root/sbin $root/etc/apt && echo "deb x" >$root/etc/apt/sources.list`
	for _, row := range []struct {
		sentence string
		unshare  string // debootstrap, as isolated runs it
		mkfs     string
		fails    bool
	}{
		{"a Debian becomes a disk", makesRoot, "", false},
		{"a mirror that does not answer is an error", "exit 1", "", true},
		{"so is a disk that is too small", makesRoot, "exit 1", true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ran := fakePrograms(t, map[string]string{"unshare": row.unshare, "chroot": "", "mkfs.ext4": row.mkfs})
			b, dir := testBuilder(t), t.TempDir()
			if err := b.system(t.Context(), dir); (err != nil) != row.fails {
				t.Fatalf("error %v", err)
			}
			if row.fails {
				return
			}
			if _, err := os.Stat(filepath.Join(dir, "root")); err == nil {
				t.Error("the unpacked system is left beside its disk")
			}
			text, err := os.ReadFile(ran)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"debootstrap --force-check-gpg --variant=minbase --include=docker.io,",
				"update-alternatives --set iptables /usr/sbin/iptables-nft", "mkfs.ext4 -q -F -d "} {
				if !strings.Contains(string(text), part) {
					t.Errorf("%q did not run:\n%s", part, text)
				}
			}
		})
	}
}

// A machine's kernel is a process. Here it is a script in place of prlimit, which would start it.
func TestMachineRun(t *testing.T) {
	const shared = `for word in "$@"; do case $word in hostfs=*) shared=${word#hostfs=} ;; esac; done; echo booted; `
	for _, row := range []struct {
		sentence string
		kernel   string
		code     int
		fails    string // empty: it does not
	}{
		{"the script's exit code comes back", shared + "echo 3 >$shared/code", 3, ""},
		{"a script that succeeds is 0", shared + "test -e $shared/task.sh && echo 0 >$shared/code", 0, ""},
		{"a kernel that panics is an error", shared + "exit 134", 0, "the lab's kernel ended: exit status 134"},
		{"so is one that stops too early", shared + "exit 0", 0, "the lab stopped before its script had ended"},
		{"and one whose script left no number", shared + "echo killed >$shared/code", 0, "invalid syntax"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			fakePrograms(t, map[string]string{"prlimit": row.kernel})
			m := machine{kernel: "linux", root: "root.ext4", docker: "docker.ext4", shared: t.TempDir()}
			if err := os.WriteFile(m.file(codeFile), []byte("99"), 0o644); err != nil { // left by an earlier run
				t.Fatal(err)
			}
			var console strings.Builder
			code, err := m.run(t.Context(), &console, "true")
			if code != row.code || (err != nil) != (row.fails != "") || err != nil && !strings.Contains(err.Error(), row.fails) {
				t.Errorf("code %d, %v", code, err)
			}
			if !strings.Contains(console.String(), "booted") {
				t.Errorf("console %q", &console)
			}
		})
	}
}
