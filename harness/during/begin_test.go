package during

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

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

// fakeProcess returns the command of a recorder, not started yet.
func fakeProcess(t *testing.T, folder, how string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fakeVariable+"="+how, folderVariable+"="+folder)
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // if it has not ended
		}
	})
	return cmd
}

func TestBeginMarkEnd(t *testing.T) {
	for _, row := range []struct {
		sentence, how string
		code          int
		prints        string
	}{
		{"clients lose nothing", works, 0, "1 passed, 0 failed"},
		{"clients lose a request", loses, 1, "0 passed, 1 failed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := runFolder(t)
			root := filepath.Dir(folder)
			var begun, over bytes.Buffer
			if err := begin(t.Context(), &begun, fakeProcess(t, folder, row.how), folder); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"the load is steady", "run folder: " + folder,
				"export KUBECONFIG=/state/kubeconfig", "rollcall during mark TEXT"} {
				if !strings.Contains(begun.String(), text) {
					t.Errorf("begin lacks %q:\n%s", text, &begun)
				}
			}
			err := checkFree(beginVerb, root)
			if !usage.Is(err) || !strings.Contains(err.Error(), "rollcall during begin is recording, in "+folder) {
				t.Errorf("a second one begins: %v", err)
			}
			t.Setenv(RunVariable, folder)
			if err := Mark("drain a"); err != nil {
				t.Error(err)
			}
			code, err := End(t.Context(), &over, reported)
			if code != row.code || err != nil {
				t.Errorf("exit code %d, %v; want %d", code, err, row.code)
			}
			if !strings.Contains(over.String(), row.prints) || strings.Contains(over.String(), "the load is steady") {
				t.Errorf("end, which should say %q and nothing from before:\n%s", row.prints, &over)
			}
			if !hasStep(load(t, folder), "drain a") {
				t.Error("the mark is not in the report")
			}
			if last, err := current(root); last != "" || err != nil {
				t.Errorf("still under way: %s, %v", last, err)
			}
			if err := checkFree("begin", root); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARecorderThatWasKilled(t *testing.T) {
	folder := runFolder(t)
	root := filepath.Dir(folder)
	cmd := fakeProcess(t, folder, works)
	if err := begin(t.Context(), &bytes.Buffer{}, cmd, folder); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code, err := end(t.Context(), &out, folder, reported)
	if code != 3 || err != nil || !strings.Contains(out.String(), "the recorder was killed; what it recorded is judged as it is") ||
		!strings.Contains(out.String(), "1 inconclusive") {
		t.Errorf("exit code %d, %v:\n%s", code, err, &out)
	}
	if report := load(t, folder); len(report.Run.Broken) != 1 || report.Run.Broken[0] != "the run was cut off, or has not ended" {
		t.Errorf("broken: %q", report.Run.Broken)
	}
	if err := checkFree("begin", root); err != nil {
		t.Errorf("none can begin: %v", err)
	}
}

// The process that starts a recorder may be killed before the load is steady.
func TestARecorderThatNobodyReads(t *testing.T) {
	folder := runFolder(t)
	cmd := fakeProcess(t, folder, works)
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.Start(), said.Close()); err != nil {
		t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	err = poll.Until(t.Context(), 10*time.Millisecond, func() (bool, error) {
		select {
		case <-died:
			return false, errors.New("it has ended")
		default:
		}
		answer, err := call(t.Context(), folder, steadyVerb, "")
		if err != nil {
			return false, nil
		}
		return true, answer.Body.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	if code, err := end(t.Context(), &bytes.Buffer{}, folder, reported); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
}

// No recording can begin while that of a killed recorder has not been judged.
func TestAfterAKilledRecorder(t *testing.T) {
	folder := runFolder(t)
	if err := run.Link(filepath.Dir(folder), linkName, folder); err != nil {
		t.Fatal(err)
	}
	want := "rollcall during: the recorder of " + folder + " was killed: have what it recorded judged first: rollcall during end"
	if err := checkFree("during", filepath.Dir(folder)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := os.WriteFile(filepath.Join(folder, logFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := end(t.Context(), &bytes.Buffer{}, folder, reported)
	if err == nil || !strings.Contains(err.Error(), "before it recorded anything") {
		t.Errorf("error %v", err)
	}
	if err := checkFree("during", filepath.Dir(folder)); err != nil {
		t.Errorf("none can begin once that was said: %v", err)
	}
}

func TestADeadlineEndsARecording(t *testing.T) {
	folder := runFolder(t)
	cmd := fakeProcess(t, folder, late)
	goesOn, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := begin(t.Context(), &bytes.Buffer{}, cmd, folder); err != nil {
		t.Fatal(err)
	}
	if err := goesOn.Close(); err != nil {
		t.Fatal(err)
	}
	gone, err := sharedfile.Acquire(t.Context(), filepath.Join(filepath.Dir(folder), lockName), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Release(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code, err := end(t.Context(), &out, folder, reported)
	said := strings.Join(strings.Fields(out.String()), " ") // lines are wrapped
	if code != 3 || err != nil || !strings.Contains(said, "the recording had ended by itself") ||
		!strings.Contains(said, "1 inconclusive") || !strings.Contains(said, "maintenance by hand was not over after 1ms") {
		t.Errorf("exit code %d, %v:\n%s", code, err, &out)
	}
}

func TestARecorderThatDoesNotGetThere(t *testing.T) {
	for _, row := range []struct {
		sentence, how string
		bad           bool // input
		says          string
	}{
		{"what it was asked for is refused", refused, true, "rollcall during begin: node-image: there is none: build it: nothing was created"},
		{"its host breaks", breaks, false, "the recorder ended with exit code 3: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			folder := runFolder(t)
			err := begin(t.Context(), &bytes.Buffer{}, fakeProcess(t, folder, row.how), folder)
			if err == nil || usage.Is(err) != row.bad || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, row.says)
			}
		})
	}
	t.Run("whoever begins it does not wait", func(t *testing.T) {
		folder := runFolder(t)
		cmd := fakeProcess(t, folder, hangs)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		out := &printed{text: "making the cluster\n", then: func() { cancel(errInterrupted) }}
		if err := begin(ctx, out, cmd, folder); err != errInterrupted { //nolint:errorlint // that alone
			t.Errorf("error %v", err)
		}
		if !cmd.ProcessState.Exited() {
			t.Error("the recorder goes on")
		}
	})
}

// A printed calls a function when a text was printed.
type printed struct {
	text string
	then func()
}

func (p *printed) Write(text []byte) (int, error) {
	if strings.Contains(string(text), p.text) {
		p.then()
	}
	return len(text), nil
}

func TestEndOfNothing(t *testing.T) {
	t.Setenv("ARTIFACTS", t.TempDir())
	t.Setenv(RunVariable, "")
	const none = "rollcall during end: nothing is being recorded: begin it: rollcall during begin, or rollcall during -- COMMAND"
	if _, err := End(t.Context(), &bytes.Buffer{}, reported); err == nil || err.Error() != none || !usage.Is(err) {
		t.Errorf("error %v, want %s", err, none)
	}
	t.Setenv(RunVariable, t.TempDir())
	if _, err := End(t.Context(), &bytes.Buffer{}, reported); !usage.Is(err) {
		t.Errorf("of a folder that is none: %v", err)
	}
}

// A recorder uses the credentials of its parent, and no list of processes shows the token.
func TestWhatARecorderIsGiven(t *testing.T) {
	t.Setenv("ROLLCALL_TOKEN", "old")
	o := Options{MaxOutage: "5s"}
	o.Context, o.Access.Impersonate, o.Access.Token = "staging", "jane", "open-sesame"
	cmd := recorderOf("/bin/rollcall", "/out/1", o)
	want := []string{"/bin/rollcall", "during", "begin", "--max-outage=5s", "--context=staging", "--as=jane"}
	if diff := cmp.Diff(want, cmd.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if last := cmd.Environ(); !slices.Contains(last, "ROLLCALL_TOKEN=open-sesame") || slices.Contains(last, "ROLLCALL_TOKEN=old") {
		t.Error("its environment has no token, or an old one")
	}
}
