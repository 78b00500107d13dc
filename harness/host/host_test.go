package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/dataplane"
)

func TestWithWrapper(t *testing.T) {
	const wrapper = `"path": "/usr/local/lib/rollcall/ociruntime"`
	for _, tc := range []struct {
		sentence, before string
		keeps            []string
		err              string
	}{
		{"without a file the wrapper is the only setting", "", nil, ""},
		{"other settings stay", `{"log-level":"warn","bip":"10.9.0.1/24"}`, []string{`"log-level": "warn"`, `"bip": "10.9.0.1/24"`}, ""},
		{"other runtimes stay", `{"runtimes":{"crun":{"path":"/usr/bin/crun"}}}`, []string{`"path": "/usr/bin/crun"`}, ""},
		{"a default runtime of somebody else is not replaced", `{"default-runtime":"nvidia"}`, nil, "does not replace"},
		{"the engine's own default is", `{"default-runtime":"runc"}`, nil, ""},
		{"a file that is no JSON is not touched", `{"bip":`, nil, "not a JSON object"},
		{"runtimes of another shape are not touched", `{"runtimes":[]}`, nil, "runtimes"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			after, err := withWrapper([]byte(tc.before))
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if err != nil {
				return
			}
			for _, text := range append(tc.keeps, wrapper, `"default-runtime": "rollcall"`) {
				if !strings.Contains(string(after), text) {
					t.Errorf("%s lacks %s", after, text)
				}
			}
			again, err := withWrapper(after)
			if diff := cmp.Diff(string(after), string(again)); err != nil || diff != "" {
				t.Errorf("a second time changes something: %v %s", err, diff)
			}
		})
	}
}

func TestSupports(t *testing.T) {
	bare := dataplane.Kernel{Release: "6.18"}
	for mode, want := range map[string]bool{"iptables": true, "nftables": false, "ipvs": false} {
		supported, because := dataplane.Of(mode).Supported(bare)
		if supported != want || because == "" {
			t.Errorf("%s: %v, %q", mode, supported, because)
		}
	}
	full := dataplane.Kernel{NFTables: true, IPVS: true}
	for _, mode := range []string{"nftables", "ipvs"} {
		if supported, because := dataplane.Of(mode).Supported(full); !supported {
			t.Errorf("%s: %q", mode, because)
		}
	}
}

func TestRemoveStalePID(t *testing.T) {
	own, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip("no /proc")
	}
	for _, tc := range []struct {
		sentence, content, program string
		stays                      bool
	}{
		{"the file of the running program stays", strconv.Itoa(os.Getpid()), strings.TrimSpace(string(own)), true},
		{"one whose number another program has now is removed", strconv.Itoa(os.Getpid()), "dockerd", false},
		{"one of a process that is gone is removed", "999999999", "dockerd", false},
		{"one without a number is removed", "?", "dockerd", false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			if err := os.WriteFile(file, []byte(tc.content), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := removeStalePID(file, tc.program); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file); (err == nil) != tc.stays {
				t.Errorf("stat: %v, want it to stay: %v", err, tc.stays)
			}
		})
	}
	if err := removeStalePID(filepath.Join(t.TempDir(), "none"), "dockerd"); err != nil {
		t.Errorf("no file is no error: %v", err)
	}
}
