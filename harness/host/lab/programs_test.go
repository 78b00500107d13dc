package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

// fakeRollcall is a program rollcall that appends its arguments to the file told beside it, before it runs a script.
func fakeRollcall(t *testing.T, script string) (p programs, told func() string) {
	t.Helper()
	p = programs(t.TempDir())
	text := "#!/bin/sh\necho \"$*\" >>$(dirname $0)/told\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(string(p), "rollcall"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return p, func() string {
		text, _ := os.ReadFile(filepath.Join(string(p), "told"))
		return string(text)
	}
}

// Options that rollcall run refuses are refused before a lab is built for them.
func TestCheckOptions(t *testing.T) {
	o := Options{Module: t.TempDir(), Kubernetes: "v1.37.2", Args: []string{"--suites=nope"}}
	for _, row := range []struct {
		sentence, script string
		says             string // empty: they are taken
	}{
		{"a run in which all would pass", "exit 0", ""},
		{"one on a host without IP_VS", "echo every scenario is skipped; exit 3", ""},
		{"a suite that there is not", `echo "Error: --suites=nope: it does not exist" >&2; exit 2`,
			"ipvs lab: --suites=nope: it does not exist: rollcall run --help lists the options"},
	} {
		p, told := fakeRollcall(t, row.script)
		if err := p.check(t.Context(), o); usage.Is(err) != (row.says != "") || err != nil && err.Error() != row.says {
			t.Errorf("%s: error %v, want %q", row.sentence, err, row.says)
		}
		if got, want := told(), "run --modes=ipvs --k8s=v1.37.2 --rate=6 --suites=nope --dry-run\n"; got != want {
			t.Errorf("%s: rollcall %s, want %s", row.sentence, got, want)
		}
	}
	if err := programs(t.TempDir()).check(t.Context(), o); err == nil || usage.Is(err) {
		t.Errorf("error %v of a program that is not there", err)
	}
}

func TestPublish(t *testing.T) {
	runs := t.TempDir()
	for _, id := range []string{"20261122-010203", "20261122-020304"} {
		p, told := fakeRollcall(t, "exit 0")
		if err := p.publish(t.Context(), runs, filepath.Join(runs, id)); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(filepath.Join(runs, "latest-ipvs")); to != id || err != nil {
			t.Errorf("latest-ipvs leads to %q, error %v", to, err)
		}
		if want := "trend " + filepath.Join(runs, id) + " --history=" + filepath.Join(runs, "history.jsonl"); strings.TrimSpace(told()) != want {
			t.Errorf("rollcall %s, want %s", told(), want)
		}
	}
}
