package provision

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// away has the test run where no clone is, with scripts of these names before the programs of the host.
func away(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir = t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Chdir(t.TempDir())
	return dir
}

const notHere = "(build it in a clone, beside rollcall or into PATH: go build ./harness/host/rollcall-host)"

func TestCall(t *testing.T) {
	for _, row := range []struct {
		sentence string
		script   string // empty: there is no rollcall-host
		made     string
		refused  string // usage error; empty: none
		fails    string // other error; empty: none
		progress string
	}{
		{"what it made comes back, and its progress is passed on", `echo compiling >&2; echo "{\"made\": \"/cache/$2-$3-$4\"}"`,
			"/cache/component-kubelet-v1.35.3", "", "", "compiling\n"},
		{"what it refuses is refused", `echo '{"error": "kubelet v1.35.3: its sources: no such host: have GOPROXY: answer"}'; exit 2`,
			"", "kubelet v1.35.3: its sources: no such host: have GOPROXY: answer", "", ""},
		{"also for several reasons", `printf '%s' '{"error": "memory: none: end programs\ndisk: full: free some"}'; exit 2`,
			"", "memory: none: end programs\ndisk: full: free some", "", ""},
		{"what it cannot do is an error", `echo '{"error": "out of memory"}'; exit 3`,
			"", "", "rollcall-host component kubelet v1.35.3: out of memory", ""},
		{"one that is killed is one too", `echo bad >&2; kill -9 $$`, "", "", "rollcall-host printed no answer: ", "bad\n"},
		{"and one that says something else", `echo hello`, "", "", "rollcall-host printed no answer: ", ""},
		{"without one the command is named", "", "",
			"kubelet v1.35.3: this host has none: rollcall-host component kubelet v1.35.3 " + notHere, "", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			scripts := map[string]string{}
			if row.script != "" {
				scripts[Program] = row.script
			}
			away(t, scripts)
			var progress bytes.Buffer
			made, err := Component(t.Context(), &progress, kube.Kubelet, "v1.35.3")
			if made != row.made || progress.String() != row.progress {
				t.Errorf("made %q, want %q, and said %q", made, row.made, &progress)
			}
			switch want := row.refused + row.fails; {
			case want == "" && err != nil:
				t.Error(err)
			case want != "" && (err == nil || usage.Is(err) != (row.refused != "") || !strings.HasPrefix(err.Error(), want)):
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// When the run is interrupted, rollcall-host ends what it is at, such as an installation of packages, and is waited for.
func TestCallThatIsInterrupted(t *testing.T) {
	dir := away(t, map[string]string{Program: `trap 'touch $(dirname $0)/tidied; exit 3' TERM; echo begun >&2; while :; do sleep 0.01; done`})
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("Ctrl-C")
	_, err := Component(ctx, writer(func() { cancel(interrupted) }), kube.Kubelet, "v1.35.3")
	if _, untidy := os.Stat(filepath.Join(dir, "tidied")); !errors.Is(err, interrupted) || untidy != nil {
		t.Errorf("error %v; %v", err, untidy)
	}
}

// A writer calls itself for each write.
type writer func()

func (w writer) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

func TestToRun(t *testing.T) {
	dir := away(t, map[string]string{Program: "exit 3"})
	if got, want := toRun("setup"), filepath.Join(dir, Program)+" setup"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	t.Chdir(filepath.Dir(dir))
	if got, want := toRun("node-image", "v1.37.2"), "./"+filepath.Base(dir)+"/rollcall-host node-image v1.37.2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNoUpgrade(t *testing.T) {
	dir := away(t, map[string]string{Program: "exit 3"})
	if because := NoUpgrade("v1.36.3", "v1.37.2"); because != "" {
		t.Errorf("rollcall-host is there, and %s", because)
	}
	if err := os.Remove(filepath.Join(dir, Program)); err != nil {
		t.Fatal(err)
	}
	if got, want := NoUpgrade("v1.36.3", "v1.37.2"), "its files are not here: rollcall-host upgrade v1.36.3 "+notHere; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if because := NoUpgrade(); because != "" {
		t.Errorf("nothing is upgraded, and %s", because)
	}
}

func TestLab(t *testing.T) {
	away(t, map[string]string{Program: `echo "said $*"; echo and >&2; exit 1`})
	var out bytes.Buffer
	code, err := Lab(t.Context(), &out, "run", "--k8s=v1.37.2", "--", "--run=it's|x y")
	if code != 1 || err != nil || !strings.Contains(out.String(), "said lab run --k8s=v1.37.2 -- --run=it's|x y\n") ||
		!strings.Contains(out.String(), "and\n") {
		t.Errorf("exit code %d, error %v, printed:\n%s", code, err, &out)
	}
}
