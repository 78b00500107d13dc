package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/provision"
)

// fakeHost puts scripts of these names before the programs of the host, and gives the test a state folder of its own.
func fakeHost(t *testing.T, scripts map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func TestRun(t *testing.T) {
	const engine = `case "$*" in "image inspect"*) echo sha256:1 ;; *) exit 1 ;; esac`
	const away = `case "$*" in "mod download"*) echo "dial tcp: no such host" >&2; exit 1 ;; *) exit 2 ;; esac`
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		made     string // beginning of standard output
		err      string // in the error
	}{
		{"the node image that the engine has", []string{"node-image"}, 0, kube.NodeImages + ":" + kube.Default + "-", ""},
		{"that of a minor version", []string{"node-image", "v1.36.x"}, 0, kube.NodeImages + ":v1.36.3-", ""},
		{"one of an unknown version", []string{"node-image", "v1.2"}, 2, "", "v1.2: no node image is known for it: use one of v1.37.2"},
		{"two versions", []string{"node-image", "v1.36.x", "v1.37.x"}, 2, "", "accepts at most 1 arg(s), received 2"},
		{"a component whose sources do not come", []string{"component", "kubelet", "v1.35.3"}, 2, "",
			"kubelet v1.35.3: its sources cannot be downloaded: dial tcp: no such host: have `go env GOPROXY` name a module proxy"},
		{"a component that there is not", []string{"component", "etcd", "v3.7.2"}, 2, "",
			"component etcd: it is not one that a node can run in another version: use one of [kubelet kube-proxy kube-controller-manager]"},
		{"a component of a minor version", []string{"component", "kubelet", "v1.35"}, 2, "",
			"component kubelet v1.35: it is not a version: write it in full, such as v1.35.3"},
		{"a component of no version", []string{"component", "kubelet"}, 2, "", "accepts 2 arg(s), received 1"},
		{"metrics-server whose sources do not come", []string{"metrics-server"}, 2, "",
			"metrics-server v0.9.0: its sources cannot be downloaded"},
		{"an upgrade whose files cannot be copied", []string{"upgrade", "v1.36.3"}, 3, "", "nodeimage: step upgrade v1.36.3: docker create"},
		{"a lab of an unknown version", []string{"lab", "run", "--k8s=v1.2"}, 2, "", "v1.2: no node image is known for it"},
		{"a lab that there is not", []string{"lab", "remove"}, 0, "", ""},
		{"an unknown command", []string{"fly"}, 2, "", `unknown command "fly"`},
		{"a call for help", []string{"--help"}, 0, "Makes a host fit for Rollcall's clusters", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			fakeHost(t, map[string]string{"docker": engine, "go": away})
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), row.args, &stdout, &stderr); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if !strings.HasPrefix(stdout.String(), row.made) || row.made == "" && stdout.Len() > 0 {
				t.Errorf("made %q, want %q", &stdout, row.made)
			}
			if !strings.Contains(stderr.String(), row.err) || strings.Contains(stderr.String(), "Error: ") != (row.err != "") {
				t.Errorf("stderr, which should say %q:\n%s", row.err, &stderr)
			}
			if row.made == "" && row.err == "" || row.args[0] == "--help" || row.args[0] == "fly" {
				return // of an unknown command cobra does not read the options
			}
			var answer provision.Answer
			var as bytes.Buffer
			stderr.Reset()
			code := run(t.Context(), append([]string{provision.JSON}, row.args...), &as, &stderr)
			if err := json.Unmarshal(as.Bytes(), &answer); err != nil || code != row.code || strings.Contains(stderr.String(), "Error: ") {
				t.Errorf("exit code %d of a call by a program, which is told %s: %v\n%s", code, &as, err, &stderr)
			}
			if answer.Made != strings.TrimSpace(stdout.String()) || !strings.Contains(answer.Error, row.err) {
				t.Errorf("a program is told %+v", answer)
			}
		})
	}
}
