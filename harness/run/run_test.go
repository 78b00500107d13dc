package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
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

// request returns a request for fake suites in some modes, in a module of its own.
func request(t *testing.T, modes, suites string, f fakeClusters) (q Request, out *output) {
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
	q = Request{All: fakeSuites(suites), Reports: reported, clusters: f}
	q.Modes, q.Profile, q.Jobs = modes, "core", "2"
	return q, &output{}
}

// A reporter writes the report of a run folder, and points latest at it.
type reporter struct {
	*reports.Collector
	folder string
}

func reported(folder string) Reporter { return reporter{reports.Collect(folder, nil), folder} }

func (r reporter) Report(_ io.Writer, root string) (code int, err error) {
	report, err := r.Collector.Report()
	if err != nil {
		return 0, err
	}
	_ = Link(root, "latest", r.folder) // what is called so may be a folder
	return model.ExitCode(report), store.WriteJSON(filepath.Join(r.folder, reports.ReportFile), report)
}

// last returns the run folder that a test made.
func last(t *testing.T) string {
	t.Helper()
	folders, err := filepath.Glob("out/2*")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	folder, err := filepath.Abs(folders[len(folders)-1])
	if err != nil {
		t.Fatal(err)
	}
	return folder
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
		{"a scenario has a fresh cluster, beside which there is none", "passes owns", fakeClusters{}, 0, []string{"PASS "}, ""},
		{"where all have, no other is made", "owns", fakeClusters{opens: errors.New(noRoom)}, 0, []string{"PASS "}, ""},
		{"a mode that was asked for is not there", "passes", fakeClusters{lacks: "nftables"}, 3,
			[]string{"mode nftables is skipped: the kernel lacks it\n", "SKIP 0.0s passes/drained (nftables): the kernel lacks it\n", "PASS "},
			"nftables: everything was skipped, which shows nothing: the kernel lacks it"},
		{"no mode is there", "passes", fakeClusters{opens: errors.New(noRoom)}, 3, []string{"iptables: " + noRoom}, "nftables: " + noRoom},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			q, out := request(t, "iptables,nftables", row.suites, row.clusters)
			code, err := Suites(t.Context(), out, q)
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
			q, out := request(t, "iptables,nftables", row.suites, row.clusters)
			_, err := Suites(t.Context(), out, q)
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
	q, out := request(t, "iptables", "passes", fakeClusters{})
	kept := filepath.Join("out", "latest", "evidence", "session.json")
	if err := store.WriteJSON(kept, evidence.Session{ID: "another"}); err != nil {
		t.Fatal(err)
	}
	if code, err := Suites(t.Context(), out, q); code != 0 || err != nil {
		t.Errorf("exit code %d, %v, printed:\n%s", code, err, &out.text)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// At Ctrl-C suites end with what they have, and the report says so.
func TestInterruptedRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	q, out := request(t, "iptables", "hangs", fakeClusters{hung: interrupt})
	code, err := Suites(ctx, out, q)
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
	q, out := request(t, "iptables,nftables", "passes", fakeClusters{})
	q.Verbose = true
	if code, err := Suites(t.Context(), out, q); code != 0 || err != nil {
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

// Whoever watches a run learns of its folder before the first scenario.
func TestARunBeginsBeforeItsScenarios(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	began := ""
	q, out := request(t, "iptables", "hangs", fakeClusters{hung: func() {
		defer interrupt()
		if s, err := progress.Read(filepath.Join(began, progress.File)); err != nil || len(s.Expected) != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	}})
	q.Began = func(folder string) { began = folder }
	if code, err := Suites(ctx, out, q); code != 3 || err != nil || began != last(t) {
		t.Errorf("exit code %d, %v, began in %q", code, err, began)
	}
}

// Scenarios that were red in another run are run again, and no others; not those that --skip names.
func TestSelection(t *testing.T) {
	q, out := request(t, "iptables,nftables", "passes fails", fakeClusters{})
	red := map[progress.Name]bool{{Mode: "iptables", Suite: "fails", Scenario: "drained"}: true,
		{Mode: "nftables", Suite: "passes", Scenario: "drained"}: true}
	q.Past.Failed = func(folder string) (map[progress.Name]bool, error) {
		if folder != "before" {
			return nil, usage.New("--failed="+folder, "it is not there", "name a run folder")
		}
		return red, nil
	}
	for _, row := range []struct {
		sentence      string
		failed, skips string
		want          []string
	}{
		{"all", "", "", []string{"fails iptables", "fails nftables", "passes iptables", "passes nftables"}},
		{"what was red", "before", "", []string{"fails iptables", "passes nftables"}},
		{"all but those of another name", "", "^undrai", []string{"fails iptables", "fails nftables", "passes iptables", "passes nftables"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			q.Failed, q.Skip = row.failed, row.skips
			p, err := List(t.Context(), out, q)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Scenarios {
				got = append(got, s.Name.Suite+" "+s.Name.Mode)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Options that select nothing are refused before this host is checked, and leave nothing behind.
func TestOptionsAreCheckedBeforeTheHost(t *testing.T) {
	q, out := request(t, "iptables", "passes", fakeClusters{checked: errors.New("the host was checked")})
	q.Past.Failed = func(string) (map[progress.Name]bool, error) { return map[progress.Name]bool{}, nil }
	for _, row := range []struct {
		sentence string
		choose   func(*Selection)
		says     string
	}{
		{"a run in which nothing failed", func(s *Selection) { s.Failed = "before" }, "nothing there failed"},
		{"a name that no scenario has", func(s *Selection) { s.Pattern = "^no-such$" }, "no such scenario"},
		{"no regular expression", func(s *Selection) { s.Skip = "(" }, "missing closing )"},
		{"a suite that does not exist", func(s *Selection) { s.Suites = "nope" }, "--suites=nope: it does not exist"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			q := q
			row.choose(&q.Selection)
			if _, err := Suites(t.Context(), out, q); !usage.Is(err) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want %q", err, row.says)
			}
			if left, _ := filepath.Glob("out/2*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// A dry run prints what would be recorded and how long that takes, by the last run, and writes nothing.
func TestDryRun(t *testing.T) {
	q, out := request(t, "iptables,nftables", "passes fails", fakeClusters{})
	q.Past.Took = func(string) map[progress.Name]float64 {
		return map[progress.Name]float64{{Mode: "iptables", Suite: "passes", Scenario: "drained"}: 77}
	}
	p, err := List(t.Context(), out, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"passes/drained  iptables", "fails/drained   nftables", "expected: profile core takes ",
		", by the last run\n"} {
		if !strings.Contains(out.text.String(), text) {
			t.Errorf("%q is not in\n%s", text, &out.text)
		}
	}
	if i := slices.IndexFunc(p.Scenarios, func(s Planned) bool { return s.Seconds == 77 }); i < 0 || p.Scenarios[i].Name.Suite != "passes" {
		t.Errorf("scenario %d took 77 s in the last run", i)
	}
	if left, _ := filepath.Glob("out/2*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A dry run of which a run would record nothing ends as the run does, with an error.
func TestDryRunOfNothing(t *testing.T) {
	for _, row := range []struct {
		sentence string
		asks     func(*Request)
		says     string
	}{
		{"a pattern that no scenario matches", func(q *Request) { q.Pattern = "^nosuch$" }, "--run=^nosuch$: the suites have no such scenario"},
		{"all are to be skipped", func(q *Request) { q.Skip = "^drai" }, "--skip=^drai: it leaves no scenario of profile core"},
		{"the profile has none of the suites", func(q *Request) { q.All = fakeSuites("left-out") },
			"--suites=left-out: profile core has no scenario of them"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			q, out := request(t, "iptables", "passes", fakeClusters{})
			row.asks(&q)
			if _, err := List(t.Context(), out, q); !usage.Is(err) || !strings.HasPrefix(err.Error(), row.says) || out.text.Len() > 0 {
				t.Errorf("%v\n%s", err, &out.text)
			}
		})
	}
}
