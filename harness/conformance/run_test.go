package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/live"
	"example.com/rollcall/reports/model"
)

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

// newRun returns a run of fake suites in some modes, in a module of its own.
func newRun(t *testing.T, modes, suites string, f fakeClusters) (r *run, out *output) {
	t.Helper()
	config, err := os.ReadFile("../../kind-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	err = errors.Join(os.WriteFile(filepath.Join(module, "go.mod"), []byte("module "+layout.ModulePath()+"\n"), 0o644),
		os.WriteFile(filepath.Join(module, "kind-config.yaml"), config, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(module)
	t.Setenv("ARTIFACTS", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	o := Options{}
	o.Modes, o.Profile, o.Jobs = modes, "core", "2"
	prepared, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	all := fakeSuites(suites)
	names, err := all.selected("")
	if err != nil {
		t.Fatal(err)
	}
	f.runner, out = &prepared, &output{}
	return &run{Options: o, suites: all, runner: prepared, clusters: f, out: out, names: names}, out
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
		{"a scenario panics beside one that passes", "panics passes", fakeClusters{}, 3, []string{"PASS "},
			"iptables panics/drained: panic: nil map"},
		{"something goes wrong that no verdict tells of", "leaves", fakeClusters{}, 3, []string{"PASS "},
			"iptables leaves/drained: a pod is left"},
		{"the first recording was of no use, and the second one is", "retries", fakeClusters{}, 0, []string{"PASS "}, ""},
		{"a scenario has a cluster of its own, beside which there is none", "passes owns", fakeClusters{}, 0, []string{"PASS "}, ""},
		{"where all have, no other is made", "owns", fakeClusters{opens: errors.New(noRoom)}, 0, []string{"PASS "}, ""},
		{"a mode that was asked for is not there", "passes", fakeClusters{lacks: "nftables"}, 3,
			[]string{"mode nftables is skipped: the kernel lacks it\n", "SKIP 0.0s passes/drained (nftables): the kernel lacks it\n", "PASS "},
			"nftables: everything was skipped, which shows nothing: the kernel lacks it"},
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
				!strings.Contains(string(log), ` msg="iptables passes goes on with its scenario" mode=iptables scenario=passes/drained`+"\n") {
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
		{"there is no scenario", "left-out", fakeClusters{}, true, "profile core has no scenario of them"},
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

// What is called latest is replaced if it is a link, and kept if it is a folder, with the recordings of another run.
func TestAFolderThatIsCalledLatestIsKept(t *testing.T) {
	r, out := newRun(t, "iptables", "passes", fakeClusters{})
	kept := filepath.Join("out", "latest", "evidence", "session.json")
	if err := store.WriteJSON(kept, evidence.Session{ID: "another"}); err != nil {
		t.Fatal(err)
	}
	if code, err := r.run(t.Context()); code != 0 || err != nil || !strings.Contains(out.text.String(), "1 passed, 0 failed") {
		t.Errorf("exit code %d, %v, printed:\n%s", code, err, &out.text)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// At Ctrl-C suites end with what they have, and the report says so.
func TestInterruptedRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	r, out := newRun(t, "iptables", "hangs", fakeClusters{hung: interrupt})
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
	if text := out.text.String(); !strings.Contains(text, "nftables passes goes on with its scenario\n") ||
		strings.Contains(text, "PASS ") {
		t.Error(text)
	}
	if _, err := os.Stat("out/latest/log.txt"); err == nil {
		t.Error("there is a log as well")
	}
}

// The live page of a run is there from before its first scenario until after its last.
func TestShownRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	shown, err := live.Listen(live.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	r, out := newRun(t, "iptables", "hangs", fakeClusters{hung: func() {
		defer interrupt()
		reply, err := http.Get(shown.URL())
		if err != nil {
			t.Error(err)
			return
		}
		defer reply.Body.Close()
		if page, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(page), "0 of 1 scenarios done") {
			t.Errorf("%v, %s", err, page)
		}
	}})
	r.live = shown
	if code, err := r.run(ctx); code != 3 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if said := "watch it live: " + shown.URL() + "\n"; !strings.Contains(out.text.String(), said) {
		t.Errorf("%q is not in\n%s", said, &out.text)
	}
}

// Scenarios that did not pass in another run are run again, and no others; not those that --skip names.
func TestSelection(t *testing.T) {
	before, _ := newRun(t, "iptables,nftables", "passes fails", fakeClusters{})
	if _, err := before.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	cutShort := t.TempDir() // the same without one that was never recorded
	report, err := reports.Read(before.runner.Out)
	status, unread := os.ReadFile(filepath.Join(before.runner.Out, progress.File))
	report.Scenarios = slices.DeleteFunc(report.Scenarios, func(s model.Scenario) bool {
		return s.Name() == "passes/drained" && s.Mode == "nftables"
	})
	err = errors.Join(err, unread, store.WriteJSON(filepath.Join(cutShort, "report.json"), report),
		os.WriteFile(filepath.Join(cutShort, progress.File), status, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence      string
		failed, skips string
		want          []string
	}{
		{"all", "", "", []string{"fails iptables", "fails nftables", "passes iptables", "passes nftables"}},
		{"what failed", before.runner.Out, "", []string{"fails iptables", "fails nftables"}},
		{"and what was not recorded", cutShort, "", []string{"fails iptables", "fails nftables", "passes nftables"}},
		{"all but those of another name", "", "^undrai", []string{"fails iptables", "fails nftables", "passes iptables", "passes nftables"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := *before
			r.scenarios, r.Failed, r.Skip = nil, row.failed, row.skips
			if err := r.list(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range r.scenarios {
				got = append(got, s.Name.Suite+" "+s.Name.Mode)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	killed := t.TempDir()
	if err := store.WriteJSON(evidence.SessionPath(killed), evidence.Session{}); err != nil {
		t.Fatal(err)
	}
	during := t.TempDir()
	for i := range report.Scenarios {
		report.Scenarios[i].Suite = "during"
	}
	report.Run.Command = "rollcall during -- ./deploy.sh"
	if err := store.WriteJSON(filepath.Join(during, reports.ReportFile), report); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		Options
		says string
	}{
		{Options{Skip: "("}, "missing closing )"},
		{Options{Failed: during}, "is of no suite: repeat what recorded it: rollcall during -- ./deploy.sh"},
		{Options{Failed: t.TempDir()}, "name a run folder"},
		{Options{Failed: killed}, "have it judged first: rollcall report "},
	} {
		r := *before
		r.Skip, r.Failed = bad.Skip, bad.Failed
		if err := r.list(t.Context()); !usage.Is(err) || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("error %v, want %q", err, bad.says)
		}
	}
}

// Options that select nothing are refused before this host is checked, and set up.
func TestOptionsAreCheckedBeforeTheHost(t *testing.T) {
	before, _ := newRun(t, "iptables", "passes", fakeClusters{})
	if _, err := before.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		choose   func(*Options)
		says     string
	}{
		{"a run in which nothing failed", func(o *Options) { o.Failed = before.runner.Out }, "nothing there failed"},
		{"a name that no scenario has", func(o *Options) { o.Pattern = "^no-such$" }, "no such scenario"},
		{"no regular expression", func(o *Options) { o.Skip = "(" }, "missing closing )"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := *before
			r.scenarios, r.clusters = nil, fakeClusters{checked: errors.New("the host was checked")}
			row.choose(&r.Options)
			if err := r.begin(t.Context()); !usage.Is(err) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want %q", err, row.says)
			}
		})
	}
}

// The suite own has scenarios only for an app that the options name; they too can be repeated by --failed.
func TestSelectionOfAnApp(t *testing.T) {
	app, err := filepath.Abs("../../suites/own/testdata/nginx/app.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := newRun(t, "iptables", "fails", fakeClusters{})
	if _, err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := r.suites
	r.suites = func(app *userapp.App) map[string][]harness.Scenario {
		if app == nil {
			return map[string][]harness.Scenario{"fails": nil}
		}
		return all(app)
	}
	r.Failed, r.App, r.scenarios = r.runner.Out, app, nil
	if r.runner, err = r.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := r.list(t.Context()); err != nil || len(r.scenarios) != 1 {
		t.Errorf("%d scenarios, %v", len(r.scenarios), err)
	}
}

// A dry run prints what would be recorded, and writes nothing.
func TestDryRun(t *testing.T) {
	r, out := newRun(t, "iptables,nftables", "passes fails", fakeClusters{})
	if _, err := r.printList(t.Context()); err != nil {
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

// A dry run of which a run would record nothing ends as the run does: an error if nothing is selected, exit code 3 if all would be skipped.
func TestDryRunOfNothing(t *testing.T) {
	for _, row := range []struct {
		sentence string
		asks     func(*run)
		says     string
	}{
		{"a pattern that no scenario matches", func(r *run) { r.Pattern = "^nosuch$" }, "--run=^nosuch$: the suites have no such scenario"},
		{"all are to be skipped", func(r *run) { r.Skip = "^drai" }, "--skip=^drai: it leaves no scenario of profile core"},
		{"the profile has none of the suites", func(r *run) { r.suites, r.names = fakeSuites("left-out"), []string{"left-out"} },
			"--suites=left-out: profile core has no scenario of them"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r, out := newRun(t, "iptables", "passes", fakeClusters{})
			row.asks(r)
			if _, err := r.printList(t.Context()); !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || out.text.Len() > 0 {
				t.Errorf("%v\n%s", err, &out.text)
			}
		})
	}
	r, _ := newRun(t, "iptables,ipvs", "passes", fakeClusters{})
	r.scenarios = []runner.Listed{{Name: progress.Name{Mode: "iptables"}}, {Name: progress.Name{Mode: "ipvs"}, Skipped: "the kernel lacks it"},
		{Name: progress.Name{Mode: "ipvs"}, LeftOut: true}}
	if diff := cmp.Diff([]string{"ipvs: everything was skipped, which shows nothing: the kernel lacks it"}, r.skippedWhole()); diff != "" {
		t.Error(diff)
	}
	if r.Modes = ""; len(r.skippedWhole()) > 0 {
		t.Errorf("a mode that nobody named: %q", r.skippedWhole())
	}
}
