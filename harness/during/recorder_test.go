package during

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// runFolder returns a new run folder in a new root.
func runFolder(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "20260102-030405-during")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestARecordingOfACommand(t *testing.T) {
	const eitherWay = -1 // the deadline may come before the command runs: TestACommandIsEndedWithItsGroup has it running
	for _, row := range []struct {
		sentence, how, script string
		until                 string
		deadline              time.Duration
		interrupt             bool
		code, exit            int
		broken                string
		prints                []string
	}{
		{sentence: "clients lose nothing", how: works, script: "echo drained; echo $KUBECONFIG $ROLLCALL_NODES",
			prints: []string{"the load is steady\nrunning: sh -c ", "\ndrained\n/state/kubeconfig a b\n",
				"the command ended after ", "1 passed, 0 failed",
				" with exit code 0\n"}},
		{sentence: "that the command fails once it has changed something is not a verdict on clients", how: works, script: "echo no >&2; exit 4",
			exit: 4, prints: []string{"no\n", "limit: the command failed with exit code 4: ", "1 passed", " with exit code 4\n"}},
		{sentence: "a script that dies in its first line", how: idle, script: "no-such-tool", code: 3, exit: 127,
			prints: []string{"the command failed with exit code 127; no sign of what was done: ", "1 inconclusive", "RC1068"}},
		{sentence: "one that does nothing", how: idle, script: "true", code: 3, prints: []string{"no sign of what was done: ", "RC1068"}},
		{sentence: "clients lose a request", how: loses, script: "sleep 0.1", code: 1, prints: []string{"0 passed, 1 failed"}},
		{sentence: "a command that hangs is ended by the deadline", how: works, script: "exec sleep 1000", deadline: 100 * time.Millisecond,
			code: 3, exit: eitherWay, broken: "was not over after 100ms, which is its deadline", prints: []string{"1 inconclusive"}},
		{sentence: "one that is interrupted has not come to its end", how: works, script: "echo ready; exec sleep 1000", interrupt: true,
			code: 3, exit: 130, broken: " was interrupted", prints: []string{"1 inconclusive"}},
		{sentence: "what says when it is over never will", how: works, script: "true", until: "echo none; exit 127", code: 3,
			broken: "--until cannot succeed: none", prints: []string{"1 inconclusive", "\n--until cannot succeed: none\n"}},
		{sentence: "clients lose a request, and the command is ended", how: loses, script: "exec sleep 1000", deadline: 100 * time.Millisecond,
			code: 1, exit: eitherWay, broken: "was not over after 100ms, which is its deadline", prints: []string{"0 passed, 1 failed"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := fakeRecorder(runFolder(t), row.how)
			r.until = row.until
			if row.deadline > 0 {
				r.deadline = row.deadline
			}
			signals := make(chan os.Signal, 1)
			out := &ready{then: func() {
				if row.interrupt {
					signals <- os.Interrupt
				}
			}}
			code, err := r.run(t.Context(), Terminal{Out: out, Errors: out, Signals: signals}, []string{"sh", "-c", row.script})
			if code != row.code || err != nil {
				t.Errorf("exit code %d, %v; want %d", code, err, row.code)
			}
			for _, text := range row.prints {
				if !strings.Contains(out.text.String(), text) {
					t.Errorf("%q is not in\n%s", text, &out.text)
				}
			}
			report, err := reports.Load(filepath.Join(r.root, "latest"))
			if err != nil {
				t.Fatal(err)
			}
			if d := report.Scenarios[0].Disruption; d == nil || d.CommandExit == nil || *d.CommandExit != row.exit && row.exit != eitherWay {
				t.Errorf("disruption %+v, want the command's exit code %d", d, row.exit)
			}
			for _, name := range []string{"junit.xml", "summary.md"} {
				text, err := os.ReadFile(filepath.Join(r.folder, name))
				said := fmt.Sprintf("the command failed with exit code %d", row.exit)
				if err != nil || row.exit != eitherWay && strings.Contains(string(text), said) != (row.exit != 0) {
					t.Errorf("%s, %v, has or lacks %q:\n%s", name, err, said, text)
				}
			}
			if broken := strings.Join(report.Run.Broken, "; "); !strings.HasSuffix(broken, row.broken) || row.broken == "" && broken != "" {
				t.Errorf("broken: %q, want %q", broken, row.broken)
			}
			if why := strings.Join(report.Run.Broken, "; "); why != "" && !hasStep(report, why) {
				t.Errorf("no step says why: %+v", report.Scenarios[0].Steps)
			}
			lines, err := os.ReadFile(filepath.Join(r.folder, commandFile))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(lines)) {
				if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (out|err) `).MatchString(line) {
					t.Errorf("line %q of the command's log", line)
				}
			}
		})
	}
}

// A ready calls a function when it reads that the load is steady.
type ready struct {
	text bytes.Buffer
	then func()
}

func (r *ready) Write(text []byte) (int, error) {
	if string(text) == "ready\n" {
		r.then()
	}
	return r.text.Write(text)
}

func TestARecordingThatIsNone(t *testing.T) {
	t.Run("what is refused leaves nothing behind", func(t *testing.T) {
		r := fakeRecorder(runFolder(t), refused)
		_, err := r.run(t.Context(), Terminal{Out: &bytes.Buffer{}, Errors: &bytes.Buffer{}}, []string{"true"})
		if !usage.Is(err) {
			t.Errorf("error %v", err)
		}
		if left, err := filepath.Glob(filepath.Join(r.root, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	t.Run("what broke is reported", func(t *testing.T) {
		r := fakeRecorder(runFolder(t), breaks)
		code, err := r.run(t.Context(), Terminal{Out: &bytes.Buffer{}, Errors: &bytes.Buffer{}}, []string{"true"})
		if code != 3 || err != nil {
			t.Errorf("exit code %d, %v", code, err)
		}
		report, err := reports.Load(r.folder)
		if err != nil || len(report.Run.Broken) == 0 || report.Run.Broken[0] != "docker: no space left" {
			t.Errorf("%+v, %v", report.Run, err)
		}
	})
	t.Run("a recorder that is there keeps others away", func(t *testing.T) {
		r := fakeRecorder(runFolder(t), works)
		held, err := sharedfile.TryLock(filepath.Join(r.root, lockName))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = held.Release() }()
		if err := errors.Join(run.Link(r.root, linkName, r.folder), os.Mkdir(filepath.Join(r.root, "other"), 0o755)); err != nil {
			t.Fatal(err)
		}
		for command, want := range map[string]string{
			"": "another command is recording, in " + r.folder + ": wait for its end, or end it with Ctrl-C where it runs",
			"rollcall try --filename=k8s/": "rollcall try --filename=k8s/ is recording, in " + r.folder +
				": wait for its end, or end it with Ctrl-C where it runs",
			"rollcall during begin --max-outage=5s": "rollcall during begin --max-outage=5s is recording, in " + r.folder +
				": end it first: rollcall during end",
		} {
			if command != "" {
				session := evidence.Session{Command: command}
				if err := store.WriteJSON(evidence.SessionPath(r.folder), session); err != nil {
					t.Fatal(err)
				}
			}
			if err := checkFree("try", r.root); err == nil || err.Error() != "rollcall try: "+want {
				t.Errorf("error %v, want %s", err, want)
			}
			if err := os.RemoveAll(evidence.Folder(r.folder)); err != nil {
				t.Fatal(err)
			}
		}
		late := fakeRecorder(filepath.Join(r.root, "other"), works)
		if _, err := late.run(t.Context(), Terminal{}, nil); !usage.Is(err) {
			t.Errorf("one that came later: %v", err)
		}
		if last, err := current(r.root); err != nil || last != r.folder {
			t.Errorf("the link leads to %s, %v", last, err)
		}
	})
}

func load(t *testing.T, folder string) model.Report {
	t.Helper()
	report, err := reports.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func hasStep(r model.Report, what string) bool {
	for _, step := range r.Scenarios[0].Steps {
		if step.What == what {
			return true
		}
	}
	return false
}

// A stuck is what an API server that does not answer keeps.
type stuck struct{}

func (stuck) Remove(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
func (stuck) Stays() []string                  { return []string{"deployment web in namespace default"} }

func TestDeletingHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := recorder{folder: "out/r", parts: []Part{{Created: stuck{}}}}
		began := time.Now()
		remove(t.Context(), stuck{}, &screen{terminal: &out, log: io.Discard})
		if took := time.Since(began); took != removeTimeout || out.String() != "not deleted in 2m0s\n" {
			t.Errorf("%q after %v", &out, took)
		}
		const want = "ended by the third interrupt; what stays:\n    run folder out/r\n    deployment web in namespace default\n" +
			"    the kind cluster, if there is one: rollcall clean deletes it"
		if got := r.staying(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
