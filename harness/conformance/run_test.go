package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/layout"
	"rollcall/harness/usage"
	"rollcall/reports"
)

// fakeClusters cost nothing.
type fakeClusters struct {
	checked, opens error  // what check and open return
	lacks          string // mode that there is no cluster of
}

func (f fakeClusters) check(context.Context, io.Writer, string) ([]string, error) {
	return []string{fakeSuite + "=1"}, f.checked
}

func (f fakeClusters) imageTime(context.Context, bool, []string) (time.Duration, error) {
	return 0, nil
}

func (f fakeClusters) supports(_ context.Context, mode string) (bool, string) {
	return mode != f.lacks, "the kernel lacks it"
}

func (f fakeClusters) open(context.Context, io.Writer, string) (opened, error) {
	return opened{env: []string{fakeCluster + "=1"}, waitEmpty: func(context.Context) error { return nil },
		close: func() error { return nil }}, f.opens
}

// output may be written to by several suites at once.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// newRun is a run of fake suites in some modes, in a module of its own.
func newRun(t *testing.T, modes, suites string, f fakeClusters) (r *run, out *output) {
	t.Helper()
	config, err := os.ReadFile("../../kind-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	programs := filepath.Join(module, "out", "bin")
	err = errors.Join(os.MkdirAll(programs, 0o755), os.WriteFile(filepath.Join(module, "go.mod"), nil, 0o644),
		os.WriteFile(filepath.Join(module, "kind-config.yaml"), config, 0o644))
	names := strings.Fields(suites)
	for _, name := range names {
		err = errors.Join(err, os.Symlink(self, filepath.Join(programs, name+".test")))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(module)
	t.Setenv("ARTIFACTS", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GORACE", "atexit_sleep_ms=0") // by default the race detector has each suite's process sleep 1 s before it exits
	o := Options{}
	o.Modes, o.Profile, o.Jobs = modes, "core", "2"
	prepared, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	out = &output{}
	compiled := func(context.Context, io.Writer, layout.Layout, []string) error { return nil }
	return &run{Options: o, runner: prepared, clusters: f, compile: compiled, out: out, names: names}, out
}

func TestRun(t *testing.T) {
	const noRoom = "docker: no space left"
	for _, row := range []struct {
		sentence string
		suites   string
		clusters fakeClusters
		code     int
		prints   []string
		broken   string // the reason in the report
	}{
		{"all pass", "passes", fakeClusters{}, 0, []string{"PASS ", "s passes/drained (iptables): 0 of 100 requests failed\n",
			"passes/drained (nftables)"}, ""},
		{"a claim fails", "passes fails", fakeClusters{}, 1, []string{"FAIL ", "s fails/drained (iptables): 3 of 100 requests failed\n"}, ""},
		{"a suite crashes beside one that passes", "crashes passes", fakeClusters{}, 3,
			[]string{"the last lines of suite crashes in iptables:\ncrashes goes on with its scenario\npanic: nil map\n", "PASS "},
			"suite crashes did not run to its end: exit status 2"},
		{"a suite fails, and no scenario tells of it", "leaves", fakeClusters{}, 3, []string{"PASS "},
			"suite leaves failed outside its scenarios: see log.txt"},
		{"the first recording was of no use, and the second one is", "retries", fakeClusters{}, 0, []string{"PASS "}, ""},
		{"a scenario has a cluster of its own, beside which there is none", "passes owns", fakeClusters{}, 0, []string{"PASS "}, ""},
		{"where all have, no other is made", "owns", fakeClusters{opens: errors.New(noRoom)}, 0, []string{"PASS "}, ""},
		{"a mode is not there", "passes", fakeClusters{lacks: "nftables"}, 0,
			[]string{"mode nftables is skipped: the kernel lacks it\n", "SKIP 0.0s passes/drained (nftables): no cluster\n", "PASS "}, ""},
		{"no mode is there", "passes", fakeClusters{opens: errors.New(noRoom)}, 3, []string{"iptables: " + noRoom}, "nftables: " + noRoom},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r, out := newRun(t, "iptables,nftables", row.suites, row.clusters)
			code, err := r.run(t.Context())
			if err != nil || code != row.code {
				t.Errorf("exit code %d, want %d, %v", code, row.code, err)
			}
			for _, text := range row.prints {
				if !strings.Contains(out.text.String(), text) {
					t.Errorf("%q is not in\n%s", text, &out.text)
				}
			}
			report, err := reports.Load("out/latest")
			if err != nil {
				t.Fatal(err)
			}
			if broken := strings.Join(report.Run.Broken, "\n"); !strings.Contains(broken, row.broken) || row.broken == "" && broken != "" {
				t.Errorf("the report says that %q broke, want %q", broken, row.broken)
			}
			if log, err := os.ReadFile("out/latest/log.txt"); err != nil || strings.Contains(row.suites, "passes") && row.clusters.opens == nil &&
				!strings.Contains(string(log), "iptables passes | passes goes on with its scenario\n") {
				t.Errorf("%v, log.txt:\n%s", err, log)
			}
		})
	}
}

// A run that cannot begin leaves nothing behind.
func TestRunThatCannotBegin(t *testing.T) {
	refused := usage.New("host", "it is not fit", "use another")
	for _, row := range []struct {
		sentence string
		suites   string
		clusters fakeClusters
		bad      bool // input, and not infrastructure
		says     string
	}{
		{"the host is not fit", "passes", fakeClusters{checked: refused}, true, "host: it is not fit: use another"},
		{"no cluster may be made", "passes", fakeClusters{opens: refused}, true, "host: it is not fit: use another"},
		{"there is no scenario", "empty", fakeClusters{}, true, "profile core has no scenario of them"},
		{"a suite cannot be listed", "unlistable", fakeClusters{}, false,
			"suite unlistable cannot be listed: exit status 1: it cannot be listed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r, _ := newRun(t, "iptables,nftables", row.suites, row.clusters)
			_, err := r.run(t.Context())
			if err == nil || usage.Is(err) != row.bad || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want %q", err, row.says)
			}
			if left, _ := filepath.Glob("out/2*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// Ctrl-C has suites end with what they have, and the run with a report that says so.
func TestInterruptedRun(t *testing.T) {
	r, out := newRun(t, "iptables", "hangs", fakeClusters{})
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakePipe, pipe)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		defer interrupt()
		_, _ = os.ReadFile(pipe) // returns when the suite hangs
	}()
	code, err := r.run(ctx)
	if err != nil || code != 3 {
		t.Errorf("exit code %d, %v", code, err)
	}
	report, err := reports.Load("out/latest")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"interrupted"}, report.Run.Broken); diff != "" || len(report.Scenarios) != 1 {
		t.Errorf("%d scenarios, %s\n%s", len(report.Scenarios), diff, &out.text)
	}
}

// With Verbose all that suites print is printed, and nothing else is.
func TestVerboseRun(t *testing.T) {
	r, out := newRun(t, "iptables,nftables", "passes", fakeClusters{})
	r.Verbose = true
	if code, err := r.run(t.Context()); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if text := out.text.String(); !strings.Contains(text, "nftables passes | passes goes on with its scenario\n") ||
		strings.Contains(text, "PASS ") {
		t.Error(text)
	}
	if _, err := os.Stat("out/latest/log.txt"); err == nil {
		t.Error("there is a log as well")
	}
}

// A dry run prints what would be recorded, and writes nothing.
func TestDryRun(t *testing.T) {
	r, out := newRun(t, "iptables,nftables", "passes fails", fakeClusters{})
	if err := r.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"passes/drained  iptables", "fails/drained   nftables", "expected: profile core takes "} {
		if !strings.Contains(out.text.String(), text) {
			t.Errorf("%q is not in\n%s", text, &out.text)
		}
	}
	if left, _ := filepath.Glob("out/2*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
